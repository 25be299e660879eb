import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller, Tenant } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import type { PageRequest, PageResult } from '../../db/page'
import { invalid, notFound } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { isId } from '../../ids'
import {
  type EventInput,
  recordEvent,
  recordEvents,
  traceEvents,
} from '../../webhooks/events/record'
import { type ContentFilter, readFilteredPage } from '../filter'
import type { Article, ArticleChanges } from './schema'

/** Articles. Each change records its events in the same transaction (contract 6.4, 7.1). */

type ArticleRow = {
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
  mode: string
  created_at: Date
  updated_at: Date
}

export const listArticles = async (
  sql: Sql,
  tenant: Tenant,
  filter: ContentFilter<Article['status']>,
  page: PageRequest,
): Promise<PageResult<Article>> => {
  const list = {
    select: (body: Fragment) => sql`
      SELECT a.id, a.project_id, a.keyword_id, a.title, a.slug, ${body} AS body, a.meta_title, a.meta_description,
        a.status, a.published_at, a.mode, a.created_at, a.updated_at
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

/**
 * Changes an article. Fires `article.updated` with the changed fields, and `article.published` when it becomes
 * PUBLISHED. Publishing and unpublishing are in the audit history. Without a difference it writes and fires nothing. `check` gets the article before the change, and rejects
 * the change by throwing.
 * @throws {DomainError} NOT_FOUND; VALIDATION_ERROR naming `keyword_id` when it is not a keyword of the project.
 */
export const updateArticle = async (
  tx: Tx,
  caller: Caller,
  id: string,
  changes: TypeOf<typeof ArticleChanges>,
  check: (before: Article) => void,
): Promise<Article> => {
  const before = toArticle(await findArticle(tx, caller, id, tx`FOR UPDATE OF a`))
  check(before)
  const wanted = { ...before, ...changes }
  const written = changedFields(before, wanted)
  if (written.length === 0) return before
  if (wanted.keyword_id !== null && written.includes('keyword_id'))
    await checkKeyword(tx, caller, before.project_id, wanted.keyword_id)

  const publishedAt = !written.includes('status')
    ? tx`published_at`
    : wanted.status === 'PUBLISHED'
      ? tx`clock_timestamp()`
      : null
  const [row] = await tx<[ArticleRow]>`
    UPDATE articles SET ${tx(wanted, written)}, published_at = ${publishedAt}, updated_at = clock_timestamp()
    WHERE id = ${id} RETURNING *`
  const article = toArticle(row)
  if (written.includes('status'))
    await recordAudit(
      tx,
      auditContextOf(caller),
      article.status === 'PUBLISHED' ? 'article.published' : 'article.unpublished',
      id,
      { title: article.title },
    )
  const tenant = { accountId: caller.accountId, mode: caller.mode }
  const data = eventData(article)
  const changed = [
    ...written,
    ...(before.published_at === article.published_at ? [] : ['published_at']),
  ]
  const updated: EventInput = { tenant, type: 'article.updated', data: { ...data, changed } }
  const isNowPublished = written.includes('status') && article.status === 'PUBLISHED'
  const fired = isNowPublished
    ? [updated, { tenant, type: 'article.published', data } as const]
    : [updated]
  traceEvents(await recordEvents(tx, fired))
  return article
}

/**
 * Deletes the row of an article and fires `article.deleted`. The audit history has its title.
 * @throws {DomainError} NOT_FOUND
 */
export const deleteArticle = async (
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<{ id: string; deleted: true }> => {
  const { project_id, title } = await findArticle(tx, caller, id, tx`FOR UPDATE OF a`)
  await tx`DELETE FROM articles WHERE id = ${id}`
  await recordAudit(tx, auditContextOf(caller), 'article.deleted', id, { title })
  await recordEvent(tx, caller, 'article.deleted', { article_id: id, project_id })
  return { id, deleted: true }
}

/**
 * Clears `keyword_id` of up to `limit` articles of the keyword, fires `article.updated` for each, and returns their
 * number.
 */
export const clearKeyword = async (
  tx: Tx,
  tenant: Tenant,
  keywordId: string,
  limit: number,
): Promise<number> => {
  const rows = await tx<ArticleRow[]>`
    UPDATE articles SET keyword_id = NULL, updated_at = clock_timestamp() WHERE id IN (
      SELECT id FROM articles WHERE keyword_id = ${keywordId} ORDER BY id LIMIT ${limit} FOR UPDATE
    ) RETURNING *`
  await recordEvents(
    tx,
    rows.map(row => ({
      tenant,
      type: 'article.updated',
      data: { ...eventData(toArticle(row)), changed: ['keyword_id'] },
    })),
  )
  return rows.length
}

const findArticle = async (
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

/**
 * A keyword_id must exist (contract 1.8). Locks the keyword until the commit. Waits for a concurrent deletion, and
 * then does not find the keyword.
 */
const checkKeyword = async (tx: Tx, tenant: Tenant, projectId: string, keywordId: string) => {
  const [found] = isId('kw', keywordId)
    ? await tx`
        SELECT FROM keywords
        WHERE id = ${keywordId} AND project_id = ${projectId}
          AND account_id = ${tenant.accountId} AND mode = ${tenant.mode} AND deleted_at IS NULL
        FOR KEY SHARE`
    : []
  if (found === undefined) throw unknownKeyword()
}

export const unknownKeyword = () =>
  invalid('keyword_id', 'is not the id of a keyword of this project')

const FIELDS = [
  'keyword_id',
  'title',
  'slug',
  'body',
  'meta_title',
  'meta_description',
  'status',
] as const

const changedFields = (before: Article, after: Article) =>
  FIELDS.filter(field => before[field] !== after[field])

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

export const toArticle = (row: ArticleRow): Article => ({
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
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
