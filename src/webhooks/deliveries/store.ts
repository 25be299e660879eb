import type { Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import {
  countWithinBudget,
  PAGE_BYTES_MAX,
  type PageRequest,
  type PageResult,
  readPage,
} from '../../db/page'
import { notFound } from '../../errors'
import { isId } from '../../ids'
import { getWebhook } from '../endpoints/store'
import { belongsToEvent, recordTestEvent } from '../events/record'
import type { EventType } from '../events/types'
import type { Cipher } from '../signing/encryption'
import { attemptHeaders } from '../signing/headers'
import { type DeliveryFilter, matchDeliveries } from './filter'
import { findProgress } from './progress'
import { type DeliveryRow, deliveryColumns, toDelivery } from './row'
import type { Attempt, Delivery, DeliveryDetail, Reason } from './schema'

/**
 * A page of the deliveries of a webhook, newest first (contract 5.10).
 * @throws {DomainError} NOT_FOUND for the webhook, also when it was deleted.
 */
export const listDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<PageResult<Delivery>> => {
  await getWebhook(sql, tenant, webhookId)
  return readMatching(sql, tenant, { ...filter, webhook_id: webhookId }, page)
}

/** The newest deliveries whose errors are counted, and the number of errors in the response. */
const COUNTED_FOR_REASONS = 10_000
const REASONS_MAX = 20

/**
 * A page of the deliveries of all webhooks, deleted ones included, newest first, and the most common errors
 * among the newest 10,000 deliveries that match the filter (contract 5.10).
 */
export const listAllDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<PageResult<Delivery> & { reasons: Reason[] }> => {
  const found = await readMatching(sql, tenant, filter, page)
  const counted = { before: null, most: COUNTED_FOR_REASONS }
  const reasons = await sql<Reason[]>`
    SELECT error, count(*) FROM (
      SELECT error FROM deliveries WHERE ${matchDeliveries(sql, tenant, filter, counted)}
      ORDER BY id DESC LIMIT ${COUNTED_FOR_REASONS}
    ) AS newest
    WHERE error IS NOT NULL
    GROUP BY error ORDER BY count(*) DESC, error LIMIT ${REASONS_MAX}`
  return { ...found, reasons: [...reasons] }
}

const readMatching = (
  sql: Sql,
  tenant: Tenant,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<PageResult<Delivery>> => {
  const { before, limit } = page
  const list = sql`
    SELECT ${deliveryColumns(sql)} FROM deliveries
    WHERE ${matchDeliveries(sql, tenant, filter, { before, most: limit + 1 })}
      ${before === null ? sql`` : sql`AND id < ${before}`}
    ORDER BY id DESC`
  const large = { column: 'response_body', member: 'response_body' } as const
  return readPage(sql, list, page, toDelivery, large)
}

/** The newest attempts that the record of a delivery shows. `listAttempts` has all. */
const ATTEMPTS_SHOWN = 30

/**
 * A delivery with its newest attempts and the request as last sent (contract 5.1).
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery.
 */
export const getDelivery = async (
  sql: Sql,
  cipher: Cipher,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> => {
  await getWebhook(sql, tenant, webhookId)
  const delivery = await findDelivery(sql, cipher, tenant, id)
  if (delivery.webhook_id !== webhookId) throw notFound('delivery', id)
  return delivery
}

/**
 * Like `getDelivery`, by the id of the delivery alone, also where the webhook was deleted.
 * @throws {DomainError} NOT_FOUND.
 */
export const findDelivery = async (
  sql: Sql,
  cipher: Cipher,
  tenant: Tenant,
  id: string,
): Promise<DeliveryDetail> => {
  const [row] = isId('dlv', id)
    ? await sql<DeliveryRow[]>`
        SELECT ${deliveryColumns(sql)} FROM deliveries
        WHERE id = ${id} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('delivery', id)
  const newest = await sql<AttemptRow[]>`
    SELECT number, started_at, duration_ms, http_status, error, response_body,
      request_url, signatures
    FROM all_attempts WHERE delivery_id = ${id} ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}`
  const [last] = newest
  const [event] = await sql<{ body: string }[]>`SELECT body FROM events WHERE id = ${row.event_id}`
  const delivery = toDelivery(row)
  return {
    ...delivery,
    request:
      last === undefined || event === undefined
        ? null
        : { url: last.request_url, headers: headersOf(row, last), body: event.body },
    attempts: newest.reverse().map(toAttempt),
    progress: await findProgress(sql, cipher, delivery),
    follows_failed: await findFailedPredecessor(sql, row),
  }
}

/**
 * A page of the attempts of a delivery, newest first; `before` is the number of an attempt (contract 5.1).
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery.
 */
export const listAttempts = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  id: string,
  { limit, before }: PageRequest,
): Promise<PageResult<Attempt>> => {
  await getWebhook(sql, tenant, webhookId)
  const [delivery] = isId('dlv', id)
    ? await sql`
        SELECT FROM deliveries WHERE id = ${id} AND webhook_id = ${webhookId}
          AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
    : []
  if (delivery === undefined) throw notFound('delivery', id)
  const found = await sql<AttemptRow[]>`
    SELECT number, started_at, duration_ms, http_status, error, response_body
    FROM all_attempts
    WHERE delivery_id = ${id} ${before === null ? sql`` : sql`AND number < ${before}::int`}
    ORDER BY number DESC LIMIT ${limit + 1}`
  const rows = found.slice(0, limit).map(toAttempt)
  return { rows, next: found.length > limit ? String(rows.at(-1)?.number) : null }
}

/**
 * Deliveries to search before and after this one, by id. An id is made before the transaction waits for its
 * sequence number, so consecutive numbers can be as many ids apart as transactions waited meanwhile.
 */
const NEARBY = 500

/** The delivery with the previous sequence number, where it is FAILED. No index has final deliveries by number. */
const findFailedPredecessor = async (
  sql: Sql,
  { id, webhook_id, sequence }: DeliveryRow,
): Promise<string | null> => {
  if (sequence === null) return null
  const [predecessor] = await sql<{ id: string }[]>`
    SELECT id FROM (
      (
        SELECT id, sequence, status FROM deliveries WHERE webhook_id = ${webhook_id} AND id < ${id}
        ORDER BY id DESC LIMIT ${NEARBY}
      )
      UNION ALL
      (
        SELECT id, sequence, status FROM deliveries WHERE webhook_id = ${webhook_id} AND id > ${id}
        ORDER BY id LIMIT ${NEARBY}
      )
    ) nearby
    WHERE sequence = ${sequence - 1} AND status = 'FAILED' LIMIT 1`
  return predecessor?.id ?? null
}

/**
 * All deliveries of an event, newest first, those to deleted webhooks included (contract 5.15). Of their response
 * bodies, those that fit into the byte budget of a page; the following ones are null.
 */
export const listEventDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  eventId: string,
): Promise<Delivery[]> => {
  const body = sql`
    CASE WHEN sum(octet_length(response_body)) OVER (ORDER BY id DESC) <= ${PAGE_BYTES_MAX}
      THEN response_body END`
  const rows = await sql<DeliveryRow[]>`
    SELECT ${deliveryColumns(sql, body)} FROM deliveries
    WHERE ${belongsToEvent(sql, eventId)} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ORDER BY id DESC`
  const bodies = rows.map(row => row.response_body)
  const count = countWithinBudget(bodies, bodies)
  return rows.map((row, n) => toDelivery(n < count ? row : { ...row, response_body: null }))
}

/**
 * Creates the delivery of a sample event, whatever the webhook is subscribed to and also while it is
 * disabled (contract 4.11). It is sent and retried like any other.
 * @throws {DomainError} NOT_FOUND.
 */
export const createTestDelivery = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  type?: EventType,
): Promise<Delivery> => {
  await getWebhook(tx, tenant, webhookId)
  const id = await recordTestEvent(tx, tenant, webhookId, type)
  const [row] = await tx<
    [DeliveryRow]
  >`SELECT ${deliveryColumns(tx)} FROM deliveries WHERE id = ${id}`
  return toDelivery(row)
}

type AttemptRow = Omit<Attempt, 'started_at'> & {
  started_at: Date
  request_url: string
  signatures: Buffer
}

const headersOf = ({ id, event_type }: DeliveryRow, { started_at, signatures }: AttemptRow) =>
  attemptHeaders({ deliveryId: id, eventType: event_type, at: started_at }, signatures)

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  started_at: row.started_at.toISOString(),
  duration_ms: row.duration_ms,
  http_status: row.http_status,
  error: row.error,
  response_body: row.response_body,
})
