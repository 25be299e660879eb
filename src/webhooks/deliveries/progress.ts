import type { Sql } from '../../db/connect'
import { isWorkerAlive } from '../../temporal/heartbeat'
import { KIND } from '../queue/entry'

/**
 * What a delivery that is not final does now, beyond its record:
 * - under_way: its request is being sent, or waits for the response
 * - all_paused, paused: it waits until all deliveries, or those of its webhook, are resumed
 * - order: it waits for an earlier delivery of an ordered webhook
 * - no_worker: no worker runs that could send it
 * - scheduled: its time has not come yet
 * - slow_webhook: it is due, and its webhook gets one delivery at a time
 * - turn: it is due, and waits for its turn or for the share of its account
 */
export type DeliveryProgress =
  | 'under_way'
  | 'all_paused'
  | 'paused'
  | 'order'
  | 'no_worker'
  | 'scheduled'
  | 'slow_webhook'
  | 'turn'

type State = {
  kind: number
  isClaimed: boolean
  isScheduled: boolean
  isPaused: boolean
  areAllPaused: boolean
  isSlow: boolean
  hasWorker: boolean
}

/** Null for a final delivery. */
export const findProgress = async (
  sql: Sql,
  { id, waits_for }: { id: string; waits_for: string | null },
): Promise<DeliveryProgress | null> => {
  const [state] = await sql<[State?]>`
    SELECT q.kind, q.claimer IS NOT NULL AS "isClaimed",
      coalesce(d.next_attempt_at > clock_timestamp(), false) AS "isScheduled",
      w.paused AS "isPaused", (SELECT paused_at IS NOT NULL FROM deployment) AS "areAllPaused",
      EXISTS (SELECT FROM slow_webhooks s WHERE s.webhook_id = w.id) AS "isSlow",
      EXISTS (SELECT FROM workers WHERE ${isWorkerAlive(sql)}) AS "hasWorker"
    FROM deliveries d
    JOIN webhook_states w ON w.id = d.webhook_id
    JOIN delivery_queue q ON q.account_id = d.account_id AND q.webhook_id = d.webhook_id
      AND q.kind = ANY (${Object.values(KIND)}) AND q.sequence = coalesce(d.sequence, 0)
      AND q.delivery_id = d.id
    WHERE d.id = ${id} AND d.status = 'RETRYING'`
  return state === undefined ? null : progressOf(state, waits_for !== null)
}

const progressOf = (state: State, waitsForEarlier: boolean): DeliveryProgress => {
  const isUnderWay = state.isClaimed || (state.kind === KIND.owned && !state.isScheduled)
  if (isUnderWay && state.hasWorker) return 'under_way'
  if (state.areAllPaused) return 'all_paused'
  if (state.isPaused) return 'paused'
  if (waitsForEarlier) return 'order'
  if (!state.hasWorker) return 'no_worker'
  if (state.isScheduled) return 'scheduled'
  return state.isSlow ? 'slow_webhook' : 'turn'
}
