/** The state of a delivery: every write by attempts. Times are those of PostgreSQL. */
import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { SLOW_RESPONSE_MS } from '../endpoints/slow-webhooks'
import type { EventType } from '../events/types'
import { leaveQueue } from '../queue/changes'
import { ATTEMPT_BODIES_KEPT, RECONCILE_AFTER_MS, RETRY_DELAYS_MS } from '../retry-schedule'
import type { StoredHeaders } from '../signing/header-values'
import type { StoredSecrets } from '../signing/secret'

/** The state of a delivery after an attempt: whether and when the next one follows. */
export type DeliveryState = {
  eventId: string
  webhookId: string
  status: 'RETRYING' | 'DELIVERED' | 'FAILED'
  attemptCount: number
  /** The attempt count at which this run ends FAILED. */
  attemptLimit: number
  httpStatus: number | null
  error: string | null
  /** Milliseconds until the next attempt is due; 0 when it is due, or when none follows. */
  waitMs: number
}

/** A delivery with everything that an attempt needs, as of now. */
export type DeliveryToSend = DeliveryState &
  StoredSecrets &
  Tenant & {
    id: string
    run: number
    /** Milliseconds since the attempt was due; 0 before, and when none follows. */
    lateMs: number
    test: boolean
    eventType: EventType
    body: string
    url: string
    headers: StoredHeaders
    enabled: boolean
    deleted: boolean
    paused: boolean
    /** Whether the webhook has `failing_since` set (contract 4.13). */
    failing: boolean
    /** Whether the webhook is `ordered`: its next delivery can wait for this one. */
    ordered: boolean
  }

/** The outcome of a request (contract 5.5). `error` is null after a 2xx. */
export type AttemptOutcome = {
  /** Created before sending, so that recording it twice writes once. */
  attemptId: string
  /**
   * The run that sent it, and which attempt it was: a failure is recorded only as that one, so that a late one uses up
   * no attempt of a later run, and two workers that make the same attempt record one. Undefined: as the next attempt.
   */
  run?: number
  attempt?: number
  startedAt: string
  durationMs: number
  httpStatus: number | null
  responseBody: string | null
  error: string | null
  /** Null in an outcome from Temporal, which stores no URL (contract 5.18): the URL of the webhook is recorded. */
  requestUrl: string | null
  /** Base64 of what `signAttempt` returned. The other headers follow from the record. */
  signatures: string
}

/** Undefined when retention has deleted the delivery. */
export const loadDelivery = async (sql: Sql, id: string): Promise<DeliveryToSend | undefined> => {
  const [delivery] = await sql<[DeliveryToSend?]>`
    SELECT ${deliveryToSendColumns(sql)}, url, enabled, deleted, paused, failing,
      secret, previous_secret, previous_secret_until, headers,
      account_id AS "accountId", mode, ordered
    FROM deliveries_to_send WHERE id = ${id}`
  return delivery
}

/** SQL for the columns of `deliveries_to_send` that belong to the delivery, not to its webhook. */
export const deliveryToSendColumns = (sql: Sql) => sql`
  id, run, test, event_type AS "eventType", event_id AS "eventId", body, webhook_id AS "webhookId",
  status, attempt_count AS "attemptCount", attempt_limit AS "attemptLimit", http_status AS "httpStatus", error,
  greatest(0, coalesce(extract(epoch FROM next_attempt_at - clock_timestamp()), 0) * 1000)::float8 AS "waitMs",
  greatest(0, coalesce(extract(epoch FROM clock_timestamp() - next_attempt_at), 0) * 1000)::float8 AS "lateMs"`

/** The outcome of a delivery's attempt. `isAwaited`: the next delivery of an ordered webhook can wait for it. */
export type AttemptResult = { deliveryId: string; outcome: AttemptOutcome; isAwaited?: boolean }

/**
 * Records attempts of different deliveries in one statement, by the SQL function `record_attempts`, and returns the
 * new state of each by id. No state where nothing was written: the outcome is already recorded, or the delivery is
 * final and stays so (contract 5.2). `inWorkflow`: a workflow made the attempts, and makes the remaining ones.
 */
export const recordAttempts = async (
  sql: Sql,
  attempts: AttemptResult[],
  { inWorkflow }: { inWorkflow: boolean },
): Promise<Map<string, DeliveryState>> => {
  const outcomes = attempts.map(({ deliveryId, outcome }) => ({ deliveryId, ...outcome }))
  const ids = attempts.map(({ deliveryId }) => deliveryId)
  const recorded = await sql<({ id: string } & DeliveryState)[]>`
    SELECT id, event_id AS "eventId", webhook_id AS "webhookId", status, attempt_count AS "attemptCount",
      attempt_limit AS "attemptLimit", http_status AS "httpStatus", error, wait_ms AS "waitMs"
    FROM record_attempts(${ids}::text[], ${JSON.stringify(outcomes)}::text::json, ${RETRY_DELAYS_MS}::float8[],
      make_interval(secs => ${inWorkflow ? RECONCILE_AFTER_MS / 1000 : null}), ${SLOW_RESPONSE_MS}::int,
      ${ATTEMPT_BODIES_KEPT}::int)`
  return new Map(recorded.map(({ id, ...state }) => [id, state]))
}

/**
 * Makes a delivery FAILED without an attempt: its webhook was disabled or deleted, or an operator stopped it. A
 * final delivery, or one of another `run`, does not change: returns whether this one did.
 */
export const failDelivery = async (
  sql: Sql,
  { deliveryId, run, reason }: { deliveryId: string; run: number; reason: string },
  { inWorkflow } = { inWorkflow: true },
): Promise<boolean> => {
  const { count } = await sql`
    WITH final AS (
      UPDATE deliveries
      SET status = 'FAILED', error = ${reason}, without_workflow = ${!inWorkflow}, next_attempt_at = NULL
      WHERE id = ${deliveryId} AND run = ${run} AND status = 'RETRYING'
      RETURNING id, account_id, webhook_id, sequence
    ),
    ${leaveQueue(sql, sql`final`)}
    SELECT FROM final`
  return count > 0
}
