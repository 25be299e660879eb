/**
 * Which webhooks are slow: their last answer took all of its time, or never came. Each of their deliveries
 * holds a slot for that long, so they get one at a time (design, "Fair to neighbours").
 */
import type { Fragment, Sql, Tx } from '../db/connect'
import { ANSWER_TIMEOUT_MS } from './retry-schedule'

/** Timers are not exact; and an answer of 29 s is as bad for the others as none. In ms. */
const SLOW_MS = 0.95 * ANSWER_TIMEOUT_MS

/**
 * SQL that keeps `slow_webhooks` after an attempt for the webhook that the query `webhook` names, if it names
 * one. Slow by one time-out, quick again by one delivery; writes only where that changes.
 */
export const keepSlow = (
  sql: Sql,
  { durationMs, delivered }: { durationMs: number; delivered: boolean },
  webhook: Fragment,
): Fragment => {
  // What waits for one that is disabled or deleted ends without a request, and need not take turns.
  if (durationMs >= SLOW_MS)
    return sql`
      INSERT INTO slow_webhooks (webhook_id)
      SELECT id FROM webhooks WHERE id = (${webhook}) AND enabled AND deleted_at IS NULL
      ON CONFLICT DO NOTHING`
  if (delivered) return sql`DELETE FROM slow_webhooks WHERE webhook_id = (${webhook})`
  return webhook
}

/**
 * A webhook with another URL has not been slow yet, and with one that is disabled or deleted it does not matter.
 * Whoever holds the row at this moment is removing it, too, and may be waiting for what we hold.
 */
export const forgetSlow = async (tx: Tx, webhookId: string): Promise<void> => {
  await tx`
    DELETE FROM slow_webhooks WHERE webhook_id IN (
      SELECT webhook_id FROM slow_webhooks WHERE webhook_id = ${webhookId} FOR UPDATE SKIP LOCKED
    )`
}
