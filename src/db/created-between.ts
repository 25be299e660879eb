import type { Db, Fragment } from './connect'

/** Times are ISO 8601. A record that shows exactly that time is neither after nor before it. */
export type CreatedBetween = { created_after?: string; created_before?: string }

/**
 * SQL that narrows a query to what was made between two times. Rows hold microseconds and records show
 * milliseconds, which is what a caller can name: so the times are rounded, and the column is not, for
 * its indexes to be of use.
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
