import type { Mode, Tenant } from '../caller'
import type { Sql, Tx } from '../db/connect'
import { type Page, type Paged, toPage } from '../db/page'
import { invalid, notFound } from '../errors'
import { isId } from '../ids'
import type { Attempt, Delivery, DeliveryDetail } from './delivery-record'
import type { EventType } from './event-types'
import { recordTestEvent } from './events'
import { getWebhook } from './store'
import { workflowId } from './workflow-id'

/** Times are ISO 8601; a delivery made at exactly that time is neither after nor before it. */
export type DeliveryFilter = {
  status?: Delivery['status']
  event?: EventType
  created_after?: string
  created_before?: string
}

/**
 * A page of a webhook's deliveries, newest first (contract 5).
 * @throws {DomainError} NOT_FOUND for the webhook, a deleted one as well; VALIDATION_ERROR for a time
 * that is none.
 */
export const listDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<Paged<Delivery>> => {
  const after = timeOf('created_after', filter.created_after)
  const before = timeOf('created_before', filter.created_before)
  await getWebhook(sql, tenant, webhookId)
  const rows = await sql<DeliveryRow[]>`
    SELECT ${sql(COLUMNS)} FROM deliveries
    WHERE webhook_id = ${webhookId}
      AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${filter.status === undefined ? sql`` : sql`AND status = ${filter.status}`}
      ${filter.event === undefined ? sql`` : sql`AND event_type = ${filter.event}`}
      ${after === undefined ? sql`` : sql`AND created_at > ${after}`}
      ${before === undefined ? sql`` : sql`AND created_at < ${before}`}
    ORDER BY id DESC LIMIT ${page.limit + 1}`
  return toPage(rows.map(toDelivery), page)
}

/**
 * One delivery with all its attempts, and the request as it was last sent (contract 5).
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery.
 */
export const getDelivery = async (
  sql: Sql,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> => {
  await getWebhook(sql, tenant, webhookId)
  const [row] = isId('dlv', id)
    ? await sql<DeliveryRow[]>`
        SELECT ${sql(COLUMNS)} FROM deliveries
        WHERE id = ${id} AND webhook_id = ${webhookId}
          AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
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
  }
}

/** All deliveries of an event, also those to webhooks that were deleted since (contract 5). */
export const listDeliveriesOfEvent = async (
  sql: Sql,
  tenant: Tenant,
  eventId: string,
): Promise<Delivery[]> => {
  const rows = await sql<DeliveryRow[]>`
    SELECT ${sql(COLUMNS)} FROM deliveries
    WHERE event_id = ${eventId} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ORDER BY id DESC`
  return rows.map(toDelivery)
}

/**
 * Makes the delivery of a sample event to a webhook, whatever it is subscribed to and also when it is
 * disabled (service.md 4 rule 1, contract 4). It is sent and retried like any other.
 * @throws {DomainError} NOT_FOUND.
 */
export const createTestDelivery = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
): Promise<Delivery> => {
  await getWebhook(tx, tenant, webhookId)
  const id = await recordTestEvent(tx, tenant, webhookId)
  const [row] = await tx<[DeliveryRow]>`SELECT ${tx(COLUMNS)} FROM deliveries WHERE id = ${id}`
  return toDelivery(row)
}

const COLUMNS = [
  'id',
  'webhook_id',
  'event_id',
  'event_type',
  'test',
  'mode',
  'status',
  'run',
  'attempt_count',
  'http_status',
  'response_body',
  'error',
  'next_attempt_at',
  'delivered_at',
  'created_at',
] as const

type DeliveryRow = Pick<
  Delivery,
  | 'id'
  | 'webhook_id'
  | 'event_id'
  | 'test'
  | 'status'
  | 'http_status'
  | 'response_body'
  | 'attempt_count'
  | 'error'
> & {
  event_type: EventType
  mode: Mode
  run: number
  next_attempt_at: Date | null
  delivered_at: Date | null
  created_at: Date
}

type AttemptRow = Omit<Attempt, 'started_at'> & {
  started_at: Date
  request_url: string
  request_headers: Record<string, string>
}

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event: row.event_type,
  test: row.test,
  test_mode: row.mode === 'test',
  status: row.status,
  http_status: row.http_status,
  response_body: row.response_body,
  attempt_count: row.attempt_count,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  delivered_at: row.delivered_at?.toISOString() ?? null,
  error: row.error,
  workflow_id: workflowId(row.id, row.run),
  created_at: row.created_at.toISOString(),
})

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  started_at: row.started_at.toISOString(),
  duration_ms: row.duration_ms,
  http_status: row.http_status,
  error: row.error,
  response_body: row.response_body,
})

const timeOf = (member: string, text: string | undefined): Date | undefined => {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw invalid(member, 'is not a time. Give ISO 8601, such as 2026-01-31T12:00:00.000Z.')
  return time
}
