import type { Db, Fragment } from './connect'

/** A page of a list, newest first: up to `limit` rows with ids below `before` (contract 1.2). */
export type PageRequest = { limit: number; before: string | null }

/** The rows of a page, and the id to continue from, or null on the last page. */
export type PageResult<T> = { rows: T[]; next: string | null }

/** Maximum rows of a page (contract 1.2). */
export const PAGE_LIMIT_MAX = 100

/**
 * Bytes of the large columns of a page, as stored (contract 1.2). A page ends before the record that would exceed it,
 * but has at least one.
 */
const PAGE_BYTES_MAX = 4 * 1024 ** 2

/**
 * Reads a page of `list`, SQL that ends with its ORDER BY. Ids sort by time, so rows inserted meanwhile are neither
 * skipped nor repeated (contract 1.2). `bytes` is SQL for the size of a row's large columns, where it has any.
 */
export const readPage = async <Row extends object, T extends { id: string }>(
  db: Db,
  list: Fragment,
  page: PageRequest,
  toRecord: (row: Row) => T,
  bytes?: Fragment,
): Promise<PageResult<T>> => {
  const limited = db<Row[]>`${list} LIMIT ${page.limit + 1}`
  return bytes === undefined
    ? toPage((await limited).map(toRecord), page)
    : readWithinBudget(db, limited, bytes, page, toRecord)
}

/** One row more than the page tells whether there is another. */
const toPage = <T extends { id: string }>(found: T[], page: PageRequest): PageResult<T> => {
  const rows = found.slice(0, page.limit)
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * The same with a plan that PostgreSQL caches for the connection: planning each call takes up to twice as long as
 * reading (bench/RESULTS.md, "A page of a list").
 * The constant inner LIMIT makes the generic plan cheap enough to be cached; the requested limit stays a
 * parameter, so that there is one statement per list.
 * The cached plan must suit all accounts, so only the index that begins with the account may provide the
 * order: write `account_id = ${indexableEq(...)}` and `ORDER BY account_id, id DESC`.
 */
export const readWithCachedPlan = <Row extends object, T extends { id: string }>(
  db: Db,
  list: Fragment,
  page: PageRequest,
  toRecord: (row: Row) => T,
): Promise<PageResult<T>> => readPage(db, cachedPlan(db, list), page, toRecord)

/** A list whose large column is `body`, which is never null. */
export type ListWithBody = {
  /** The expression of the column. */
  body: Fragment
  /** The list, with SQL that it selects `AS body`. */
  select: (body: Fragment) => Fragment
}

/**
 * The same for a list with bodies. Rows with a body above an equal part of the budget are read without it, and the
 * page is then read again within the budget: counting the bytes of each page would cost 0.04 ms of PostgreSQL's CPU,
 * and the page of 20 costs 0.19.
 */
export const readBodiesWithCachedPlan = async <Row extends object, T extends { id: string }>(
  db: Db,
  { body, select }: ListWithBody,
  page: PageRequest,
  toRecord: (row: Row) => T,
): Promise<PageResult<T>> => {
  const part = Math.floor(PAGE_BYTES_MAX / page.limit)
  const small = select(db`CASE WHEN octet_length(${body}) <= ${part} THEN ${body} END`)
  const rows = await db<Row[]>`${cachedPlan(db, small)} LIMIT ${page.limit + 1}`
  return rows.some(row => 'body' in row && row.body === null)
    ? readPage(db, select(body), page, toRecord, db`octet_length(body)`)
    : toPage(rows.map(toRecord), page)
}

const cachedPlan = (db: Db, list: Fragment): Fragment =>
  db`SELECT * FROM (${list} LIMIT ${db.unsafe(String(PAGE_LIMIT_MAX + 1))}) AS list`

/**
 * Cuts the page in PostgreSQL, so that what exceeds the budget is neither read from disk nor sent: `octet_length`
 * needs only the header of a value that is stored outside its row.
 */
const readWithinBudget = async <Row extends object, T extends { id: string }>(
  db: Db,
  limited: Fragment,
  bytes: Fragment,
  page: PageRequest,
  toRecord: (row: Row) => T,
): Promise<PageResult<T>> => {
  const rows = await db<(Row & { has_next: true | null })[]>`
    SELECT * FROM (
      SELECT *, sum(${bytes}) OVER earlier AS earlier_bytes, lead(true) OVER earlier AS has_next
      FROM (${limited}) AS list
      WINDOW earlier AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS page
    WHERE earlier_bytes IS NULL OR earlier_bytes + ${bytes} <= ${PAGE_BYTES_MAX}
    LIMIT ${page.limit}`
  const records = rows.map(toRecord)
  return { rows: records, next: rows.at(-1)?.has_next ? (records.at(-1)?.id ?? null) : null }
}

/**
 * SQL for the right side of `account_id =`. After a plain `=`, PostgreSQL drops `account_id` from the ORDER
 * BY and may read the primary key instead, which for a small account scans the whole table.
 */
export const indexableEq = (db: Db, value: string): Fragment => db`ANY (ARRAY[${value}])`
