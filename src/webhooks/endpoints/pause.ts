/**
 * Pause and resume, of one webhook or of all (contract 4.12). Due deliveries stay in the queue, where no claim takes
 * them. A delivery that waits for its next attempt returns to the queue when that is due, and its workflow completes:
 * a pause costs Temporal nothing, however long it lasts.
 */
import { auditContextOf, recordAudit, recordInAllAccounts } from '../../accounts/audit'
import type { Actor, Caller } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { announceWebhook } from '../queue/changes'
import type { Webhook } from './schema'
import { getWebhook, lockWebhook } from './store'

/**
 * Pauses or resumes a webhook. Without a change there is no audit entry.
 * @throws {DomainError} NOT_FOUND.
 */
export const setPaused = async (
  tx: Tx,
  caller: Caller,
  id: string,
  paused: boolean,
): Promise<Webhook> => {
  const before = await lockWebhook(tx, caller, id)
  if (before.paused === paused) return before
  // The count of automatic disabling restarts (contract 4.13).
  await tx`
    UPDATE webhooks SET paused_at = CASE WHEN ${paused} THEN clock_timestamp() END,
      failing_since = NULL, updated_at = clock_timestamp()
    WHERE id = ${id}`
  if (!paused) await announceWebhook(tx, { accountId: caller.accountId, webhookId: id })
  await recordAudit(tx, auditContextOf(caller), `webhook.${paused ? 'paused' : 'resumed'}`, id)
  return getWebhook(tx, caller, id)
}

/** Whether all deliveries of the deployment are paused. */
export const areDeliveriesPaused = async (sql: Sql): Promise<boolean> => {
  const rows = await sql`SELECT FROM deployment WHERE paused_at IS NOT NULL`
  return rows.length > 0
}

/**
 * Pauses or resumes all deliveries of the deployment, then writes an audit entry in every account. The pause is a
 * commit of its own, of one row: it waits for nothing else. Webhooks that are paused individually stay paused. Returns
 * whether anything changed.
 */
export const setAllPaused = async (sql: Sql, actor: Actor, paused: boolean): Promise<boolean> => {
  const { count } = await sql`
    UPDATE deployment SET pause_changed_at = clock_timestamp(),
      paused_at = CASE WHEN ${paused} THEN clock_timestamp() END
    WHERE (paused_at IS NULL) = ${paused}`
  if (count === 0) return false
  await recordInAllAccounts(sql, actor, `deliveries.${paused ? 'paused' : 'resumed'}`)
  return true
}
