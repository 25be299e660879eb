import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller, Mode } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { recordEvents } from '../../webhooks/events/record'
import { ARTICLE_BATCH, ROW_BATCH, VERSION_BATCH } from '../deletion-batches'
import { cancelNewestGenerations, cancelOldestGenerations } from '../generations/cancellation'
import type { Project } from './schema'
import { lockProject, measureProject } from './store'

/**
 * Hides the project and its records and cancels its generations. `deleteProjectBatch` then deletes the rows in the
 * background, and cancels those of very many generations that are left (contract 6.1, 6.9). The audit
 * history has its name and size. `check` gets the project before, and throws if it must not be deleted.
 * @throws {DomainError} NOT_FOUND
 */
export const deleteProject = async (
  tx: Tx,
  caller: Caller,
  id: string,
  check: (before: Project) => void,
): Promise<{ id: string; deleted: true }> => {
  const project = await lockProject(tx, caller, id)
  check(project)
  const size = await measureProject(tx, caller, id)
  await tx`UPDATE projects SET deleted_at = clock_timestamp() WHERE id = ${id} AND deleted_at IS NULL`
  await cancelNewestGenerations(tx, { project_id: id })
  await recordAudit(tx, auditContextOf(caller), 'project.deleted', id, {
    name: project.name,
    ...size,
  })
  return { id, deleted: true }
}

/**
 * Deletes a batch of the records of one hidden project: its articles with `article.deleted`, then generations,
 * rankings, keywords and the project. Several workers can run it concurrently. Returns false when there is no hidden
 * project, or other workers have locked all of them.
 */
export const deleteProjectBatch = (sql: Sql): Promise<boolean> =>
  sql.begin(async tx => {
    const [project] = await tx<{ id: string; account_id: string; mode: Mode }[]>`
      SELECT id, account_id, mode FROM projects WHERE deleted_at IS NOT NULL
      ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`
    if (project === undefined) return false
    const isWithoutVersions = await deleteVersions(tx, project.id)
    const articles = isWithoutVersions
      ? await tx<{ id: string }[]>`
          DELETE FROM articles WHERE id IN (${firstArticles(tx, project.id)}) RETURNING id`
      : []
    // The row lock blocks inserts of the project's records: their foreign key waits for it and then fails.
    if (
      isWithoutVersions &&
      articles.length < ARTICLE_BATCH &&
      (await deleteGenerations(tx, project.id)) &&
      (await deleteKeywords(tx, project.id))
    )
      await tx`DELETE FROM projects WHERE id = ${project.id}`
    // To the end of the queue, so that a small project does not wait for a large one.
    else await tx`UPDATE projects SET deleted_at = clock_timestamp() WHERE id = ${project.id}`
    // Last, because it can lock webhooks: a transaction that locked one of the keywords may wait for these.
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

/** The articles of the next batch. */
const firstArticles = (tx: Tx, projectId: string) => tx`
  SELECT id FROM articles WHERE project_id = ${projectId} ORDER BY id LIMIT ${ARTICLE_BATCH} FOR UPDATE`

/** Deletes a batch of the versions of these articles. True with the last one. */
const deleteVersions = async (tx: Tx, projectId: string): Promise<boolean> => {
  const { count } = await tx`
    WITH article AS MATERIALIZED (${firstArticles(tx, projectId)})
    DELETE FROM article_versions WHERE (article_id, version) IN (
      SELECT v.article_id, v.version FROM article CROSS JOIN LATERAL (
        SELECT article_id, version FROM article_versions WHERE article_id = article.id OFFSET 0
      ) v LIMIT ${VERSION_BATCH}
    )`
  return count < VERSION_BATCH
}

/** Deletes a batch of the project's generations, and cancels those that are open. True with the last one. */
const deleteGenerations = async (tx: Tx, projectId: string): Promise<boolean> => {
  await cancelOldestGenerations(tx, { project_id: projectId }, ROW_BATCH)
  const { count } = await tx`
    DELETE FROM generations WHERE id IN (
      SELECT id FROM generations WHERE project_id = ${projectId}
      ORDER BY id LIMIT ${ROW_BATCH} FOR UPDATE
    )`
  return count < ROW_BATCH
}

/** Deletes a batch of the project's rankings, after the last ones its keywords. True with the last keyword. */
const deleteKeywords = async (tx: Tx, projectId: string): Promise<boolean> => {
  const rankings = await tx`
    DELETE FROM rankings WHERE id IN (
      SELECT r.id FROM rankings r JOIN keywords k ON k.id = r.keyword_id
      WHERE k.project_id = ${projectId} LIMIT ${ROW_BATCH}
    )`
  if (rankings.count === ROW_BATCH) return false
  const keywords = await tx`
    DELETE FROM keywords WHERE id IN (
      SELECT id FROM keywords WHERE project_id = ${projectId} LIMIT ${ROW_BATCH}
    )`
  return keywords.count < ROW_BATCH
}
