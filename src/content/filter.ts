import type { Tenant } from '../caller'
import type { Fragment, Sql } from '../db/connect'
import { contains } from '../db/contains'
import { type CreatedBetween, createdBetween } from '../db/created-between'
import {
  indexableEq,
  type PageRequest,
  type PageResult,
  readBodiesWithCachedPlan,
  readPage,
  readWithCachedPlan,
} from '../db/page'
import type { IdPrefix } from '../ids'

/** The filters of lists whose records belong to a project and a keyword. */
export type ContentFilter<Status extends string> = CreatedBetween & {
  status?: Status
  project_id?: string
  keyword_id?: string
  search?: string
}

/** What a filter is applied to. */
type Filtered = {
  /** What `search` looks in. */
  searched: readonly Fragment[]
  /** The alias of the table. */
  table: string
  /** The prefix of the ids of its records. */
  prefix: IdPrefix
}

type ListQuery<Row, T> = Filtered & {
  /** SQL up to, but not including, WHERE. It selects its parameter `AS body` if the records have a large body. */
  select: (body: Fragment) => Fragment
  /** The expression of that body, and its member of the record. */
  large?: { body: Fragment; member: keyof T }
  toRecord: (row: Row) => T
}

/** A page of the tenant's records that match `filter`. */
export const readFilteredPage = async <Row extends object, T extends { id: string }>(
  sql: Sql,
  { select, large, searched, table, prefix, toRecord }: ListQuery<Row, T>,
  tenant: Tenant,
  filter: ContentFilter<string>,
  page: PageRequest,
): Promise<PageResult<T>> => {
  const { status, project_id, keyword_id, created_after, created_before, search } = filter
  const column = (name: string) => sql(`${table}.${name}`)
  const conditions = sql`
    ${page.before === null ? sql`` : sql`AND ${column('id')} < ${page.before}`}
    ${contentConditions(sql, { table, prefix, searched }, tenant, filter)}`
  if (
    (status ?? project_id ?? keyword_id ?? created_after ?? created_before ?? search) === undefined
  ) {
    const list = (value: Fragment) => sql`
      ${select(value)}
      WHERE ${column('account_id')} = ${indexableEq(sql, tenant.accountId)} ${conditions}
      ORDER BY ${column('account_id')}, ${column('id')} DESC`
    return large === undefined
      ? readWithCachedPlan(sql, list(sql``), page, toRecord)
      : readBodiesWithCachedPlan(sql, { select: list, ...large }, page, toRecord)
  }
  // Planned for each call: which index is best depends on the values. But how rare a text is, PostgreSQL cannot know:
  // a search never reads the rows of other accounts in the order of all ids.
  const list = sql`
    ${select(large?.body ?? sql``)}
    WHERE ${column('account_id')} = ${search === undefined ? tenant.accountId : indexableEq(sql, tenant.accountId)}
      ${conditions}
    ORDER BY ${search === undefined ? sql`` : sql`${column('account_id')},`} ${column('id')} DESC`
  return readPage(sql, list, page, toRecord, large && { column: 'body', member: large.member })
}

/** SQL for the records of the tenant's mode that match `filter`; the account is the caller's to compare. */
export const contentConditions = (
  sql: Sql,
  { table, prefix, searched }: Filtered,
  tenant: Tenant,
  filter: ContentFilter<string>,
): Fragment => {
  const { status, project_id, keyword_id, search } = filter
  const column = (name: string) => sql(`${table}.${name}`)
  return sql`
    AND ${column('mode')} = ${tenant.mode}
    ${status === undefined ? sql`` : sql`AND ${column('status')} = ${status}`}
    ${project_id === undefined ? sql`` : sql`AND ${column('project_id')} = ${project_id}`}
    ${keyword_id === undefined ? sql`` : sql`AND ${column('keyword_id')} = ${keyword_id}`}
    ${createdBetween(sql, filter, prefix, table)}
    ${search === undefined ? sql`` : sql`AND (${contains(sql, search, searched)})`}`
}
