import type { Tenant } from '../../caller'
import type { Db, Fragment, Tx } from '../../db/connect'
import { newId } from '../../ids'
import { addSpanEvent } from '../../tracing/span'
import { enqueue } from '../queue/changes'
import { MAX_ATTEMPTS } from '../retry-schedule'
import { SAMPLES } from './samples'
import type { EventData } from './schema'
import { ALL_EVENTS, type EventType } from './types'

/** Error of deliveries to a disabled webhook (contract 5.11). */
export const WEBHOOK_DISABLED = 'the webhook is disabled'

/** An event to record. */
export type EventInput = {
  [T in EventType]: { tenant: Tenant; type: T; data: EventData[T] }
}[EventType]

export type RecordedEvent = { id: string; type: EventType }

/** Records one event and adds it to the current span. See `recordEvents`. */
export const recordEvent = async <T extends EventType>(
  tx: Tx,
  tenant: Tenant,
  type: T,
  data: EventData[T],
): Promise<void> => traceEvents(await recordEvents(tx, [{ tenant, type, data } as EventInput]))

/** Adds the events to the current span, which is that of their change. */
export const traceEvents = (recorded: readonly RecordedEvent[]): void => {
  for (const { id, type } of recorded) addSpanEvent('event', { event_id: id, event_type: type })
}

/**
 * Stores events and one delivery for each subscribed webhook of the same account and mode (contract 4.14), in the
 * transaction of the change (contract 4.6, 5.8), and counts articles and deliveries of live mode towards the usage
 * of the month (contract 6.10). One statement for any number of events. Returns them in the same order.
 *
 * Locks `ordered` webhooks until the commit, in the order of their ids (contract 5.12). Call it once per
 * transaction: two calls could lock them in different orders and deadlock.
 */
export const recordEvents = async (
  tx: Tx,
  inputs: readonly EventInput[],
): Promise<RecordedEvent[]> => {
  if (inputs.length === 0) return []
  const events = buildEvents(inputs)
  await tx`WITH ${eventInserts(tx, events)} SELECT FROM counted`
  return events
}

/** Events with their ids and envelopes, as they are stored and sent. */
export const buildEvents = (inputs: readonly EventInput[], at = new Date()) =>
  inputs.map(({ tenant, type, data }) => ({
    accountId: tenant.accountId,
    mode: tenant.mode,
    at,
    ...newEvent(type, data, at),
  }))

type NewEvents = ReturnType<typeof buildEvents>

/**
 * The same as common table expressions, for a statement that makes the change itself and needs no transaction around
 * it. The statement must read `counted`, or usage is not counted. `only` stores events[i] only if the record
 * `about[i]` is among the ids that the SQL `made` selects.
 */
