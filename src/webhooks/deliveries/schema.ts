import { t } from 'elysia'
import {
  Id,
  Integer,
  Nullable,
  OneOf,
  RequestBody,
  Time,
  Timestamp,
  type TypeOf,
} from '../../http/schema'
import { EVENT_DATA_EXAMPLE, EventTypeName } from '../events/schema'

/** Delivery schemas of the API: contract 5.1. */
export const DeliveryStatus = OneOf(['RETRYING', 'DELIVERED', 'FAILED'], {
  title: 'DeliveryStatus',
  description: 'RETRYING waits for its first or next attempt; DELIVERED and FAILED are final.',
  examples: ['DELIVERED'],
})

/** What a delivery that is not final does now: contract 5.3. */
export const DeliveryProgress = OneOf(
  [
    'under_way',
    'disabled',
    'all_paused',
    'paused',
    'secret',
    'order',
    'no_worker',
    'scheduled',
    'temporal_away',
    'late',
    'slow_webhook',
    'turn',
  ],
  {
    title: 'DeliveryProgress',
    description:
      'under_way: its request is being sent, or waits for the response. disabled: its webhook is disabled or was deleted, so it ends FAILED instead of its next attempt, while deliveries are paused when they are resumed; enabled before, it is sent. all_paused, paused: it waits until an operator resumes all deliveries, or until its webhook is resumed. secret: the secret or a custom header of its webhook cannot be decrypted; it is sent when the secret is rotated and the headers are set again. order: it waits for the delivery `waits_for`. no_worker: no worker runs that could send it. scheduled: its time has not come. temporal_away: Temporal, which it needs, does not respond; it is sent afterwards. late: it is overdue, because workers are busy, or one of them or its workflow was stopped, which Arden notices within two minutes. slow_webhook: it is due, and its webhook responds slowly and gets one delivery at a time. turn: it is due, and waits for its turn or for the share of its account.',
    examples: ['scheduled'],
  },
)
export type DeliveryProgress = TypeOf<typeof DeliveryProgress>

export const Delivery = t.Object(
  {
    id: Id('dlv', 'The X-Webhook-Delivery-Id of every attempt.'),
    webhook_id: Id('wh'),
    event_id: Id('evt'),
    event: EventTypeName,
    test: t.Boolean({ description: 'Whether the test endpoint made it.' }),
    test_mode: t.Boolean(),
    status: DeliveryStatus,
    http_status: Nullable(
      Integer({
        description: 'The status of the last attempt that got a response.',
        examples: [200],
      }),
    ),
    response_body: Nullable(
      t.String({
        description: 'The first 64 KiB of the response to the last attempt, as UTF-8.',
        examples: ['ok'],
      }),
    ),
    attempt_count: Integer({ examples: [1] }),
    next_attempt_at: Nullable(Timestamp, { examples: [null] }),
    sequence: Nullable(
      Integer({
        description:
          'Its number in the order of an `ordered` webhook; the order continues after a FAILED delivery. Null for deliveries outside the order: test deliveries and redeliveries.',
      }),
      { examples: [null] },
    ),
    waits_for: Nullable(
      Id(
        'dlv',
        'The first earlier delivery that is not final; this one is sent when that is DELIVERED or FAILED.',
      ),
      { examples: [null] },
    ),
    delivered_at: Nullable(Timestamp),
    error: Nullable(t.String({ description: 'Why the last attempt failed.' }), {
      examples: [null],
    }),
    workflow_id: Nullable(
      t.String({
        description:
          'The id of its workflow in Temporal. Null when it became final without one, as most do with ARDEN_WORKFLOWS=on-retry, and, in the order of an `ordered` webhook, until its workflow starts.',
        examples: ['delivery:dlv_01kafz3v5tf4qrm8z3x9d2c7ne'],
      }),
    ),
    created_at: Timestamp,
  },
  { title: 'Delivery' },
)
export type Delivery = TypeOf<typeof Delivery>

/** An error and the number of deliveries that have it: contract 5.10. */
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
    data: EVENT_DATA_EXAMPLE,
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
            description:
              'The request as last sent, signature included. Null before the first attempt.',
            examples: [REQUEST_EXAMPLE],
          },
        ),
      ),
      attempts: t.Array(Attempt),
      progress: Nullable(DeliveryProgress, { examples: [null] }),
      follows_failed: Nullable(
        Id(
          'dlv',
          'The previous delivery in the order, where that is FAILED: the order continued with this one.',
        ),
        { examples: [null] },
      ),
    }),
  ],
  { title: 'DeliveryDetail' },
)
export type DeliveryDetail = TypeOf<typeof DeliveryDetail>

export const TestInput = RequestBody(
  { event: t.Optional(EventTypeName) },
  { title: 'TestInput', description: 'Without `event` it is `generation.completed`.' },
)

export const RedeliveryInput = RequestBody(
  {
    status: OneOf(['FAILED'], {
      description: 'The status of the deliveries to send again.',
      examples: ['FAILED'],
    }),
    created_after: t.Optional(
      Time({
        description: 'Only those created after this time.',
        examples: ['2026-01-31T12:00:00.000Z'],
      }),
    ),
  },
  { title: 'BulkRedeliveryInput' },
)

export const RedeliveryResult = t.Object(
  {
    count: Integer({
      minimum: 0,
      description: 'How many deliveries are sent again.',
      examples: [12],
    }),
  },
  { title: 'RedeliveryResult' },
)
