import { type AuditContext, recordAudit } from '../../accounts/audit'
import type { Mode, Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { clearKeyword } from '../articles/update'
import { ARTICLE_BATCH, ROW_BATCH } from '../deletion-batches'
import { cancelNewestGenerations, cancelOldestGenerations } from '../generations/cancellation'
import { toKeyword } from './row'
import type { Keyword } from './schema'
import { findKeyword } from './store'

/**
 * Hides the keyword, cancels its generations, and clears `keyword_id` of its articles with `article.updated` for each.
 * The audit history has its text. `check` gets the keyword before, and throws if it must not be deleted.
 * `deleteKeywordBatch` processes further rows in the background (contract 6.2, 6.9).
 * @throws {DomainError} NOT_FOUND
 */
export const deleteKeyword = async (
  tx: Tx,
  by: Tenant & AuditContext,
  id: string,
  check: (before: Keyword) => void,
): Promise<{ id: string; deleted: true }> => {
  // Inserts of articles and generations share-lock the keyword, so none of them commits after this.
  const row = await findKeyword(tx, by, id, tx`FOR UPDATE OF k`)
  check(toKeyword(row))
  await tx`UPDATE keywords SET deleted_at = clock_timestamp() WHERE id = ${id}`
  await cancelNewestGenerations(tx, { keyword_id: id })
  await recordAudit(tx, by, 'keyword.deleted', id, { keyword: row.keyword })
  await deleteKeywordRows(tx, { accountId: by.accountId, mode: by.mode }, id)
  return { id, deleted: true }
}

/**
 * Processes a batch of the records of one hidden keyword. Several workers can run it concurrently. Returns false when
 * there is no hidden keyword, or other workers have locked all of them.
 */
export const deleteKeywordBatch = (sql: Sql): Promise<boolean> =>
  sql.begin(async tx => {
    // Not those of a hidden project: `deleteProjectBatch` deletes them, without `article.updated`.
    const [keyword] = await tx<{ id: string; account_id: string; mode: Mode }[]>`
      SELECT k.id, k.account_id, k.mode FROM keywords k
      JOIN projects p ON p.id = k.project_id AND p.deleted_at IS NULL
      WHERE k.deleted_at IS NOT NULL
      ORDER BY k.deleted_at LIMIT 1 FOR UPDATE OF k SKIP LOCKED`
    if (keyword === undefined) return false
    await deleteKeywordRows(tx, { accountId: keyword.account_id, mode: keyword.mode }, keyword.id)
    return true
  }) as Promise<boolean>

/**
 * Clears or deletes a batch of each kind of record of the keyword, and with the last ones the keyword. Open generations
 * are cancelled.
 */
const deleteKeywordRows = async (tx: Tx, tenant: Tenant, id: string): Promise<void> => {
  const cleared = await clearKeyword(tx, tenant, id, ARTICLE_BATCH)
  const rankings = await tx`
    DELETE FROM rankings WHERE id IN (
      SELECT id FROM rankings WHERE keyword_id = ${id} LIMIT ${ROW_BATCH}
    )`
  await cancelOldestGenerations(tx, { keyword_id: id }, ROW_BATCH)
  const generations = await tx`
    UPDATE generations SET keyword_id = NULL WHERE id IN (
      SELECT id FROM generations WHERE keyword_id = ${id}
      ORDER BY id LIMIT ${ROW_BATCH} FOR NO KEY UPDATE
    )`
  if (cleared < ARTICLE_BATCH && rankings.count < ROW_BATCH && generations.count < ROW_BATCH)
    await tx`DELETE FROM keywords WHERE id = ${id}`
  // To the end of the queue, so that a small keyword does not wait for a large one.
  else await tx`UPDATE keywords SET deleted_at = clock_timestamp() WHERE id = ${id}`
}
