/**
 * Which webhooks are slow: their last answer took all of its time, or never came. Each of their deliveries holds
 * a slot for that long, so they get one at a time (docs/architecture.md, "Tenant isolation"). Slow by one
 * time-out, quick again by one delivery: `record_attempts` keeps it.
 */
import type { Tx } from '../../db/connect'
import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'

/** Timers are not exact; and an answer of 29 s is as bad for the others as none. In ms. */
export const SLOW_RESPONSE_MS = 0.95 * RESPONSE_TIMEOUT_MS

/**
 * A webhook with another URL has not been slow yet, and with one that is disabled or deleted it does not matter.
 * Whoever holds the row at this moment is removing it, too, and may be waiting for what we hold.
 */
export const clearSlow = async (tx: Tx, webhookId: string): Promise<void> => {
  await tx`
    DELETE FROM slow_webhooks WHERE webhook_id IN (
      SELECT webhook_id FROM slow_webhooks WHERE webhook_id = ${webhookId} FOR UPDATE SKIP LOCKED
    )`
}
