/**
 * Which webhooks are slow: their last answer took all of its time, or never came. Each of their deliveries
 * holds a slot for that long, so they get one at a time (design, "Fair to neighbours").
 */
import type { Fragment, Sql } from '../db/connect'
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
  if (durationMs >= SLOW_MS)
    return sql`INSERT INTO slow_webhooks (webhook_id) ${webhook} ON CONFLICT DO NOTHING`
  if (delivered) return sql`DELETE FROM slow_webhooks WHERE webhook_id = (${webhook})`
  return webhook
}
