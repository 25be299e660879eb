import type { Fragment, Sql } from '../../db/connect'
import { isWorkerAlive } from '../../temporal/heartbeat'
import { KIND } from '../queue/entry'
import { MAX_ATTEMPT_MS, MAX_ATTEMPTS, RECONCILE_MARGIN_MS } from '../retry-schedule'
import { type Cipher, isUndecryptable } from '../signing/encryption'
import type { Delivery, DeliveryProgress } from './schema'

type State = {
  kind: number
  isClaimed: boolean
  isScheduled: boolean
  willFail: boolean
  isPaused: boolean
  areAllPaused: boolean
  isSecretLost: boolean
  isSlow: boolean
  hasWorker: boolean
  /** Temporal responds to no worker, and `kind` waits for it. */
  isTemporalAway: boolean
  /** Its workflow should have recorded the attempt: it began late, or does not get on. */
  isLate: boolean
}

/** What a delivery does now, beyond its record (contract 5.3). Null for a final delivery. */
export const findProgress = async (
  sql: Sql,
  cipher: Cipher,
  { id, status, waits_for }: Pick<Delivery, 'id' | 'status' | 'waits_for'>,
): Promise<DeliveryProgress | null> => {
  if (status !== 'RETRYING') return null
  const [state] = await sql<[State?]>`
    SELECT q.kind, q.claimer IS NOT NULL AS "isClaimed",
      coalesce(d.next_attempt_at > clock_timestamp(), false) AS "isScheduled",
      w.deleted OR NOT (w.enabled OR d.test) AS "willFail",
      w.paused AS "isPaused", (SELECT paused_at IS NOT NULL FROM deployment) AS "areAllPaused",
      ${isUndecryptable(sql, cipher)} AS "isSecretLost",
      EXISTS (SELECT FROM slow_webhooks s WHERE s.webhook_id = w.id) AS "isSlow",
      EXISTS (SELECT FROM workers WHERE ${isWorkerAlive(sql)}) AS "hasWorker",
      NOT EXISTS (
        SELECT FROM workers WHERE ${isWorkerAlive(sql)} AND (temporal_away IS NULL
          OR temporal_away = 'retries' AND q.kind <> ALL (${[KIND.workflow, KIND.owned]}))
      ) AS "isTemporalAway",
      ${isLate(sql)} AS "isLate"
    FROM deliveries d
    JOIN webhook_states w ON w.id = d.webhook_id
    JOIN delivery_queue q ON q.account_id = d.account_id AND q.webhook_id = d.webhook_id
      AND q.kind = ANY (${Object.values(KIND)}) AND q.sequence = coalesce(d.sequence, 0)
      AND q.delivery_id = d.id
    WHERE d.id = ${id} AND d.status = 'RETRYING'`
  return state === undefined ? null : progressOf(state, waits_for !== null)
}

/**
 * Reconciliation moves `check_at` on where the workflow still runs. The time of a retry stays; that of a first attempt
 * is when the delivery or its redelivery was made, which can wait for its turn.
 */
const isLate = (sql: Sql): Fragment => sql`(
  coalesce(q.check_at < clock_timestamp() + make_interval(secs => ${RECONCILE_MARGIN_MS / 1000}), false)
  OR d.attempt_count > d.attempt_limit - ${MAX_ATTEMPTS}
    AND d.next_attempt_at < clock_timestamp() - make_interval(secs => ${MAX_ATTEMPT_MS / 1000}))`

const progressOf = (state: State, waitsForEarlier: boolean): DeliveryProgress => {
  const isUnderWay = state.isClaimed || (state.kind === KIND.owned && !state.isScheduled)
  // An attempt that cannot be signed is claimed again and again, and nothing is sent; nor while Temporal is away.
  const isSent = !(state.isSecretLost || state.isTemporalAway || state.isLate)
  if (isUnderWay && state.hasWorker && isSent) return 'under_way'
  if (state.willFail) return 'disabled'
  if (state.areAllPaused) return 'all_paused'
  if (state.isPaused) return 'paused'
  if (state.isSecretLost) return 'secret'
  if (waitsForEarlier) return 'order'
  if (!state.hasWorker) return 'no_worker'
  if (state.isScheduled) return 'scheduled'
  if (state.isTemporalAway) return 'temporal_away'
  if (isUnderWay) return 'late'
  return state.isSlow ? 'slow_webhook' : 'turn'
}
