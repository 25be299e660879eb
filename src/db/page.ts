import type { Db, Fragment } from './connect'

/** A page of a list, newest first: up to `limit` rows with ids below `before` (contract 1.2). */
export type PageRequest = { limit: number; before: string | null }

/** The rows of a page, and the id to continue from, or null on the last page. */
export type PageResult<T> = { rows: T[]; next: string | null }

/** Maximum rows of a page (contract 1.2). */
export const PAGE_LIMIT_MAX = 100

/**
 * Cuts the rows of a query with `LIMIT limit + 1` into a page. Ids sort by time, so rows inserted meanwhile
 * are neither skipped nor repeated (contract 1.2).
 */
export const toPage = <T extends { id: string }>(
  found: readonly T[],
  page: PageRequest,
): PageResult<T> => {
  const rows = found.slice(0, page.limit)
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * Reads a page of `list`, SQL that ends with its ORDER BY, with a plan that PostgreSQL caches for the
 * connection: planning each call takes up to twice as long as reading (bench/RESULTS.md, "A page of a list").
 * The constant inner LIMIT makes the generic plan cheap enough to be cached; the requested limit stays a
 * parameter, so that there is one statement per list.
 * The cached plan must suit all accounts, so only the index that begins with the account may provide the
 * order: write `account_id = ${indexableEq(...)}` and `ORDER BY account_id, id DESC`.
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
 * SQL for the right side of `account_id =`. After a plain `=`, PostgreSQL drops `account_id` from the ORDER
 * BY and may read the primary key instead, which for a small account scans the whole table.
 */
export const indexableEq = (db: Db, value: string): Fragment => db`ANY (ARRAY[${value}])`
