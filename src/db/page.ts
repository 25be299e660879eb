import type { Db, Fragment } from './connect'

/** A page of a list, newest first: up to `limit` rows with ids below `before` (contract 1.2). */
export type PageRequest = { limit: number; before: string | null }

/** The rows of a page, and the id to continue from, or null on the last page. */
export type PageResult<T> = { rows: T[]; next: string | null }

/** Maximum rows of a page (contract 1.2). */
export const PAGE_LIMIT_MAX = 100

/**
 * Bytes of the large values of a page, in the JSON of the response (contract 1.2). A page ends before the record that
 * would exceed it, but has at least one.
 */
export const PAGE_BYTES_MAX = 4 * 1024 ** 2
/** Bytes in JSON for one UTF-16 unit: a control character is escaped as `\u001f`. */
const MAX_JSON_BYTES = 6

/** The column with the large text of each row, and the member with its value in the record. */
type LargeColumn<T> = { column: string; member: keyof T }

/**
 * Reads a page of `list`, SQL that ends with its ORDER BY. Ids sort by time, so rows inserted meanwhile are neither
 * skipped nor repeated (contract 1.2).
 */
export const readPage = async <Row extends object, T extends { id: string }>(
  db: Db,
  list: Fragment,
  page: PageRequest,
  toRecord: (row: Row) => T,
  large?: LargeColumn<T>,
): Promise<PageResult<T>> => {
  const limited = db<Row[]>`${list} LIMIT ${page.limit + 1}`
  return large === undefined
    ? toPage(await limited, page, toRecord)
    : readWithinBudget(db, limited, page, toRecord, large)
}

/** One row more than the page shows whether there is another. */
const toPage = <Row extends object, T extends { id: string }>(
  found: Row[],
  page: PageRequest,
  toRecord: (row: Row) => T,
  large?: LargeColumn<T>,
): PageResult<T> => {
  const rows = found.slice(0, page.limit)
  const records = cutToBudget(rows, rows.map(toRecord), large)
  return {
    rows: records,
    next: found.length > records.length ? (records.at(-1)?.id ?? null) : null,
  }
}

const cutToBudget = <Row extends object, T>(
  rows: Row[],
  records: T[],
  large?: LargeColumn<T>,
): T[] => {
  if (large === undefined) return records
  const texts = rows.map(row => (row as Record<string, string | null>)[large.column] ?? null)
  const values = records.map(record => record[large.member])
  return records.slice(0, Math.max(countWithinBudget(texts, values), 1))
}

/**
 * How many of `values`, from the first one on, fit into `PAGE_BYTES_MAX` as JSON. They were read from `texts`, whose
 * lengths nearly always show that all fit, without the cost of serializing them a second time.
 */
export const countWithinBudget = (
  texts: readonly (string | null)[],
  values: readonly unknown[],
): number => {
  const units = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  if (units * MAX_JSON_BYTES <= PAGE_BYTES_MAX) return values.length
  let bytes = 0
  const end = values.findIndex(value => {
    bytes += Buffer.byteLength(JSON.stringify(value))
    return bytes > PAGE_BYTES_MAX
  })
  return end === -1 ? values.length : end
}

/**
 * `readPage` with a plan that PostgreSQL caches for the connection: planning each call takes up to twice as long as
 * reading (docs/decisions/speed.md, "A page of a list").
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
type ListWithBody<T> = {
  /** The expression of the column. */
  body: Fragment
  /** The member of the record with its value. */
  member: keyof T
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
  { body, member, select }: ListWithBody<T>,
  page: PageRequest,
  toRecord: (row: Row) => T,
): Promise<PageResult<T>> => {
  const part = Math.floor(PAGE_BYTES_MAX / page.limit)
  const small = select(db`CASE WHEN octet_length(${body}) <= ${part} THEN ${body} END`)
  const rows = await db<Row[]>`${cachedPlan(db, small)} LIMIT ${page.limit + 1}`
  return rows.some(row => 'body' in row && row.body === null)
    ? readPage(db, select(body), page, toRecord, { column: 'body', member })
    : toPage(rows, page, toRecord, { column: 'body', member })
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
  page: PageRequest,
  toRecord: (row: Row) => T,
  large: LargeColumn<T>,
): Promise<PageResult<T>> => {
  const bytes = db`coalesce(octet_length(${db(large.column)}), 0)`
  const rows = await db<(Row & { has_next: true | null })[]>`
    SELECT * FROM (
      SELECT *, sum(${bytes}) OVER earlier AS earlier_bytes, lead(true) OVER earlier AS has_next
      FROM (${limited}) AS list
      WINDOW earlier AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS page
    WHERE earlier_bytes IS NULL OR earlier_bytes + ${bytes} <= ${PAGE_BYTES_MAX}
    LIMIT ${page.limit}`
  const records = cutToBudget(rows, rows.map(toRecord), large)
  return {
    rows: records,
    next: rows[records.length - 1]?.has_next ? (records.at(-1)?.id ?? null) : null,
  }
}

/**
 * SQL for the right side of `account_id =`. After a plain `=`, PostgreSQL drops `account_id` from the ORDER
 * BY and may read the primary key instead, which for a small account scans the whole table.
 */
export const indexableEq = (db: Db, value: string): Fragment => db`ANY (ARRAY[${value}])`
