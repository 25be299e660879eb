import type { Mode } from '../caller'
import type { Sql, Tx } from '../db/connect'
import { recordEvent } from '../webhooks/events'

/** Rows removed in one transaction: few enough to hold no lock for long. Articles have events. */
const ARTICLES = 100
const OTHERS = 1_000

/**
 * Finishes projects whose DELETE was answered: removes their articles in batches, each firing
 * `article.deleted`, then rankings, keywords and the project itself (contract 6). Any number of workers
 * may run it at once; one that dies leaves the rest to the next. Answers how many articles it removed.
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
        SELECT id FROM articles WHERE project_id = ${project.id} ORDER BY id LIMIT ${ARTICLES}
      ) RETURNING id`
    const tenant = { accountId: project.account_id, mode: project.mode }
    for (const { id } of articles)
      await recordEvent(tx, tenant, 'article.deleted', { article_id: id, project_id: project.id })
    // The row lock keeps new ones of each out: their foreign key waits for it and then fails.
    if (
      articles.length < ARTICLES &&
      (await removeGenerations(tx, project.id)) &&
      (await removeKeywords(tx, project.id))
    )
      await tx`DELETE FROM projects WHERE id = ${project.id}`
    return articles.length
  }) as Promise<number | 'done'>

/** Removes some of the project's generations, all of them final since it was deleted. True with the last. */
const removeGenerations = async (tx: Tx, projectId: string): Promise<boolean> => {
  const { count } = await tx`
    DELETE FROM generations WHERE id IN (
      SELECT id FROM generations WHERE project_id = ${projectId} LIMIT ${OTHERS}
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
