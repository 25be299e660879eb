import { t } from 'elysia'
import { Integer, Nullable, type Of, OneOf, Timestamp } from '../http/schema'
import { EventTypeName } from './record'

/** Schemas of deliveries and events as the API answers them (contract 5). */
export const DeliveryStatus = OneOf(['RETRYING', 'DELIVERED', 'FAILED'], {
  description: 'RETRYING waits for its first or next attempt; DELIVERED and FAILED are final.',
})

export const Delivery = t.Object(
  {
    id: t.String({ description: 'The X-Webhook-Delivery-Id of every attempt.' }),
    webhook_id: t.String(),
    event_id: t.String(),
    event: EventTypeName,
    test: t.Boolean({ description: 'Made by the test endpoint.' }),
    test_mode: t.Boolean(),
    status: DeliveryStatus,
    http_status: Nullable(Integer({ description: 'Of the last attempt that was answered.' })),
    response_body: Nullable(
      t.String({ description: 'Of the last attempt: its first 64 KiB, as UTF-8.' }),
    ),
    attempt_count: Integer(),
    next_attempt_at: Nullable(Timestamp),
    delivered_at: Nullable(Timestamp),
    error: Nullable(t.String({ description: 'Why the last attempt failed, in words.' })),
    workflow_id: t.String({ description: 'Of its workflow in Temporal.' }),
    created_at: Timestamp,
  },
  { title: 'Delivery' },
)
export type Delivery = Of<typeof Delivery>

export const Attempt = t.Object(
  {
    number: Integer({ minimum: 1 }),
    started_at: Timestamp,
    duration_ms: Integer(),
    http_status: Nullable(Integer()),
    error: Nullable(t.String()),
    response_body: Nullable(t.String()),
  },
  { title: 'Attempt' },
)
export type Attempt = Of<typeof Attempt>

export const DeliveryDetail = t.Composite(
  [
    Delivery,
    t.Object({
      request: Nullable(
        t.Object(
          { url: t.String(), headers: t.Record(t.String(), t.String()), body: t.String() },
          { description: 'As last sent, signature included; null before the first attempt.' },
        ),
      ),
      attempts: t.Array(Attempt),
    }),
  ],
  { title: 'DeliveryDetail' },
)
export type DeliveryDetail = Of<typeof DeliveryDetail>

export const Event = t.Object(
  {
    id: t.String(),
    event: EventTypeName,
    data: t.Record(t.String(), t.Unknown(), { description: 'The payload, by event type.' }),
    test: t.Boolean({ description: 'The sample event of the test endpoint.' }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Event' },
)
export type Event = Of<typeof Event>

export const EventDetail = t.Composite([Event, t.Object({ deliveries: t.Array(Delivery) })], {
  title: 'EventDetail',
})
export type EventDetail = Of<typeof EventDetail>
