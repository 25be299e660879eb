/**
 * Pause and resume, for one webhook and for all: nothing is sent, nothing is lost (contract 4.12). Due
 * deliveries wait in the outbox, where no claim takes them; one that waits for its next attempt comes back
 * there when it is due, and its workflow ends. So a pause costs Temporal nothing, however long it is.
 */
import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Actor, Caller } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import type { Webhook } from './schema'
import { getWebhook, lockWebhook } from './store'

/**
 * Pauses or resumes a webhook; what is so already stays as it is, without an audit entry.
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
  // A pause is no time of failing: that begins anew.
  await tx`
    UPDATE webhooks SET paused_at = CASE WHEN ${paused} THEN clock_timestamp() END, failing_since = NULL
    WHERE id = ${id}`
  await recordAudit(tx, auditContextOf(caller), `webhook.${paused ? 'paused' : 'resumed'}`, id)
  return getWebhook(tx, caller, id)
}

/**
 * Pauses or resumes all deliveries of the deployment, with an entry in the audit history of every
 * account. Webhooks that are paused one by one stay so. Answers whether that changed anything.
 */
export const setAllPaused = async (tx: Tx, actor: Actor, paused: boolean): Promise<boolean> => {
  const { count } = await tx`
    UPDATE deployment SET paused_at = CASE WHEN ${paused} THEN clock_timestamp() END
    WHERE (paused_at IS NULL) = ${paused}`
  if (count === 0) return false
  // In the order of their ids, as everyone who locks several.
  await tx`
    UPDATE webhooks SET failing_since = NULL
    WHERE id IN (SELECT id FROM webhooks WHERE failing_since IS NOT NULL ORDER BY id FOR NO KEY UPDATE)`
  await tx`
    INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name)
    SELECT id, ${`deliveries.${paused ? 'paused' : 'resumed'}`}, id,
      ${actor.type}, ${actor.id}, ${actor.name}
    FROM accounts`
  return true
}

/** Puts a delivery that is due, but may not be sent for now, back into the outbox, as a new run. */
export const returnToOutbox = async (sql: Sql, deliveryId: string, run: number): Promise<void> => {
  await sql`
    UPDATE deliveries SET run = run + 1, due_at = clock_timestamp(), check_at = NULL, workflow_due_at = NULL
    WHERE id = ${deliveryId} AND run = ${run} AND status = 'RETRYING'`
}
