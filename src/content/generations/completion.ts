import type { Sql, Tx } from '../../db/connect'
import { DomainError } from '../../errors'
import type { Job } from '../../outbox/outbox'
import { returnToQuota } from '../../usage/store'
import { recordEvent } from '../../webhooks/events/record'
import { createArticle } from '../articles/insert'
import { rewriteArticle } from '../articles/rewrite'
import { eventData, failLocked, type LockedGeneration, lockRunning, tenantOf } from './transitions'

type WrittenArticle = {
  title: string
  slug: string
  body: string
  meta_title: string | null
  meta_description: string | null
}

/**
 * Creates the draft article, or gives the article that is written anew its text, and sets COMPLETED in one transaction
 * with the event of the article and `generation.completed` (contract 6.6). An offline draft that was taken from the
 * quota is returned to it. The texts of the steps are deleted: the article has them. FAILED when the article that is
 * written anew was changed or deleted meanwhile. Returns undefined when the generation is not RUNNING, and does nothing.
 */
export const completeGeneration = async (
  sql: Sql,
  { id, run }: Job,
  article: WrittenArticle,
  { isOffline }: { isOffline: boolean },
): Promise<'COMPLETED' | 'FAILED' | undefined> =>
  await sql.begin(async transaction => {
    const tx = transaction as Tx
    // The keyword before the generation, in the lock order of a deletion.
    await tx`
      SELECT FROM keywords WHERE id = (SELECT keyword_id FROM generations WHERE id = ${id})
      FOR KEY SHARE`
    const row = await lockRunning(tx, { id, run })
    if (row === undefined) return undefined
    const articleId = await storeArticle(tx, row, article)
    if (articleId === undefined) {
      await failLocked(tx, row, ARTICLE_CHANGED)
      return 'FAILED'
    }
    await tx`
      UPDATE generations
      SET status = 'COMPLETED', progress = 100, article_id = ${articleId}, offline_draft = ${isOffline},
        finished_at = clock_timestamp(), due_at = NULL, check_at = NULL
      WHERE id = ${id}`
    await tx`
      UPDATE generation_steps
      SET text = NULL, status = 'COMPLETED', started_at = coalesce(started_at, clock_timestamp()),
        finished_at = coalesce(finished_at, clock_timestamp())
      WHERE generation_id = ${id}`
    if (isOffline && !row.offline_draft) await returnToQuota(tx, tenantOf(row), [row.queued_at])
    return 'COMPLETED'
  })

const ARTICLE_CHANGED = {
  code: 'article_changed',
  message:
    'The article was changed or deleted while its new text was written. The steps of the generation have that text; a retry replaces a changed article with it.',
} as const

/** Its id; undefined when it was changed or deleted meanwhile. */
const storeArticle = async (
  tx: Tx,
  row: LockedGeneration,
  { slug, ...text }: WrittenArticle,
): Promise<string | undefined> => {
  const { id, project_id, keyword_id, article_id, article_version } = row
  const tenant = tenantOf(row)
  const writer = { ...tenant, actor: { type: 'generation' as const, id, name: 'Generation' } }
  const completed = (article_id: string) => ({
    ...eventData(row),
    article_id,
    status: 'COMPLETED' as const,
  })
  if (article_id === null || article_version === null) {
    const input = { project_id, keyword_id, slug, ...text }
    const created = await createArticle(tx, writer, input, article_id => ({
      tenant,
      type: 'generation.completed',
      data: completed(article_id),
    }))
    return created.id
  }
  try {
    await rewriteArticle(tx, writer, article_id, article_version, text)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
  await recordEvent(tx, tenant, 'generation.completed', completed(article_id))
  return article_id
}
