import { Elysia, t } from 'elysia'
import type { Sql } from '../db/connect'
import { type Change, withChanges } from '../http/change'
import { operation } from '../http/openapi/operation'
import { withCaller } from '../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../http/request/paging'
import { DeletedRecord, EmptyBody, ListResponse, RecordResponse } from '../http/schema'
import { deliveryRoutes } from './deliveries/routes'
import { Delivery } from './deliveries/schema'
import { createTestDelivery } from './deliveries/store'
import { checkWebhookLimit } from './endpoints/limit'
import { pauseRoutes } from './endpoints/pause-routes'
import {
  EventTypeName,
  Rotation,
  Webhook,
  WebhookChanges,
  WebhookInput,
  WebhookWithSecret,
} from './endpoints/schema'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './endpoints/store'
import { eventLogRoutes } from './event-log/routes'
import { EVENT_TYPES } from './events/types'
import type { Cipher } from './signing/encryption'
import { type AddressRules, checkWebhookUrl } from './transport/address'

type Deps = { sql: Sql; change: Change; cipher: Cipher; maxWebhooks: number } & AddressRules

/** Webhooks, their deliveries, and events: contract 8.2. */
export const webhookRoutes = ({ sql, change, cipher, allowPrivate, maxWebhooks }: Deps) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .use(eventLogRoutes({ sql }))
    .use(deliveryRoutes({ change }))
    .use(pauseRoutes({ change }))
    .get('/webhooks/events', () => toListResponse({ rows: [...EVENT_TYPES], next: null }), {
      detail: operation({
        summary: 'List the event types',
        tags: ['Webhooks'],
        success: {
          status: 200,
          description: 'The nine types.',
          schema: ListResponse(EventTypeName),
        },
      }),
    })
    .post(
      '/webhooks',
      context =>
        change(
          context,
          201,
          async tx => {
            await checkWebhookLimit(tx, context.caller, maxWebhooks)
            return createWebhook(tx, cipher, context.caller, context.body)
          },
          { before: () => checkWebhookUrl(context.body.url, { allowPrivate }) },
        ),
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: WebhookInput,
        detail: operation({
          summary: 'Create a webhook',
          description:
            'Checks that every address of the URL is public and sends nothing. The secret is in this response only. An account has at most a certain number of webhooks in each mode, 100 unless the operator set another: 409.',
          tags: ['Webhooks'],
          success: {
            status: 201,
            description: 'The webhook.',
            schema: RecordResponse(WebhookWithSecret),
          },
          errors: ['VALIDATION_ERROR'],
        }),
      },
    )
    .get(
      '/webhooks',
      async ({ caller, query }) =>
        toListResponse(await listWebhooks(sql, caller, toPageRequest(query, 'wh'))),
      {
        query: t.Object(pageQuery),
        detail: operation({
          summary: 'List webhooks',
          tags: ['Webhooks'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Webhook) },
          errors: ['VALIDATION_ERROR'],
        }),
      },
    )
    .get(
      '/webhooks/:id',
      async ({ caller, params }) => ({ data: await getWebhook(sql, caller, params.id) }),
      {
        detail: operation({
          summary: 'Read a webhook',
          tags: ['Webhooks'],
          success: { status: 200, description: 'The webhook.', schema: RecordResponse(Webhook) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/webhooks/:id',
      async context => {
        const { caller, params, body } = context
        if (body.url !== undefined) await checkWebhookUrl(body.url, { allowPrivate })
        return change(context, 200, tx => updateWebhook(tx, caller, params.id, body))
      },
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: WebhookChanges,
        detail: operation({
          summary: 'Change a webhook',
          description: 'Attempts that begin after this use the new URL.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The changed webhook.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
        }),
      },
    )
    .delete(
      '/webhooks/:id',
      context => change(context, 200, tx => deleteWebhook(tx, context.caller, context.params.id)),
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: EmptyBody,
        detail: operation({
          summary: 'Delete a webhook',
          description: 'Its deliveries stay readable through `GET /events/<id>`.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'It is deleted.',
            schema: RecordResponse(DeletedRecord),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/webhooks/:id/rotate-secret',
      context =>
        change(context, 200, tx =>
          rotateSecret(
            tx,
            cipher,
            context.caller,
            context.params.id,
            context.body.overlap_seconds ?? 0,
          ),
        ),
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: Rotation,
        detail: operation({
          summary: 'Rotate the secret',
          description:
            'Every attempt that begins after this is signed with the new secret, which is in this response only.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook.',
            schema: RecordResponse(WebhookWithSecret),
          },
          errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
        }),
      },
    )
    .post(
      '/webhooks/:id/test',
      context =>
        change(context, 202, tx => createTestDelivery(tx, context.caller, context.params.id)),
      {
        changes: ['deliveries'],
        body: EmptyBody,
        detail: operation({
          summary: 'Send a sample delivery',
          description:
            'A generation.completed event with placeholder ids and a genuine signature, whatever the subscription is, and also when the webhook is disabled.',
          tags: ['Webhooks'],
          success: {
            status: 202,
            description: 'The delivery, to come.',
            schema: RecordResponse(Delivery),
          },
          errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
        }),
      },
    )
