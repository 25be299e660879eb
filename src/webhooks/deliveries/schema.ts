import { t } from 'elysia'
import { Id, Integer, Nullable, OneOf, Timestamp, type TypeOf } from '../../http/schema'
import { EventTypeName } from '../endpoints/schema'

/** Schemas of deliveries and events as the API answers them (contract 5.1, 5.15). */
export const DeliveryStatus = OneOf(['RETRYING', 'DELIVERED', 'FAILED'], {
  description: 'RETRYING waits for its first or next attempt; DELIVERED and FAILED are final.',
  examples: ['DELIVERED'],
})

export const Delivery = t.Object(
  {
    id: Id('dlv', 'The X-Webhook-Delivery-Id of every attempt.'),
    webhook_id: Id('wh'),
    event_id: Id('evt'),
    event: EventTypeName,
    test: t.Boolean({ description: 'Made by the test endpoint.' }),
    test_mode: t.Boolean(),
    status: DeliveryStatus,
    http_status: Nullable(
      Integer({ description: 'Of the last attempt that was answered.', examples: [200] }),
    ),
    response_body: Nullable(
      t.String({
        description: 'Of the last attempt: its first 64 KiB, as UTF-8.',
        examples: ['ok'],
      }),
    ),
    attempt_count: Integer({ examples: [1] }),
    next_attempt_at: Nullable(Timestamp, { examples: [null] }),
    sequence: Nullable(
      Integer({
        description:
          'Its place among the events of an `ordered` webhook, whose order goes on after one that is FAILED; null outside of any order: a test, a redelivery.',
        examples: [null],
      }),
    ),
    waits_for: Nullable(
      Id('dlv', 'The earlier delivery that is not final yet: this one is not sent before it is.'),
      { examples: [null] },
    ),
    delivered_at: Nullable(Timestamp),
    error: Nullable(t.String({ description: 'Why the last attempt failed, in words.' }), {
      examples: [null],
    }),
    workflow_id: Nullable(
      t.String({
        description:
          'Of its workflow in Temporal; null when it became final without one, as most do where the operator has chosen the lane for volume, and before its workflow is started while it has a place in the order of a webhook.',
        examples: ['delivery:dlv_01kafz3v5tf4qrm8z3x9d2c7ne'],
      }),
    ),
    created_at: Timestamp,
  },
  { title: 'Delivery' },
)
export type Delivery = TypeOf<typeof Delivery>

/** One reason for which deliveries did not arrive, and how many have it. */
export const Reason = t.Object(
  {
    error: t.String({ examples: ['connection refused'] }),
    count: Integer({ minimum: 1, examples: [12] }),
  },
  { title: 'Reason' },
)
export type Reason = TypeOf<typeof Reason>

export const Attempt = t.Object(
  {
    number: Integer({ minimum: 1 }),
    started_at: Timestamp,
    duration_ms: Integer({ examples: [128] }),
    http_status: Nullable(Integer({ examples: [200] })),
    error: Nullable(t.String(), { examples: [null] }),
    response_body: Nullable(t.String({ examples: ['ok'] })),
  },
  { title: 'Attempt' },
)
export type Attempt = TypeOf<typeof Attempt>

const DATA_EXAMPLE = {
  article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
  project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
  keyword_id: null,
  title: 'Ten ways to brew coffee',
  status: 'PUBLISHED',
}

const REQUEST_EXAMPLE = {
  url: 'https://example.com/hooks',
  headers: {
    'Content-Type': 'application/json',
    'X-Webhook-Event': 'article.published',
    'X-Webhook-Delivery-Id': 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne',
  },
  body: JSON.stringify({
    id: 'evt_01kafz3v5tf4qrm8z3x9d2c7ne',
    event: 'article.published',
    created_at: '2026-01-31T12:00:00.000Z',
    data: DATA_EXAMPLE,
  }),
}

export const DeliveryDetail = t.Composite(
  [
    Delivery,
    t.Object({
      request: Nullable(
        t.Object(
          { url: t.String(), headers: t.Record(t.String(), t.String()), body: t.String() },
          {
            description: 'As last sent, signature included; null before the first attempt.',
            examples: [REQUEST_EXAMPLE],
          },
        ),
      ),
      attempts: t.Array(Attempt),
      follows_failed: Nullable(
        Id(
          'dlv',
          'The delivery before it in the order, which is FAILED: the order went on with this one.',
        ),
        { examples: [null] },
      ),
    }),
  ],
  { title: 'DeliveryDetail' },
)
export type DeliveryDetail = TypeOf<typeof DeliveryDetail>

export const Event = t.Object(
  {
    id: Id('evt'),
    event: EventTypeName,
    data: t.Record(t.String(), t.Unknown(), {
      description: 'The payload, by event type.',
      examples: [DATA_EXAMPLE],
    }),
    test: t.Boolean({ description: 'The sample event of the test endpoint.' }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Event' },
)
export type Event = TypeOf<typeof Event>

export const EventDetail = t.Composite([Event, t.Object({ deliveries: t.Array(Delivery) })], {
  title: 'EventDetail',
})
export type EventDetail = TypeOf<typeof EventDetail>
