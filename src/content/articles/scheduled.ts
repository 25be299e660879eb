import pLimit from 'p-limit'
import type { Mode, Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import type { Log } from '../../log'
import { updateArticle } from './update'

/** Publication of articles at their `scheduled_at` (contract 6.14). */

/** Articles in one call, and accounts whose articles are published at a time. */
const BATCH_SIZE = 100
const CONCURRENCY = 4
/**
 * How long an article waits for a lock, such as that of an ordered webhook, in ms, and failures of an account in one
 * call: other accounts wait with it.
 */
const LOCK_TIMEOUT_MS = 2_000
const FAILURES_MAX = 3

const ARDEN = { type: 'system', id: 'arden', name: 'Arden' } as const

type DueArticle = { id: string; accountId: string; mode: Mode }

/** `nextInMs`: when the next article is due, 0 where more are due already, null where none is scheduled. */
export type Publication = { published: number; failed: number; nextInMs: number | null }

/**
 * Publishes up to 100 articles whose time has come; accounts take turns. Each in a transaction of its own: one that fails
 * is logged, and due again. After three of an account its others wait for the next call, so that its locks delay no other
 * account for long. Any number of calls may run at a time.
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
  const byAccount = Map.groupBy(due, ({ accountId }) => accountId)
  const results = (
    await Promise.all(
      [...byAccount.values()].map(own => inTurn(() => publishInTurn(sql, log, own, published))),
    )
  ).flat()
  const count = (wanted: Result) => results.filter(result => result === wanted).length
  const [done, failed] = [count('published'), count('failed')]
  return {
    published: done,
    failed,
    nextInMs: due.length === BATCH_SIZE && done > 0 ? 0 : await nextInMs(sql),
  }
}

type Result = 'published' | 'not due' | 'failed'

/** The articles of one account, one after the other. */
const publishInTurn = async (
  sql: Sql,
  log: Log,
  articles: readonly DueArticle[],
  published: (tenant: Tenant) => void,
): Promise<Result[]> => {
  const results: Result[] = []
  for (const article of articles) {
    const result = await publishOne(sql, log, article, published)
    results.push(result)
    if (results.filter(one => one === 'failed').length === FAILURES_MAX) break
  }
  return results
}

const publishOne = async (
  sql: Sql,
  log: Log,
  { id, accountId, mode }: DueArticle,
  published: (tenant: Tenant) => void,
): Promise<Result> => {
  const tenant = { accountId, mode }
  try {
    const isPublished = await sql.begin(async transaction => {
      const tx = transaction as Tx
      await tx`SELECT set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`
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
