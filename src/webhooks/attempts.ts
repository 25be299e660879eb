/** The state of a delivery as attempts change it. All of it is written here, and times are Postgres's. */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import type { EventType } from './event-types'
import { keepFailingSince } from './failing'
import { isPaused } from './pause'
import { ATTEMPTS, DELAYS_MS, LONGEST_ATTEMPT_MS } from './retry-schedule'
import type { StoredSecrets } from './secret'
import { keepSlow } from './slow'

/** After the time by which a workflow should have acted, until the sweep asks Temporal what it does. */
const CHECK_MARGIN_MS = 20_000
/** From the beginning of an attempt until the sweep asks. */
export const CHECK_AFTER_MS = LONGEST_ATTEMPT_MS + CHECK_MARGIN_MS

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
export type Delivery = DeliveryState &
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
  }

/** What came of a request that was sent, or could not be (contract 5). `error` is null after a 2xx. */
export type Outcome = {
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
export const loadDelivery = async (sql: Sql, id: string): Promise<Delivery | undefined> => {
  const [delivery] = await sql<[Delivery?]>`
    SELECT ${state(sql)}, d.id, d.account_id AS "accountId", d.mode, d.run, d.test, d.event_type AS "eventType", e.body,
      w.url, w.enabled, w.deleted_at IS NOT NULL AS deleted,
      ${isPaused(sql)} AS paused, w.failing_since IS NOT NULL AS failing,
      w.secret, w.previous_secret, w.previous_secret_until
    FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ${id}`
  return delivery
}

/**
 * Records an attempt and what it makes of the delivery, in one statement: numbered under the row's lock,
 * DELIVERED at a 2xx, FAILED at the last failure that is allowed, else RETRYING with the time of the next
 * attempt. Undefined, and nothing written, when this outcome is recorded already or comes too late:
 * nothing overwrites DELIVERED, and only a 2xx overwrites FAILED (contract 5).
 */
export const recordAttempt = async (
  sql: Sql,
  deliveryId: string,
  outcome: Outcome,
): Promise<DeliveryState | undefined> => {
  const delivered = outcome.error === null
  const [recorded] = await sql<[DeliveryState?]>`
    WITH delivery AS (
      SELECT id, webhook_id, attempt_count, attempt_limit FROM deliveries
      WHERE id = ${deliveryId} AND (status = 'RETRYING' OR (status = 'FAILED' AND ${delivered}))
      FOR UPDATE
    ), attempt AS (
      INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms,
        http_status, error, response_body, request_url, request_headers)
      SELECT id, attempt_count + 1, ${outcome.attemptId}, ${outcome.startedAt}, ${outcome.durationMs},
        ${outcome.httpStatus}, ${outcome.error}, ${outcome.responseBody},
        coalesce(${outcome.requestUrl}, (SELECT url FROM webhooks WHERE id = webhook_id)),
        ${sql.json(outcome.requestHeaders)}
      FROM delivery
      ON CONFLICT DO NOTHING
      RETURNING delivery_id, number, clock_timestamp() AS at
    ), next AS (
      SELECT delivery_id, number, at + make_interval(secs => CASE
        -- The first failure of a run has the number attempt_limit - 2, whichever run it is. After the
        -- last one there is no delay in the array: NULL.
        WHEN NOT ${delivered} THEN (${DELAYS_MS}::float8[])[number - attempt_limit + ${ATTEMPTS}] / 1000
      END) AS next_attempt_at
      FROM attempt JOIN delivery ON id = delivery_id
    ), failing AS (
      ${keepFailingSince(
        sql,
        sql`SELECT webhook_id, ${delivered}::boolean AS delivered FROM next JOIN delivery ON id = delivery_id
            WHERE next_attempt_at IS NULL`,
      )}
    ), slow AS (
      ${keepSlow(
        sql,
        { durationMs: outcome.durationMs, delivered },
        sql`SELECT webhook_id FROM delivery WHERE EXISTS (SELECT FROM attempt)`,
      )}
    )
    UPDATE deliveries d SET
      attempt_count = next.number,
      status = CASE
        WHEN ${delivered} THEN 'DELIVERED'
        WHEN next.next_attempt_at IS NULL THEN 'FAILED'
        ELSE 'RETRYING'
      END,
      http_status = ${outcome.httpStatus},
      response_body = ${outcome.responseBody},
      error = ${outcome.error},
      next_attempt_at = next.next_attempt_at,
      delivered_at = CASE WHEN ${delivered} THEN clock_timestamp() END,
      due_at = NULL,
      check_at = ${checkAfter(sql, sql`next.next_attempt_at`)}
    FROM next
    WHERE d.id = next.delivery_id
    RETURNING ${state(sql)}`
  return recorded
}

/**
 * Ends a delivery FAILED for a reason that is no attempt: its webhook was disabled or deleted, or an
 * operator stopped it. Its last attempt's answer stays; a final delivery, or one of another `run`, is
 * left as it is.
 */
export const recordEnd = async (
  sql: Sql,
  { deliveryId, run, reason }: { deliveryId: string; run: number; reason: string },
): Promise<void> => {
  await sql`
    UPDATE deliveries
    SET status = 'FAILED', error = ${reason}, next_attempt_at = NULL, due_at = NULL, check_at = NULL
    WHERE id = ${deliveryId} AND run = ${run} AND status = 'RETRYING'`
}

/** SQL for when the sweep looks after a workflow whose next attempt is at `at`; NULL when `at` is. */
export const checkAfter = (sql: Sql, at: ReturnType<Sql>) =>
  sql`${at} + make_interval(secs => ${CHECK_AFTER_MS / 1000})`

const state = (sql: Sql) => sql`
  d.event_id AS "eventId", d.webhook_id AS "webhookId", d.status, d.attempt_count AS "attemptCount", d.attempt_limit AS "attemptLimit",
  d.http_status AS "httpStatus", d.error,
  greatest(0, coalesce(extract(epoch FROM d.next_attempt_at - clock_timestamp()), 0) * 1000)::float8
    AS "waitMs"`