export const eventInserts = (
  db: Db,
  events: NewEvents,
  only?: { about: string[]; made: Fragment },
): Fragment => db`
  event AS (
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    SELECT id, account_id, mode, type, body, at FROM unnest(
      ${events.map(one => one.id)}::text[], ${events.map(one => one.accountId)}::text[],
      ${events.map(one => one.mode)}::text[], ${events.map(one => one.type)}::text[],
      ${events.map(one => one.body)}::text[],
      ${events.map(one => one.at.toISOString())}::timestamptz[]
      ${only ? db`, ${only.about}::text[]` : db``}
    ) AS one (id, account_id, mode, type, body, at ${only ? db`, about` : db``})
    ${only ? db`WHERE about IN (${only.made})` : db``}
    RETURNING id, account_id, mode, type, created_at
  ),
  subscribed AS MATERIALIZED (
    SELECT e.*, w.id AS webhook_id, w.enabled, w.enabled AND w.ordered AS in_order
    FROM event e
    JOIN webhooks w ON w.account_id = e.account_id AND w.mode = e.mode
      AND w.deleted_at IS NULL AND w.events && ARRAY[e.type, ${ALL_EVENTS}]
  ),
  locked AS (
    UPDATE webhooks w SET last_sequence = w.last_sequence + o.count
    FROM (
      SELECT w.id, s.count
      FROM (SELECT webhook_id, count(*) FROM subscribed WHERE in_order GROUP BY webhook_id) s
      -- After the wait for a lock these conditions are evaluated again on the current row.
      JOIN webhooks w ON w.id = s.webhook_id AND w.enabled AND w.ordered
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ) o
    WHERE w.id = o.id
    RETURNING w.id, w.last_sequence - o.count AS before
  ),
  numbered AS (
    -- Event ids are in the order in which the events occurred. Not a join with the sequences of each event: planned as
    -- a nested loop, 2,000 events for 100 webhooks took minutes.
    SELECT s.*,
      locked.before + row_number() OVER (PARTITION BY s.webhook_id ORDER BY s.id) AS sequence
    FROM subscribed s LEFT JOIN locked ON locked.id = s.webhook_id
  ),
  delivery AS (
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type,
       without_workflow, status, attempt_limit, error, sequence, next_attempt_at, created_at)
    SELECT ${deliveryId(db, db`s.id`, db`s.webhook_id`)}, s.account_id, s.mode, s.webhook_id, s.id, s.type,
      NOT s.enabled,
      CASE WHEN s.enabled THEN 'RETRYING' ELSE 'FAILED' END,
      ${MAX_ATTEMPTS}::int,
      CASE WHEN NOT s.enabled THEN ${WEBHOOK_DISABLED} END,
      s.sequence,
      CASE WHEN s.enabled AND s.sequence IS NULL THEN clock_timestamp() END,
      s.created_at
    FROM numbered s
    RETURNING id, account_id, mode, webhook_id, sequence, status
  ),
  queued AS (${enqueue(db, db`delivery WHERE status = 'RETRYING'`)}),
  counted AS (
    SELECT count_usage(account_id, usage_month(now()), 0, sum(article)::int, sum(delivery)::int)
    FROM (
      SELECT account_id, mode, (type = 'article.created')::int AS article, 0 AS delivery FROM event
      UNION ALL
      SELECT account_id, mode, 0, (status = 'RETRYING')::int FROM delivery
    ) usage
    WHERE mode = 'live'
    GROUP BY account_id
    HAVING sum(article) + sum(delivery) > 0
  )`

/**
 * Stores the sample event of `POST /webhooks/<id>/test` and its one delivery, whatever the webhook is
 * subscribed to and also while it is disabled (contract 4.11). Returns the id of the delivery.
 */
export const recordTestEvent = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  type: EventType = 'generation.completed',
): Promise<string> => {
  const at = new Date()
  const event = newEvent(type, SAMPLES[type], at)
  traceEvents([event])
  const [delivery] = await tx<[{ id: string }]>`
    WITH event AS (
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${event.id}, ${tenant.accountId}, ${tenant.mode}, ${event.type}, ${event.body},
        ${at})
    ), delivery AS (
      INSERT INTO deliveries
        (id, account_id, mode, webhook_id, event_id, event_type, test,
         status, attempt_limit, next_attempt_at, created_at)
      SELECT ${deliveryId(tx, tx`${event.id}::text`, tx`id`)}, ${tenant.accountId}, ${tenant.mode}, id, ${event.id},
        ${event.type}, true, 'RETRYING', ${MAX_ATTEMPTS}::int, clock_timestamp(), ${at}
      FROM (VALUES (${webhookId})) AS webhook (id)
      RETURNING id, account_id, webhook_id, sequence
    ), queued AS (${enqueue(tx, tx`delivery`)})
    SELECT id FROM delivery`
  return delivery.id
}

/** The text of the envelope is made once: it is stored, signed and sent (contract 4.7). */
const newEvent = <T extends EventType>(type: T, data: EventData[T], at: Date) => {
  const id = newId('evt')
  return {
    id,
    type,
    body: JSON.stringify({ id, event: type, created_at: at.toISOString(), data }),
  }
}

/**
 * SQL for the id of the delivery of an event to a webhook, a TypeID: the first 14 characters are those of the event
 * and carry its time, the rest is 48 bits of a hash of both ids in hexadecimal, a subset of the TypeID alphabet.
 */
const deliveryId = (db: Db, eventId: Fragment, webhookId: Fragment) =>
  db`'dlv_' || substr(${eventId}, 5, 14) || substr(md5(${eventId} || ${webhookId}), 1, 12)`

/**
 * SQL condition: rows of `deliveries` that belong to the event. It is a short range of the primary key, so that
 * deliveries need no index on `event_id`.
 */
export const belongsToEvent = (db: Db, eventId: Fragment | string) => db`
  id > 'dlv_' || substr(${eventId}, 5, 14) AND id < 'dlv_' || substr(${eventId}, 5, 14) || '~'
  AND event_id = ${eventId}`
