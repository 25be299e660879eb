import type { Mode } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { recordEvents } from '../../webhooks/events/record'

/** Rows removed in one transaction: few enough to hold no lock for long. Articles have events. */
const ARTICLES = 100
const OTHERS = 1_000

/**
 * Removes a batch of what hangs on a project whose DELETE was answered: its articles, each firing
 * `article.deleted`, then generations, rankings, keywords and the project itself (contract 6.1). Any number of
 * workers may run it at once; one that dies leaves the rest to the next. False when there is no such
 * project, or others are at all of them.
 */
export const deleteProjectBatch = (sql: Sql): Promise<boolean> =>
  sql.begin(async tx => {
    const [project] = await tx<{ id: string; account_id: string; mode: Mode }[]>`
      SELECT id, account_id, mode FROM projects WHERE deleted_at IS NOT NULL
      ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`
    if (project === undefined) return false
    const articles = await tx<{ id: string }[]>`
      DELETE FROM articles WHERE id IN (
        SELECT id FROM articles WHERE project_id = ${project.id} ORDER BY id LIMIT ${ARTICLES}
        FOR UPDATE
      ) RETURNING id`
    // The row lock keeps new ones of each out: their foreign key waits for it and then fails.
    if (
      articles.length < ARTICLES &&
      (await removeGenerations(tx, project.id)) &&
      (await removeKeywords(tx, project.id))
    )
      await tx`DELETE FROM projects WHERE id = ${project.id}`
    // To the end of the queue: a small project does not wait for a big one.
    else await tx`UPDATE projects SET deleted_at = clock_timestamp() WHERE id = ${project.id}`
    // Last, for it may hold webhooks, and who holds one of these keywords may be waiting for them.
    const tenant = { accountId: project.account_id, mode: project.mode }
    await recordEvents(
      tx,
      articles.map(({ id }) => ({
        tenant,
        type: 'article.deleted',
        data: { article_id: id, project_id: project.id },
      })),
    )
    return true
  }) as Promise<boolean>

/** Removes some of the project's generations, all of them final since it was deleted. True with the last. */
const removeGenerations = async (tx: Tx, projectId: string): Promise<boolean> => {
  const { count } = await tx`
    DELETE FROM generations WHERE id IN (
      SELECT id FROM generations WHERE project_id = ${projectId}
      ORDER BY id LIMIT ${OTHERS} FOR UPDATE
    )`
  return count < OTHERS
}

/** Removes some of the project's rankings, or when few are left its keywords. True with the last. */
const removeKeywords = async (tx: Tx, projectId: string): Promise<boolean> => {
  const rankings = await tx`
    DELETE FROM rankings WHERE id IN (
      SELECT r.id FROM rankings r JOIN keywords k ON k.id = r.keyword_id
      WHERE k.project_id = ${projectId} LIMIT ${OTHERS}
    )`
  if (rankings.count === OTHERS) return false
  const keywords = await tx`
    DELETE FROM keywords WHERE id IN (
      SELECT id FROM keywords WHERE project_id = ${projectId} LIMIT ${OTHERS}
    )`
  return keywords.count < OTHERS
}
