import { type IdPrefix, lowestIdAt } from '../ids'
import type { Db, Fragment } from './connect'

/** ISO 8601. Both exclude the millisecond they name (contract 1.5). */
export type CreatedBetween = { created_after?: string; created_before?: string }

/**
 * How far the time in an id may be from `created_at`, in ms: clocks of processes differ (more than 60 s is a failure
 * of `arden doctor`), and an id is made before or while its transaction waits for locks, each for 10 s.
 */
const ID_TOLERANCE_MS = 300_000

/**
 * SQL that filters the records whose ids have `prefix` by time of creation. Ids begin with the time, so the filter
 * also limits their range: the index of the list then finds the oldest page as fast as the newest. `table` is the
 * alias of the table where the query has others.
 */
export const createdBetween = (
  db: Db,
  filter: CreatedBetween,
  prefix: IdPrefix,
  table?: string,
): Fragment => {
  const of = (column: string) => (table === undefined ? column : `${table}.${column}`)
  return db`
    ${timeBetween(db, filter, of('created_at'))}
    ${idBetween(db, filter, prefix, of('id'))}`
}

/** The range of the ids alone, which `column` has. It has a few records more. */
export const idBetween = (
  db: Db,
  { created_after, created_before }: CreatedBetween,
  prefix: IdPrefix,
  column: string,
): Fragment => {
  const id = db(column)
  const lowestId = (time: string, offsetMs: number) =>
    lowestIdAt(prefix, new Date(Math.max(0, Date.parse(time) + offsetMs)))
  return db`
    ${created_after === undefined ? db`` : db`AND ${id} >= ${lowestId(created_after, -ID_TOLERANCE_MS)}`}
    ${created_before === undefined ? db`` : db`AND ${id} < ${lowestId(created_before, ID_TOLERANCE_MS)}`}`
}

/**
 * The same by `column` alone, for records whose ids have no time. Rows have microseconds and callers name
 * milliseconds: the parameters are rounded instead of the column, so that its indexes apply.
 */
export const timeBetween = (
  db: Db,
  { created_after, created_before }: CreatedBetween,
  column: string,
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
