import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import { operation } from '../../http/openapi/operation'
import { withCaller } from '../../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import { Id, ListResponse, RecordResponse, Timestamp } from '../../http/schema'
import {
  Delivery,
  DeliveryDetail,
  DeliveryStatus,
  Event,
  EventDetail,
  Reason,
} from '../deliveries/schema'
import { getDelivery, listAllDeliveries, listDeliveries } from '../deliveries/store'
import { EventTypeName } from '../endpoints/schema'
import { getEvent, listEvents } from './store'

const filterQuery = {
  ...pageQuery,
  status: t.Optional(DeliveryStatus),
  event: t.Optional(EventTypeName),
  created_after: t.Optional(Timestamp),
  created_before: t.Optional(Timestamp),
}

/** What happened, and what was sent of it to whom: contract 5. */
export const eventLogRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia()
    .use(withCaller)
    .get(
      '/deliveries',
      async ({ caller, query }) => {
        const { reasons, ...page } = await listAllDeliveries(
          sql,
          caller,
          query,
          toPageRequest(query, 'dlv'),
        )
        return { ...toListResponse(page), reasons }
      },
      {
        query: t.Object({ ...filterQuery, webhook_id: t.Optional(Id('wh')) }),
        detail: operation({
          summary: 'List the deliveries to all webhooks',
          description:
            'With `status=FAILED`: what never arrived. `reasons` counts why, over all pages: the 20 most common errors of the newest 10,000 that the filter finds.',
          tags: ['Deliveries'],
          success: {
            status: 200,
            description: 'Newest first.',
            schema: t.Composite([ListResponse(Delivery), t.Object({ reasons: t.Array(Reason) })]),
          },
          errors: ['VALIDATION_ERROR'],
        }),
      },
    )
    .get(
      '/webhooks/:id/deliveries',
      async ({ caller, params, query }) =>
        toListResponse(
          await listDeliveries(sql, caller, params.id, query, toPageRequest(query, 'dlv')),
        ),
      {
        query: t.Object(filterQuery),
        detail: operation({
          summary: "List a webhook's deliveries",
          tags: ['Deliveries'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Delivery) },
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
          success: {
            status: 200,
            description: 'The delivery.',
            schema: RecordResponse(DeliveryDetail),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/events',
      async ({ caller, query }) =>
        toListResponse(await listEvents(sql, caller, toPageRequest(query, 'evt'))),
      {
        query: t.Object(pageQuery),
        detail: operation({
          summary: 'List events',
          tags: ['Events'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Event) },
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
          success: { status: 200, description: 'The event.', schema: RecordResponse(EventDetail) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
