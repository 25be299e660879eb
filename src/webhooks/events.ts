import type { Tenant } from '../caller'
import type { Tx } from '../db/connect'
import { newId } from '../ids'
import { note } from '../tracing/span'
import type { EventData } from './event-data'
import type { EventType } from './event-types'

/** Why an event that occurs while its webhook is disabled is kept and not sent (contract 5). */
export const WEBHOOK_DISABLED = 'the webhook is disabled'

/**
 * Stores an event of `tenant`, and a delivery for each webhook of the same account and mode that is
 * subscribed to it, in the change's own transaction: no change without its event, no event without its
 * change (design, step 2). The dispatcher takes it from there after the commit. In live mode it counts
 * what happened towards the month's usage: an article created, and what will be delivered (contract 6).
 */
export const recordEvent = async <T extends EventType>(
  tx: Tx,
  tenant: Tenant,
  type: T,
  data: EventData[T],
): Promise<void> => {
  const event = newEvent(type, data)
  const articles = type === 'article.created' ? 1 : 0
  await tx`
    WITH event AS (
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${event.id}, ${tenant.accountId}, ${tenant.mode}, ${type}, ${event.body}, ${event.at})
    ),
    delivery AS (
      INSERT INTO deliveries
        (id, account_id, mode, webhook_id, event_id, event_type,
         without_workflow, status, error, next_attempt_at, due_at, created_at)
      SELECT ${deliveryId(tx, event.id)}, account_id, mode, id, ${event.id}, ${type}, NOT enabled,
        CASE WHEN enabled THEN 'RETRYING' ELSE 'FAILED' END,
        CASE WHEN NOT enabled THEN ${WEBHOOK_DISABLED} END,
        CASE WHEN enabled THEN clock_timestamp() END,
        CASE WHEN enabled THEN clock_timestamp() END,
        ${event.at}
      FROM webhooks
      WHERE account_id = ${tenant.accountId} AND mode = ${tenant.mode}
        AND deleted_at IS NULL AND ${type} = ANY (events)
      RETURNING due_at
    )
    SELECT count_usage(${tenant.accountId}, usage_month(now()), 0, ${articles}, count(due_at)::int)
    FROM delivery
    HAVING ${tenant.mode === 'live'} AND ${articles} + count(due_at) > 0`
}

/**
 * Stores the sample event of `POST /webhooks/<id>/test` and its one delivery, whatever the webhook is
 * subscribed to and also when it is disabled (service.md 4 rule 1, contract 4). Answers the delivery's id.
 */
export const recordTestEvent = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
): Promise<string> => {
  const event = newEvent('generation.completed', SAMPLE)
  const [delivery] = await tx<[{ id: string }]>`
    WITH event AS (
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${event.id}, ${tenant.accountId}, ${tenant.mode}, ${event.type}, ${event.body},
        ${event.at})
    )
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type, test,
       status, next_attempt_at, due_at, created_at)
    SELECT ${deliveryId(tx, event.id)}, ${tenant.accountId}, ${tenant.mode}, id, ${event.id},
      ${event.type}, true, 'RETRYING', clock_timestamp(), clock_timestamp(), ${event.at}
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

/** The envelope's text is made once, here: it is what is stored, signed and sent (service.md 2). */
const newEvent = <T extends EventType>(type: T, data: EventData[T]) => {
  const id = newId('evt')
  const at = new Date()
  note('event', { event_id: id, event_type: type })
  return {
    id,
    type,
    at,
    body: JSON.stringify({ id, event: type, created_at: at.toISOString(), data }),
  }
}

/**
 * SQL for the id of the delivery of `eventId` to the webhook whose `id` is in scope. A TypeID as well:
 * the event's 14 leading characters carry its time, 48 bits of the hash tell the webhooks apart (its
 * digits are within the alphabet of TypeIDs).
 */
const deliveryId = (tx: Tx, eventId: string) =>
  tx`'dlv_' || substr(${eventId}, 5, 14) || substr(md5(${eventId} || id), 1, 12)`
