import { Elysia, t } from 'elysia'
import type { Sql } from '../db/connect'
import { withCaller } from '../http/caller'
import { operation } from '../http/operation'
import { listed, pageOf, pageQuery } from '../http/paging'
import { List, One, Timestamp } from '../http/schema'
import { getDelivery, listDeliveries } from './deliveries'
import { Delivery, DeliveryDetail, DeliveryStatus, Event, EventDetail } from './delivery-record'
import { getEvent, listEvents } from './history'
import { EventTypeName } from './record'

/** What happened, and what was sent of it to whom: contract 5. */
export const historyRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia()
    .use(withCaller)
    .get(
      '/webhooks/:id/deliveries',
      async ({ caller, params, query }) =>
        listed(await listDeliveries(sql, caller, params.id, query, pageOf(query, 'dlv'))),
      {
        query: t.Object({
          ...pageQuery,
          status: t.Optional(DeliveryStatus),
          event: t.Optional(EventTypeName),
          created_after: t.Optional(Timestamp),
          created_before: t.Optional(Timestamp),
        }),
        detail: operation({
          summary: "List a webhook's deliveries",
          tags: ['Deliveries'],
          answers: { status: 200, description: 'Newest first.', schema: List(Delivery) },
          errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
        }),
      },
    )
    .get(
      '/webhooks/:id/deliveries/:delivery_id',
      async ({ caller, params }) => ({
        data: await getDelivery(sql, caller, params.id, params.delivery_id),
      }),
      {
        detail: operation({
          summary: 'Read a delivery with its attempts',
          tags: ['Deliveries'],
          answers: { status: 200, description: 'The delivery.', schema: One(DeliveryDetail) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/events',
      async ({ caller, query }) => listed(await listEvents(sql, caller, pageOf(query, 'evt'))),
      {
        query: t.Object(pageQuery),
        detail: operation({
          summary: 'List events',
          tags: ['Events'],
          answers: { status: 200, description: 'Newest first.', schema: List(Event) },
          errors: ['VALIDATION_ERROR'],
        }),
      },
    )
    .get(
      '/events/:id',
      async ({ caller, params }) => ({ data: await getEvent(sql, caller, params.id) }),
      {
        detail: operation({
          summary: 'Read an event with its deliveries',
          description: 'Deliveries to webhooks that were deleted since are among them.',
          tags: ['Events'],
          answers: { status: 200, description: 'The event.', schema: One(EventDetail) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
