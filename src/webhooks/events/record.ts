import type { Tenant } from '../../caller'
import type { Db, Fragment, Tx } from '../../db/connect'
import { newId } from '../../ids'
import { addSpanEvent } from '../../tracing/span'
import type { EventData } from './schema'
import type { EventType } from './types'

/** Why an event that occurs while its webhook is disabled is kept and not sent (contract 5.11). */
export const WEBHOOK_DISABLED = 'the webhook is disabled'

/** Something that happened to a tenant's records. */
export type EventInput = {
  [T in EventType]: { tenant: Tenant; type: T; data: EventData[T] }
}[EventType]

export type RecordedEvent = { id: string; type: EventType }

/** `recordEvents` of one, noted in the open span. */
export const recordEvent = async <T extends EventType>(
  tx: Tx,
  tenant: Tenant,
  type: T,
  data: EventData[T],
): Promise<void> => traceEvents(await recordEvents(tx, [{ tenant, type, data } as EventInput]))

/** Names them in the span that is open here: that of the change they belong to. */
export const traceEvents = (recorded: readonly RecordedEvent[]): void => {
  for (const { id, type } of recorded) addSpanEvent('event', { event_id: id, event_type: type })
}

/**
 * Stores events, and a delivery of each for every webhook of the same account and mode that is subscribed to it,
 * in the change's own transaction: no change without its event, no event without its change
 * (docs/architecture.md, "From a commit to the receiver"). The dispatcher takes it from there after the commit.
 * In live mode it counts what happened towards the month's usage: articles created, and what will be delivered
 * (contract 6.10). Many cost little more than one: they are one statement. Answers them in the same order.
 *
 * Webhooks that are `ordered` are held until the commit, in the order of their ids: a transaction calls this
 * once, for two calls could hold them in another order and end in a deadlock.
 */
export const recordEvents = async (
  tx: Tx,
  occurred: readonly EventInput[],
): Promise<RecordedEvent[]> => {
  if (occurred.length === 0) return []
  const events = buildEvents(occurred)
  await tx`WITH ${eventInserts(tx, events)} SELECT FROM counted`
  return events
}

/** Events as they will be stored and sent. */
export const buildEvents = (occurred: readonly EventInput[], at = new Date()) =>
  occurred.map(({ tenant, type, data }) => ({
    accountId: tenant.accountId,
    mode: tenant.mode,
    at,
    ...newEvent(type, data, at),
  }))

type NewEvents = ReturnType<typeof buildEvents>

