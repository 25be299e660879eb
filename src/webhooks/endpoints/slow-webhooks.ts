/**
 * Slow webhooks, in the table `slow_webhooks`: one that timed out gets a single delivery at a time, until one is
 * recorded in time (docs/architecture.md, "Tenant isolation"). `record_attempts` maintains the table.
 */
import type { Tx } from '../../db/connect'
import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'

/** Responses from this time on count as a time-out: they occupy a slot just as long, and timers are inexact. In ms. */
export const SLOW_RESPONSE_MS = 0.95 * RESPONSE_TIMEOUT_MS

/**
 * Clears the mark of a webhook that gets another URL, is disabled or is deleted. Skips a locked row: the process that
 * locked it deletes it as well, and could be waiting for a lock of this transaction.
 */
export const clearSlow = async (tx: Tx, webhookId: string): Promise<void> => {
  await tx`
    DELETE FROM slow_webhooks WHERE webhook_id IN (
      SELECT webhook_id FROM slow_webhooks WHERE webhook_id = ${webhookId} FOR UPDATE SKIP LOCKED
    )`
}
