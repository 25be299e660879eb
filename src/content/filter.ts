import type { Fragment, Sql } from '../db/connect'
import { type CreatedBetween, createdBetween } from '../db/created-between'
import type { Page } from '../db/page'

/** How lists of what belongs to a project and a keyword can be narrowed. */
export type ContentFilter<Status extends string> = CreatedBetween & {
  status?: Status
  project_id?: string
  keyword_id?: string
}

/** SQL for what `filter` finds in a table, from where `page` begins. */
export const narrow = (
  sql: Sql,
  table: string,
  filter: ContentFilter<string>,
  page: Page,
): Fragment => {
  const { status, project_id, keyword_id } = filter
  const column = (name: string) => sql(`${table}.${name}`)
  return sql`
    ${page.before === null ? sql`` : sql`AND ${column('id')} < ${page.before}`}
    ${status === undefined ? sql`` : sql`AND ${column('status')} = ${status}`}
    ${project_id === undefined ? sql`` : sql`AND ${column('project_id')} = ${project_id}`}
    ${keyword_id === undefined ? sql`` : sql`AND ${column('keyword_id')} = ${keyword_id}`}
    ${createdBetween(sql, filter, `${table}.created_at`)}`
}
