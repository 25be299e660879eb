import type { Db, Fragment } from './connect'

/** One page of a list, newest first: up to `limit` rows with ids below `before` (contract 1.2). */
export type PageRequest = { limit: number; before: string | null }

/** The rows of a page, and the id to go on from, or null on the last page. */
export type PageResult<T> = { rows: T[]; next: string | null }

/** The most rows that a page may have (contract 1.2). */
export const PAGE_LIMIT_MAX = 100

/**
 * Cuts what a query with `LIMIT limit + 1` found into a page. Ids sort by time and a page goes on below
 * the last id it showed, so rows that are inserted meanwhile are neither skipped nor repeated.
 */
export const toPage = <T extends { id: string }>(
  found: readonly T[],
  page: PageRequest,
): PageResult<T> => {
  const rows = found.slice(0, page.limit)
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * Reads a page of `list`, SQL that ends with its ORDER BY, by a plan that PostgreSQL makes once for a
 * connection: planning at each call takes up to twice as long as reading (bench/RESULTS.md, "A page of a
 * list"). It keeps one that looks cheap whatever the values are, so the text says how little is read at
 * most. The limit itself stays a value: each number in the text would be a statement of its own to keep.
 * Nothing around the list changes its order.
 *
 * What is kept has to be right for all values. So the list is read by the index that begins with its
 * account, and no other gives its order: `account_id = ${only(...)}` and `ORDER BY account_id, id DESC`.
 */
export const readWithCachedPlan = async <Row extends object, T extends { id: string }>(
  db: Db,
  list: Fragment,
  page: PageRequest,
  toRecord: (row: Row) => T,
): Promise<PageResult<T>> => {
  const most = db.unsafe(String(PAGE_LIMIT_MAX + 1))
  const rows = await db<Row[]>`
    SELECT * FROM (${list} LIMIT ${most}) AS list LIMIT ${page.limit + 1}`
  return toPage(rows.map(toRecord), page)
}

/**
 * SQL for the right side of `account_id =`. After a plain `=` the column does not count for the order any
 * more: rows by `id` are in order in the primary key too, by which a plan finds those of an account that
 * has most of them at once, and reads the whole table for another.
 */
export const indexableEq = (db: Db, value: string): Fragment => db`ANY (ARRAY[${value}])`
