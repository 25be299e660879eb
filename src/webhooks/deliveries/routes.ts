import { Elysia, t } from 'elysia'
import { type Change, madeBefore, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import {
  createdBetweenQuery,
  numberPageQuery,
  pageQuery,
  toListResponse,
  toPageRequest,
} from '../../http/request/paging'
import { EmptyBody, Id, ListResponse, RecordResponse } from '../../http/schema'
import { EventTypeName } from '../events/schema'
import type { Cipher } from '../signing/encryption'
import { redeliverFailed } from './bulk-redelivery'
import { redeliver } from './redelivery'
import {
  Attempt,
  Delivery,
  DeliveryDetail,
  DeliveryStatus,
  Reason,
  RedeliveryInput,
  RedeliveryResult,
  TestInput,
} from './schema'
import {
  createTestDelivery,
  findDelivery,
  getDelivery,
  listAllDeliveries,
  listAttempts,
  listDeliveries,
} from './store'

const filterQuery = {
  ...pageQuery('dlv'),
  ...createdBetweenQuery,
  status: t.Optional(DeliveryStatus),
  event: t.Optional(EventTypeName),
}

type Deps = { read: Read; change: Change; cipher: Cipher }

/** Delivery routes: contract 5 and 8.2. */
export const deliveryRoutes = ({ read, change, cipher }: Deps) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .get(
      '/deliveries',
      async ({ caller, query }) => {
        const page = toPageRequest(query)
        const { reasons, ...found } = await read(caller, sql =>
          listAllDeliveries(sql, caller, query, page),
        )
        return { ...toListResponse(found), reasons }
      },
      {
        query: t.Object({ ...filterQuery, webhook_id: t.Optional(Id('wh')) }),
        detail: operation({
          operationId: 'listDeliveries',
          summary: 'List the deliveries to all webhooks',
          description:
            'With `status=FAILED`, the failed deliveries. `reasons` counts errors over all pages: the 20 most common among the newest 10,000 deliveries that match the filter.',
          tags: ['Deliveries'],
          success: {
            status: 200,
            description: 'Newest first.',
            schema: t.Composite([ListResponse(Delivery), t.Object({ reasons: t.Array(Reason) })]),
          },
        }),
      },
    )
    .get(
      '/deliveries/:id',
      async ({ caller, params }) => ({
        data: await read(caller, sql => findDelivery(sql, cipher, caller, params.id)),
      }),
      {
        detail: operation({
          operationId: 'getDelivery',
          summary: 'Get a delivery with its attempts',
          description: 'By its id alone, also where its webhook was deleted.',
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
      '/webhooks/:id/deliveries',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql =>
            listDeliveries(sql, caller, params.id, query, toPageRequest(query)),
          ),
        ),
      {
        query: t.Object(filterQuery),
        detail: operation({
          operationId: 'listWebhookDeliveries',
          summary: "List a webhook's deliveries",
          tags: ['Deliveries'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Delivery) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/webhooks/:id/deliveries/:delivery_id',
      async ({ caller, params }) => ({
        data: await read(caller, sql =>
          getDelivery(sql, cipher, caller, params.id, params.delivery_id),
        ),
      }),
      {
        detail: operation({
          operationId: 'getWebhookDelivery',
          summary: 'Read a delivery with its attempts',
          description: 'Its newest 30 attempts, oldest first. `/attempts` lists all.',
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
      '/webhooks/:id/deliveries/:delivery_id/attempts',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql =>
            listAttempts(sql, caller, params.id, params.delivery_id, toPageRequest(query)),
          ),
        ),
      {
        query: t.Object(numberPageQuery()),
        detail: operation({
          operationId: 'listAttempts',
          summary: 'List the attempts of a delivery',
          description: 'The newest six have the response body.',
          tags: ['Deliveries'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Attempt) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/webhooks/:id/deliveries/:delivery_id/redeliver',
      context => {
        const { caller, params } = context
        return change(context, 202, tx => redeliver(tx, caller, params.id, params.delivery_id))
      },
      {
        changes: ['deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'redeliver',
          summary: 'Send a delivery again',
          description:
            'Up to three more attempts with the same delivery id and body, numbered on. 409 while the delivery is RETRYING, and while the webhook is disabled.',
          tags: ['Deliveries'],
          success: {
            status: 202,
            description: 'The delivery, RETRYING.',
            schema: RecordResponse(Delivery),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/webhooks/:id/redeliver',
      context => {
        const { caller, params, body } = context
        return change(context, 202, madeBefore<{ count: number }>, {
          before: transact => redeliverFailed(transact, caller, params.id, body.created_after),
        })
      },
      {
        changes: ['deliveries'],
        body: RedeliveryInput,
        detail: operation({
          operationId: 'redeliverFailed',
          summary: 'Send failed deliveries again',
          description:
            'All FAILED deliveries of the webhook, or those created after `created_after`. 409 while the webhook is disabled.',
          tags: ['Deliveries'],
          success: {
            status: 202,
            description: 'How many.',
            schema: RecordResponse(RedeliveryResult),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/webhooks/:id/test',
      context =>
        change(context, 202, tx =>
          createTestDelivery(tx, context.caller, context.params.id, context.body.event),
        ),
      {
        changes: ['deliveries'],
        body: TestInput,
        detail: operation({
          operationId: 'testWebhook',
          summary: 'Send a sample delivery',
          description:
            'An event of the type with placeholder ids and a genuine signature, whatever the webhook is subscribed to, and also while it is disabled.',
          tags: ['Webhooks'],
          success: { status: 202, description: 'The delivery.', schema: RecordResponse(Delivery) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