/**
 * The same as SQL, for the WITH of the very statement that makes the change, which then needs no transaction
 * around it. What comes after must read `counted`, or nothing is counted. Where the change may not come about,
 * `only` says which events are stored: events[i] if `about[i]`, an id, is among those that the SQL `made` finds.
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
      AND w.deleted_at IS NULL AND e.type = ANY (w.events)
  ),
  held AS (
    UPDATE webhooks w SET last_sequence = w.last_sequence + o.count
    FROM (
      SELECT w.id, s.count
      FROM (SELECT webhook_id, count(*) FROM subscribed WHERE in_order GROUP BY webhook_id) s
      -- Whoever waited for the lock sees what became of it meanwhile.
      JOIN webhooks w ON w.id = s.webhook_id AND w.enabled AND w.ordered
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ) o
    WHERE w.id = o.id
    RETURNING w.id, w.last_sequence - o.count AS before
  ),
  place AS (
    -- The ids are in the order in which the events occurred.
    SELECT s.id, s.webhook_id,
      held.before + row_number() OVER (PARTITION BY s.webhook_id ORDER BY s.id) AS sequence
    FROM subscribed s JOIN held ON held.id = s.webhook_id
  ),
  delivery AS (
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type,
       without_workflow, status, error, sequence, next_attempt_at, due_at, created_at)
    SELECT ${deliveryId(db, db`s.id`, db`s.webhook_id`)}, s.account_id, s.mode, s.webhook_id, s.id, s.type,
      NOT s.enabled,
      CASE WHEN s.enabled THEN 'RETRYING' ELSE 'FAILED' END,
      CASE WHEN NOT s.enabled THEN ${WEBHOOK_DISABLED} END,
      place.sequence,
      CASE WHEN s.enabled AND place.sequence IS NULL THEN clock_timestamp() END,
      CASE WHEN place.sequence IS NOT NULL THEN 'infinity' WHEN s.enabled THEN clock_timestamp() END,
      s.created_at
    FROM subscribed s LEFT JOIN place ON place.id = s.id AND place.webhook_id = s.webhook_id
    RETURNING account_id, mode, due_at
  ),
  counted AS (
    SELECT count_usage(account_id, usage_month(now()), 0, sum(article)::int, sum(delivery)::int)
    FROM (
      SELECT account_id, mode, (type = 'article.created')::int AS article, 0 AS delivery FROM event
      UNION ALL
      SELECT account_id, mode, 0, (due_at IS NOT NULL)::int FROM delivery
    ) happened
    WHERE mode = 'live'
    GROUP BY account_id
    HAVING sum(article) + sum(delivery) > 0
  )`

/**
 * Stores the sample event of `POST /webhooks/<id>/test` and its one delivery, whatever the webhook is
 * subscribed to and also when it is disabled (contract 4.11). Answers the delivery's id.
 */
export const recordTestEvent = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
): Promise<string> => {
  const at = new Date()
  const event = newEvent('generation.completed', SAMPLE, at)
  traceEvents([event])
  const [delivery] = await tx<[{ id: string }]>`
    WITH event AS (
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${event.id}, ${tenant.accountId}, ${tenant.mode}, ${event.type}, ${event.body},
        ${at})
    )
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type, test,
       status, next_attempt_at, due_at, created_at)
    SELECT ${deliveryId(tx, tx`${event.id}::text`, tx`id`)}, ${tenant.accountId}, ${tenant.mode}, id, ${event.id},
      ${event.type}, true, 'RETRYING', clock_timestamp(), clock_timestamp(), ${at}
    FROM (VALUES (${webhookId})) AS webhook (id)
    RETURNING id`
  return delivery.id
}

/** The ids of the nil UUID: nobody takes them for those of a real record. */
const SAMPLE: EventData['generation.completed'] = {
  generation_id: 'gen_00000000000000000000000000',
  project_id: 'prj_00000000000000000000000000',
  article_id: 'art_00000000000000000000000000',
  keyword: 'example keyword',
  status: 'COMPLETED',
}

/** The envelope's text is made once, here: it is what is stored, signed and sent (contract 4.7). */
const newEvent = <T extends EventType>(type: T, data: EventData[T], at: Date) => {
  const id = newId('evt')
  return {
    id,
    type,
    body: JSON.stringify({ id, event: type, created_at: at.toISOString(), data }),
  }
}

/**
 * SQL for the id of the delivery of an event to a webhook. A TypeID as well: the event's 14 leading characters
 * carry its time, 48 bits of the hash tell the webhooks apart (its digits are within the alphabet of
 * TypeIDs).
 */
const deliveryId = (db: Db, eventId: Fragment, webhookId: Fragment) =>
  db`'dlv_' || substr(${eventId}, 5, 14) || substr(md5(${eventId} || ${webhookId}), 1, 12)`

/**
 * SQL for the rows of `deliveries` that are of the event `eventId`, which is SQL for its id: a short range of
 * the primary key. So that no index on `event_id` must be written with each delivery.
 */
export const belongsToEvent = (db: Db, eventId: Fragment | string) => db`
  id > 'dlv_' || substr(${eventId}, 5, 14) AND id < 'dlv_' || substr(${eventId}, 5, 14) || '~'
  AND event_id = ${eventId}`
