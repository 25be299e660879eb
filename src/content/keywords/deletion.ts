import type { Mode, Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { clearKeyword } from '../articles/store'
import { cancelGenerations } from '../generations/store'
import { findKeyword } from './store'

/** Rows of each kind removed or changed in one transaction: small enough to hold no lock for long. */
const ARTICLES = 100
const OTHERS = 1_000

/**
 * Hides the keyword at once, cancels its generations and clears `keyword_id` on its articles, each firing
 * `article.updated` (contract 6.2). What is too much for one transaction, `removeFromKeyword` in the worker
 * does.
 * @throws {DomainError} NOT_FOUND
 */
export const deleteKeyword = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<{ id: string; deleted: true }> => {
  // Keeps new articles and generations out: they share a lock on the keyword until they commit.
  await findKeyword(tx, tenant, id, tx`FOR UPDATE OF k`)
  await tx`UPDATE keywords SET deleted_at = clock_timestamp() WHERE id = ${id}`
  await cancelGenerations(tx, { keyword_id: id })
  await removeSome(tx, tenant, id)
  return { id, deleted: true }
}

/**
 * Takes a batch of what hangs on a keyword whose DELETE was answered and that has more than it could take
 * with it. Any number of workers may run it at once. False when there is none, or others are at all of them.
 */
export const deleteKeywordBatch = (sql: Sql): Promise<boolean> =>
  sql.begin(async tx => {
    // Those of a deleted project go with it, and their articles without an event for this.
    const [keyword] = await tx<{ id: string; account_id: string; mode: Mode }[]>`
      SELECT k.id, k.account_id, k.mode FROM keywords k
      JOIN projects p ON p.id = k.project_id AND p.deleted_at IS NULL
      WHERE k.deleted_at IS NOT NULL
      ORDER BY k.deleted_at LIMIT 1 FOR UPDATE OF k SKIP LOCKED`
    if (keyword === undefined) return false
    await removeSome(tx, { accountId: keyword.account_id, mode: keyword.mode }, keyword.id)
    return true
  }) as Promise<boolean>

/** Takes what hangs on the keyword, and with the last of it the keyword itself. */
const removeSome = async (tx: Tx, tenant: Tenant, id: string): Promise<void> => {
  const cleared = await clearKeyword(tx, tenant, id, ARTICLES)
  const rankings = await tx`
    DELETE FROM rankings WHERE id IN (
      SELECT id FROM rankings WHERE keyword_id = ${id} LIMIT ${OTHERS}
    )`
  const generations = await tx`
    UPDATE generations SET keyword_id = NULL WHERE id IN (
      SELECT id FROM generations WHERE keyword_id = ${id}
      ORDER BY id LIMIT ${OTHERS} FOR NO KEY UPDATE
    )`
  if (cleared < ARTICLES && rankings.count < OTHERS && generations.count < OTHERS)
    await tx`DELETE FROM keywords WHERE id = ${id}`
  // To the end of the queue: a small keyword does not wait for a big one.
  else await tx`UPDATE keywords SET deleted_at = clock_timestamp() WHERE id = ${id}`
}
