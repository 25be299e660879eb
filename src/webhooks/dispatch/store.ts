/** The state of a delivery as attempts change it. All of it is written here, and times are Postgres's. */
import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { SLOW_RESPONSE_MS } from '../endpoints/slow-webhooks'
import type { EventType } from '../events/types'
import { MAX_ATTEMPT_MS, RETRY_DELAYS_MS } from '../retry-schedule'
import type { StoredSecrets } from '../signing/secret'

/** After the time by which a workflow should have acted, until the sweep asks Temporal what it does. */
const CHECK_MARGIN_MS = 20_000
/** From the beginning of an attempt until the sweep asks. */
export const RECONCILE_AFTER_MS = MAX_ATTEMPT_MS + CHECK_MARGIN_MS

/** What is known of a delivery without its body: enough to tell whether and when it is tried again. */
export type DeliveryState = {
  eventId: string
  webhookId: string
  status: 'RETRYING' | 'DELIVERED' | 'FAILED'
  attemptCount: number
  /** The attempt count at which this run ends FAILED. */
  attemptLimit: number
  httpStatus: number | null
  error: string | null
  /** Milliseconds until the next attempt is due; 0 when it is, or when there is none. */
  waitMs: number
}

/** A delivery with all that an attempt needs, at this moment. */
export type DeliveryToSend = DeliveryState &
  StoredSecrets &
  Tenant & {
    id: string
    run: number
    test: boolean
    eventType: EventType
    body: string
    url: string
    enabled: boolean
    deleted: boolean
    paused: boolean
    /** None of its deliveries has arrived for a while. */
    failing: boolean
    /** Another of its webhook may wait until this one is final. */
    ordered: boolean
  }

/** What came of a request that was sent, or could not be (contract 5.5). `error` is null after a 2xx. */
export type AttemptOutcome = {
  /** Made before sending, so that recording it twice is noticed. */
  attemptId: string
  startedAt: string
  durationMs: number
  httpStatus: number | null
  responseBody: string | null
  error: string | null
  /** Null in an outcome that went through Temporal, where no URL may appear: the webhook's is taken. */
  requestUrl: string | null
  requestHeaders: Record<string, string>
}

/** Undefined when retention has deleted it. */
export const loadDelivery = async (sql: Sql, id: string): Promise<DeliveryToSend | undefined> => {
  const [delivery] = await sql<[DeliveryToSend?]>`
    SELECT ${deliveryToSendColumns(sql)}, url, enabled, deleted, paused, failing,
      secret, previous_secret, previous_secret_until,
      ${accountIdOfWebhook(sql)} AS "accountId", ${modeOfWebhook(sql)} AS mode, ${isOrderedWebhook(sql)} AS ordered
    FROM deliveries_to_send WHERE id = ${id}`
  return delivery
}

/**
 * SQL for whose webhook it is, and whether it is ordered. These are no columns of the view: with another one
 * there, plans that a running `claim_for_lane` has prepared would fail.
 */
export const accountIdOfWebhook = (sql: Sql) =>
  sql`(SELECT w.account_id FROM webhooks w WHERE w.id = webhook_id)`
export const modeOfWebhook = (sql: Sql) =>
  sql`(SELECT w.mode FROM webhooks w WHERE w.id = webhook_id)`
export const isOrderedWebhook = (sql: Sql) =>
  sql`(SELECT w.ordered FROM webhooks w WHERE w.id = webhook_id)`

/** SQL for what a `DeliveryToSend` has of its own, and not of its webhook, out of rows of `deliveries_to_send`. */
export const deliveryToSendColumns = (sql: Sql) => sql`
  id, run, test, event_type AS "eventType", event_id AS "eventId", body, webhook_id AS "webhookId",
  status, attempt_count AS "attemptCount", attempt_limit AS "attemptLimit", http_status AS "httpStatus", error,
  greatest(0, coalesce(extract(epoch FROM next_attempt_at - clock_timestamp()), 0) * 1000)::float8 AS "waitMs"`

/** An outcome and whose it is. `isAwaited`: the next delivery of an ordered webhook may wait for it. */
export type AttemptResult = { deliveryId: string; outcome: AttemptOutcome; isAwaited?: boolean }

/**
 * Records attempts of different deliveries and what they make of them, in one statement: see
 * `record_attempts`. The state of each by its id; none where nothing was written, because the outcome is
 * recorded already or comes too late: nothing overwrites DELIVERED, and only a 2xx overwrites FAILED
 * (contract 5.2). `inWorkflow`: whether a workflow made them, and will make what is left.
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
      make_interval(secs => ${inWorkflow ? RECONCILE_AFTER_MS / 1000 : null}), ${SLOW_RESPONSE_MS}::int)`
  return new Map(recorded.map(({ id, ...state }) => [id, state]))
}

/**
 * Ends a delivery FAILED for a reason that is no attempt: its webhook was disabled or deleted, or an
 * operator stopped it. Its last attempt's answer stays; a final delivery, or one of another `run`, is
 * left as it is.
 */
export const failDelivery = async (
  sql: Sql,
  { deliveryId, run, reason }: { deliveryId: string; run: number; reason: string },
  { inWorkflow } = { inWorkflow: true },
): Promise<void> => {
  await sql`
    UPDATE deliveries
    SET status = 'FAILED', error = ${reason}, without_workflow = ${!inWorkflow},
      next_attempt_at = NULL, due_at = NULL, check_at = NULL, workflow_due_at = NULL
    WHERE id = ${deliveryId} AND run = ${run} AND status = 'RETRYING'`
}

/** SQL for when the sweep looks after a workflow whose next attempt is at `at`; NULL when `at` is. */
export const reconcileAt = (sql: Sql, at: ReturnType<Sql>) =>
  sql`${at} + make_interval(secs => ${RECONCILE_AFTER_MS / 1000})`
