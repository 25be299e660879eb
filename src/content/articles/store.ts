import type { Tenant } from '../../caller'
import type { Db, Fragment, Sql } from '../../db/connect'
import type { PageRequest, PageResult } from '../../db/page'
import { invalid, notFound } from '../../errors'
import { isId } from '../../ids'
import { type ContentFilter, readFilteredPage } from '../filter'
import { type Article, ONLY_OF_DRAFTS } from './schema'
import type { Author } from './versions'

/** Articles as they are read (contract 6.4). */

export type ArticleRow = {
  id: string
  project_id: string
  keyword_id: string | null
  title: string
  slug: string
  body: string
  meta_title: string | null
  meta_description: string | null
  status: Article['status']
  published_at: Date | null
  scheduled_at: Date | null
  mode: string
  created_at: Date
  updated_at: Date
  version: number
  version_at: Date
  version_by: Author
  restored_from: number | null
  version_open_until: Date | null
}

/** The columns of a row that its record has. */
type RecordRow = Omit<
  ArticleRow,
  'version_at' | 'version_by' | 'restored_from' | 'version_open_until'
>

export const listArticles = async (
  sql: Sql,
  tenant: Tenant,
  filter: ContentFilter<Article['status']>,
  page: PageRequest,
): Promise<PageResult<Article>> => {
  const list = {
    select: (body: Fragment) => sql`
      SELECT a.id, a.project_id, a.keyword_id, a.title, a.slug, ${body} AS body, a.meta_title, a.meta_description,
        a.status, a.published_at, a.scheduled_at, a.mode, a.version, a.created_at, a.updated_at
      FROM articles a JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL`,
    large: { body: sql`a.body`, member: 'body' },
    searched: [sql`a.title`, sql`a.slug`],
    table: 'a',
    prefix: 'art',
    toRecord: toArticle,
  } as const
  return readFilteredPage(sql, list, tenant, filter, page)
}

/** @throws {DomainError} NOT_FOUND, for an article of a hidden project as well. */
export const getArticle = async (db: Db, tenant: Tenant, id: string): Promise<Article> =>
  toArticle(await findArticle(db, tenant, id, db``))

/** The row of an article, with `lock`. @throws {DomainError} NOT_FOUND */
export const findArticle = async (
  db: Db,
  tenant: Tenant,
  id: string,
  lock: ReturnType<Db>,
): Promise<ArticleRow> => {
  const [row] = isId('art', id)
    ? await db<ArticleRow[]>`
        SELECT a.* FROM articles a
        JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
        WHERE a.id = ${id} AND a.account_id = ${tenant.accountId} AND a.mode = ${tenant.mode}
        ${lock}`
    : []
  if (row === undefined) throw notFound('article', id)
  return row
}

/** Only a draft can be published later (contract 6.14). */
export const checkSchedule = (status: Article['status'], scheduledAt: unknown): void => {
  if (status !== 'DRAFT' && scheduledAt !== null) throw invalid('scheduled_at', ONLY_OF_DRAFTS)
}

export const unknownKeyword = () =>
  invalid('keyword_id', 'is not the id of a keyword of this project')

export const eventData = ({
  id,
  project_id,
  keyword_id,
  title,
  status,
}: Pick<Article, 'id' | 'project_id' | 'keyword_id' | 'title' | 'status'>) => ({
  article_id: id,
  project_id,
  keyword_id,
  title,
  status,
})

export const toArticle = (row: RecordRow): Article => ({
  id: row.id,
  project_id: row.project_id,
  keyword_id: row.keyword_id,
  title: row.title,
  slug: row.slug,
  body: row.body,
  meta_title: row.meta_title,
  meta_description: row.meta_description,
  status: row.status,
  published_at: row.published_at?.toISOString() ?? null,
  scheduled_at: row.scheduled_at?.toISOString() ?? null,
  version: row.version,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/** In whole milliseconds, as records have it. */
export const toDate = (time: string | null): Date | null => (time === null ? null : new Date(time))
