import type { Tenant } from '../caller'
import type { Fragment, Sql } from '../db/connect'
import { type CreatedBetween, createdBetween } from '../db/created-between'
import {
  indexableEq,
  type PageRequest,
  type PageResult,
  readWithCachedPlan,
  toPage,
} from '../db/page'

/** The filters of lists whose records belong to a project and a keyword. */
export type ContentFilter<Status extends string> = CreatedBetween & {
  status?: Status
  project_id?: string
  keyword_id?: string
}

/** `select` is SQL up to, but not including, WHERE. `table` is the alias of the listed table in it. */
type ListQuery<Row, T> = { select: Fragment; table: string; toRecord: (row: Row) => T }

/** A page of the tenant's records that match `filter`. */
export const readFilteredPage = async <Row extends object, T extends { id: string }>(
  sql: Sql,
  { select, table, toRecord }: ListQuery<Row, T>,
  tenant: Tenant,
  filter: ContentFilter<string>,
  page: PageRequest,
): Promise<PageResult<T>> => {
  const { status, project_id, keyword_id, created_after, created_before } = filter
  const column = (name: string) => sql(`${table}.${name}`)
  const conditions = sql`
    AND ${column('mode')} = ${tenant.mode}
    ${page.before === null ? sql`` : sql`AND ${column('id')} < ${page.before}`}
    ${status === undefined ? sql`` : sql`AND ${column('status')} = ${status}`}
    ${project_id === undefined ? sql`` : sql`AND ${column('project_id')} = ${project_id}`}
    ${keyword_id === undefined ? sql`` : sql`AND ${column('keyword_id')} = ${keyword_id}`}
    ${createdBetween(sql, filter, `${table}.created_at`)}`
  if ((status ?? project_id ?? keyword_id ?? created_after ?? created_before) === undefined) {
    const list = sql`
      ${select} WHERE ${column('account_id')} = ${indexableEq(sql, tenant.accountId)} ${conditions}
      ORDER BY ${column('account_id')}, ${column('id')} DESC`
    return readWithCachedPlan(sql, list, page, toRecord)
  }
  // Planned for each call: which index is best depends on the values.
  const rows = await sql<Row[]>`
    ${select} WHERE ${column('account_id')} = ${tenant.accountId} ${conditions}
    ORDER BY ${column('id')} DESC LIMIT ${page.limit + 1}`
  return toPage(rows.map(toRecord), page)
}
