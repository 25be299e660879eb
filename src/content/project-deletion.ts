import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../caller'
import type { Sql } from '../db/connect'
import { recordEvent } from '../webhooks/events'

/** Articles removed in one transaction: small enough to hold no lock for long. */
const BATCH = 100

/** Between looks for deleted projects, in ms: their articles are hidden already. */
const EVERY_MS = 1_000

/** Finishes deletions until `signal`. A database that is away is waited for. */
export const runProjectDeletions = async (sql: Sql, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await finishProjectDeletions(sql).catch(() => 0)
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Finishes projects whose DELETE was answered: removes their articles in batches, each firing
 * `article.deleted`, then keywords and the project itself (contract 6). Any number of workers may run
 * it at once; one that dies leaves the rest to the next. Answers how many articles it removed.
 */
export const finishProjectDeletions = async (sql: Sql): Promise<number> => {
  let removed = 0
  for (let batch = await removeBatch(sql); batch !== 'done'; batch = await removeBatch(sql))
    removed += batch
  return removed
}

const removeBatch = (sql: Sql): Promise<number | 'done'> =>
  sql.begin(async tx => {
    const [project] = await tx<{ id: string; account_id: string; mode: Mode }[]>`
      SELECT id, account_id, mode FROM projects WHERE deleted_at IS NOT NULL
      ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`
    if (project === undefined) return 'done'
    const articles = await tx<{ id: string }[]>`
      DELETE FROM articles WHERE id IN (
        SELECT id FROM articles WHERE project_id = ${project.id} ORDER BY id LIMIT ${BATCH}
      ) RETURNING id`
    const tenant = { accountId: project.account_id, mode: project.mode }
    for (const { id } of articles)
      await recordEvent(tx, tenant, 'article.deleted', { article_id: id, project_id: project.id })
    if (articles.length < BATCH) {
      // The row lock keeps new articles out: their foreign key waits for it and then fails.
      await tx`DELETE FROM keywords WHERE project_id = ${project.id}`
      await tx`DELETE FROM projects WHERE id = ${project.id}`
    }
    return articles.length
  }) as Promise<number | 'done'>
