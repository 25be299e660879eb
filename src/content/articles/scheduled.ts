import pLimit from 'p-limit'
import type { Mode, Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import type { Log } from '../../log'
import { updateArticle } from './update'

/** Publication of articles at their `scheduled_at` (contract 6.14). */

/** Articles in one call, and those published at a time. */
const BATCH_SIZE = 100
const CONCURRENCY = 4

const ARDEN = { type: 'system', id: 'arden', name: 'Arden' } as const

type DueArticle = { id: string; accountId: string; mode: Mode }

/** `nextInMs`: when the next article is due, 0 where more are due already, null where none is scheduled. */
export type Publication = { published: number; failed: number; nextInMs: number | null }

/**
 * Publishes up to 100 articles whose time has come; accounts take turns. Each in a transaction of its own, so that a
 * lock of one account delays no other: one that fails is logged, and due again. Any number of calls may run at a time.
 */
export const publishDue = async (
  sql: Sql,
  log: Log,
  published: (tenant: Tenant) => void,
): Promise<Publication> => {
  const due = await sql<DueArticle[]>`
    SELECT id, account_id AS "accountId", mode FROM (
      SELECT a.id, a.account_id, a.mode, a.scheduled_at,
        row_number() OVER (PARTITION BY a.account_id ORDER BY a.scheduled_at, a.id) AS turn
      FROM articles a JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
      WHERE a.scheduled_at <= clock_timestamp()
    ) AS due
    ORDER BY turn, scheduled_at LIMIT ${BATCH_SIZE}`
  const inTurn = pLimit(CONCURRENCY)
  const results = await Promise.all(
    due.map(article => inTurn(() => publishOne(sql, log, article, published))),
  )
  const failed = results.filter(result => result === 'failed').length
  return {
    published: results.filter(result => result === 'published').length,
    failed,
    nextInMs: due.length === BATCH_SIZE && failed === 0 ? 0 : await nextInMs(sql),
  }
}

const publishOne = async (
  sql: Sql,
  log: Log,
  { id, accountId, mode }: DueArticle,
  published: (tenant: Tenant) => void,
): Promise<'published' | 'not due' | 'failed'> => {
  const tenant = { accountId, mode }
  try {
    const isPublished = await sql.begin(async transaction => {
      const tx = transaction as Tx
      // Locked and read again: it can have been published, changed or deleted meanwhile.
      const [isDue] = await tx`
        SELECT FROM articles WHERE id = ${id} AND scheduled_at <= clock_timestamp() FOR UPDATE`
      if (isDue === undefined) return false
      const editor = { ...tenant, actor: ARDEN, address: null }
      await updateArticle(tx, editor, id, { status: 'PUBLISHED' }, () => {})
      return true
    })
    if (isPublished) published(tenant)
    return isPublished ? 'published' : 'not due'
  } catch (error) {
    log.warn(
      { err: error, article_id: id },
      'A scheduled article could not be published. It is tried again within a minute.',
    )
    return 'failed'
  }
}

const nextInMs = async (sql: Sql): Promise<number | null> => {
  const [row] = await sql<[{ ms: number | null }]>`
    SELECT (extract(epoch FROM min(a.scheduled_at) - clock_timestamp()) * 1000)::float8 AS ms
    FROM articles a WHERE a.scheduled_at > clock_timestamp()`
  return row.ms === null ? null : Math.max(0, Math.ceil(row.ms))
}
