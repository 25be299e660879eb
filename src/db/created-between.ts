import type { Db, Fragment } from './connect'

/** ISO 8601. Both exclude the millisecond they name (contract 1.5). */
export type CreatedBetween = { created_after?: string; created_before?: string }

/**
 * SQL that filters by time of creation. Rows have microseconds and callers name milliseconds: the parameters
 * are rounded instead of the column, so that its indexes apply.
 */
export const createdBetween = (
  db: Db,
  { created_after, created_before }: CreatedBetween,
  column = 'created_at',
): Fragment => db`
  ${
    created_after === undefined
      ? db``
      : db`AND ${db(column)} >=
          date_trunc('milliseconds', ${created_after}::text::timestamptz) + interval '1 ms'`
  }
  ${
    created_before === undefined
      ? db``
      : db`AND ${db(column)} <
          date_trunc('milliseconds', ${created_before}::text::timestamptz + interval '0.999 ms')`
  }`
