import type { Tenant } from '../../caller'
import type { Fragment, Sql, Tx } from '../../db/connect'
import { type PageRequest, type PageResult, toPage } from '../../db/page'
import { notFound } from '../../errors'
import { isId } from '../../ids'
import { getWebhook } from '../endpoints/store'
import { belongsToEvent, recordTestEvent } from '../events/record'
import { type DeliveryFilter, matchDeliveries } from './filter'
import { type DeliveryRow, deliveryColumns, toDelivery } from './row'
import type { Attempt, Delivery, DeliveryDetail, Reason } from './schema'

/**
 * A page of a webhook's deliveries, newest first (contract 5.10).
 * @throws {DomainError} NOT_FOUND for the webhook, a deleted one as well; VALIDATION_ERROR for a time
 * that is none.
 */
export const listDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<PageResult<Delivery>> => {
  const matching = matchDeliveries(sql, tenant, { ...filter, webhook_id: webhookId })
  await getWebhook(sql, tenant, webhookId)
  return readPage(sql, matching, page)
}

/** What the reasons of a list are counted of, and how many of them are told. */
const COUNTED = 10_000
const REASONS = 20

/**
 * A page of the deliveries to all webhooks of the tenant, deleted ones too, newest first, and why those
 * that the filter finds, on all pages, did not arrive: the most common errors of the newest 10,000.
 * @throws {DomainError} VALIDATION_ERROR for a time that is none.
 */
export const listAllDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<PageResult<Delivery> & { reasons: Reason[] }> => {
  const matching = matchDeliveries(sql, tenant, filter)
  const [found, reasons] = await Promise.all([
    readPage(sql, matching, page),
    sql<Reason[]>`
      SELECT error, count(*) FROM (
        SELECT error FROM deliveries WHERE ${matching} ORDER BY id DESC LIMIT ${COUNTED}
      ) AS newest
      WHERE error IS NOT NULL
      GROUP BY error ORDER BY count(*) DESC, error LIMIT ${REASONS}`,
  ])
  return { ...found, reasons: [...reasons] }
}

const readPage = async (
  sql: Sql,
  matching: Fragment,
  page: PageRequest,
): Promise<PageResult<Delivery>> => {
  const rows = await sql<DeliveryRow[]>`
    SELECT ${deliveryColumns(sql)} FROM deliveries
    WHERE ${matching} ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
    ORDER BY id DESC LIMIT ${page.limit + 1}`
  return toPage(rows.map(toDelivery), page)
}

/**
 * One delivery with all its attempts, and the request as it was last sent (contract 5.1).
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery.
 */
export const getDelivery = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> => {
  await getWebhook(sql, tenant, webhookId)
  const delivery = await findDelivery(sql, tenant, id)
  if (delivery.webhook_id !== webhookId) throw notFound('delivery', id)
  return delivery
}

/** The same by its own id alone, also of a webhook that was deleted. @throws {DomainError} NOT_FOUND. */
export const findDelivery = async (
  sql: Sql,
  tenant: Tenant,
  id: string,
): Promise<DeliveryDetail> => {
  const [row] = isId('dlv', id)
    ? await sql<DeliveryRow[]>`
        SELECT ${deliveryColumns(sql)} FROM deliveries
        WHERE id = ${id} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('delivery', id)
  const attempts = await sql<AttemptRow[]>`
    SELECT number, started_at, duration_ms, http_status, error, response_body,
      request_url, request_headers
    FROM attempts WHERE delivery_id = ${id} ORDER BY number`
  const last = attempts.at(-1)
  const [event] = await sql<{ body: string }[]>`SELECT body FROM events WHERE id = ${row.event_id}`
  return {
    ...toDelivery(row),
    request:
      last === undefined || event === undefined
        ? null
        : { url: last.request_url, headers: last.request_headers, body: event.body },
    attempts: attempts.map(toAttempt),
    follows_failed: await failedBefore(sql, row),
  }
}

/**
 * How many of its webhook's deliveries are looked through on either side, by id. Ids are made before a place is
 * waited for: two neighbours in the order are as many ids apart as others waited meanwhile.
 */
const NEAR = 500

/** The delivery before it in the order, where that is FAILED. No index has the places of what is final. */
const failedBefore = async (
  sql: Sql,
  { id, webhook_id, sequence }: DeliveryRow,
): Promise<string | null> => {
  if (sequence === null) return null
  const [before] = await sql<{ id: string }[]>`
    SELECT id FROM (
      (
        SELECT id, sequence, status FROM deliveries WHERE webhook_id = ${webhook_id} AND id < ${id}
        ORDER BY id DESC LIMIT ${NEAR}
      )
      UNION ALL
      (
        SELECT id, sequence, status FROM deliveries WHERE webhook_id = ${webhook_id} AND id > ${id}
        ORDER BY id LIMIT ${NEAR}
      )
    ) near
    WHERE sequence = ${sequence - 1} AND status = 'FAILED' LIMIT 1`
  return before?.id ?? null
}

/** All deliveries of an event, also those to webhooks that were deleted since (contract 5.15). */
export const listEventDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  eventId: string,
): Promise<Delivery[]> => {
  const rows = await sql<DeliveryRow[]>`
    SELECT ${deliveryColumns(sql)} FROM deliveries
    WHERE ${belongsToEvent(sql, eventId)} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ORDER BY id DESC`
  return rows.map(toDelivery)
}

/**
 * Makes the delivery of a sample event to a webhook, whatever it is subscribed to and also when it is
 * disabled (contract 4.11). It is sent and retried like any other.
 * @throws {DomainError} NOT_FOUND.
 */
export const createTestDelivery = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
): Promise<Delivery> => {
  await getWebhook(tx, tenant, webhookId)
  const id = await recordTestEvent(tx, tenant, webhookId)
  const [row] = await tx<
    [DeliveryRow]
  >`SELECT ${deliveryColumns(tx)} FROM deliveries WHERE id = ${id}`
  return toDelivery(row)
}

type AttemptRow = Omit<Attempt, 'started_at'> & {
  started_at: Date
  request_url: string
  request_headers: Record<string, string>
}

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  started_at: row.started_at.toISOString(),
  duration_ms: row.duration_ms,
  http_status: row.http_status,
  error: row.error,
  response_body: row.response_body,
})
