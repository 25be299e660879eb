import { type AuditContext, recordAudit } from '../../accounts/audit'
import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import type { TypeOf } from '../../http/schema'
import { isId } from '../../ids'
import {
  type EventInput,
  recordEvent,
  recordEvents,
  traceEvents,
} from '../../webhooks/events/record'
import type { Article, ArticleChanges } from './schema'
import {
  type ArticleRow,
  checkSchedule,
  eventData,
  findArticle,
  toArticle,
  toDate,
  unknownKeyword,
} from './store'
import { changedFields, getVersion, startVersion, type VersionCause } from './versions'

/** Changes of articles. Each records its events in the same transaction (contract 6.4, 7.1). */

/** The tenant of an article, and who changes it: a `Caller`, or Arden itself. */
export type Editor = Tenant & AuditContext

/**
 * Changes an article. Fires `article.updated` with the changed fields, and `article.published` when it becomes
 * PUBLISHED. Without a difference it writes and fires nothing. Some changes are in the audit history. `check` gets the article before the change, and rejects the change by throwing.
 * @throws {DomainError} NOT_FOUND; VALIDATION_ERROR naming `keyword_id` when it is not a keyword of the project.
 */
export const updateArticle = async (
  tx: Tx,
  editor: Editor,
  id: string,
  changes: TypeOf<typeof ArticleChanges>,
  check: (before: Article) => void,
  cause: VersionCause = {},
): Promise<Article> => {
  const row = await findArticle(tx, editor, id, tx`FOR UPDATE OF a`)
  check(toArticle(row))
  return changeArticle(tx, editor, row, changes, cause)
}

/**
 * Gives an article the text of one of its versions, as a new version. The rest is as for `updateArticle`.
 * @throws {DomainError} NOT_FOUND
 */
export const restoreVersion = async (
  tx: Tx,
  editor: Editor,
  id: string,
  version: number,
  check: (before: Article) => void,
): Promise<Article> => {
  const row = await findArticle(tx, editor, id, tx`FOR UPDATE OF a`)
  check(toArticle(row))
  const { title, body, meta_title, meta_description } = await getVersion(tx, editor, id, version)
  return changeArticle(
    tx,
    editor,
    row,
    { title, body, meta_title, meta_description },
    {
      restoredFrom: version,
    },
  )
}

const changeArticle = async (
  tx: Tx,
  editor: Editor,
  before: ArticleRow,
  changes: TypeOf<typeof ArticleChanges>,
  cause: VersionCause,
): Promise<Article> => {
  const { id } = before
  const { scheduled_at: requested, ...fields } = changes
  const wanted = { ...before, ...fields }
  const isNewStatus = wanted.status !== before.status
  const scheduledAt = requested === undefined ? before.scheduled_at : toDate(requested)
  // A change of the status cancels what is scheduled.
  wanted.scheduled_at = isNewStatus && requested === undefined ? null : scheduledAt
  checkSchedule(wanted.status, wanted.scheduled_at)
  const written = FIELDS.filter(field => !isSame(before[field], wanted[field]))
  if (written.length === 0) return toArticle(before)
  if (wanted.keyword_id !== null && written.includes('keyword_id'))
    await checkKeyword(tx, editor, before.project_id, wanted.keyword_id)
  const isNewText = changedFields(before, wanted).length > 0
  const version = isNewText ? await startVersion(tx, before, wanted, editor, cause) : undefined
  const publishedAt = !isNewStatus
    ? tx`published_at`
    : wanted.status === 'PUBLISHED'
      ? tx`clock_timestamp()`
      : null
  const [row] = await tx<[ArticleRow]>`
    UPDATE articles SET ${tx({
      ...Object.fromEntries(written.map(field => [field, wanted[field]])),
      ...version,
      // A text that was published stays a version.
      ...(isNewStatus && { version_open_until: null }),
    })},
      ${version === undefined ? tx`` : tx`version_at = clock_timestamp(),`}
      published_at = ${publishedAt}, updated_at = clock_timestamp()
    WHERE id = ${id} RETURNING *`
  const article = toArticle(row)
  const { title, scheduled_at } = article
  if (isNewStatus) {
    const action = article.status === 'PUBLISHED' ? 'article.published' : 'article.unpublished'
    await recordAudit(tx, editor, action, id, { title })
  } else if (written.includes('scheduled_at')) {
    const action = scheduled_at === null ? 'article.unscheduled' : 'article.scheduled'
    await recordAudit(tx, editor, action, id, { title, ...(scheduled_at && { scheduled_at }) })
  }
  if (written.includes('slug') && before.status === 'PUBLISHED')
    await recordAudit(tx, editor, 'article.slug_changed', id, {
      title,
      slug: { from: before.slug, to: article.slug },
    })
  const tenant = { accountId: editor.accountId, mode: editor.mode }
  const data = eventData(article)
  const changed = [...written, ...(isNewStatus ? ['published_at'] : [])]
  const updated: EventInput = { tenant, type: 'article.updated', data: { ...data, changed } }
  const fired =
    isNewStatus && article.status === 'PUBLISHED'
      ? [updated, { tenant, type: 'article.published', data } as const]
      : [updated]
  traceEvents(await recordEvents(tx, fired))
  return article
}

/**
 * Deletes the row of an article and fires `article.deleted`. The audit history has its title. `check` gets the article
 * before, and throws if it must not be deleted.
 * @throws {DomainError} NOT_FOUND
 */
export const deleteArticle = async (
  tx: Tx,
  editor: Editor,
  id: string,
  check: (before: Article) => void,
): Promise<{ id: string; deleted: true }> => {
  const row = await findArticle(tx, editor, id, tx`FOR UPDATE OF a`)
  check(toArticle(row))
  const { project_id, title } = row
  await tx`DELETE FROM articles WHERE id = ${id}`
  await recordAudit(tx, editor, 'article.deleted', id, { title })
  await recordEvent(tx, editor, 'article.deleted', { article_id: id, project_id })
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

const FIELDS = [
  'keyword_id',
  'title',
  'slug',
  'body',
  'meta_title',
  'meta_description',
  'status',
  'scheduled_at',
] as const

const isSame = (before: unknown, wanted: unknown): boolean =>
  before instanceof Date && wanted instanceof Date
    ? before.getTime() === wanted.getTime()
    : before === wanted
