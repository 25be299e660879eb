import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { checkIfMatch, withEtag } from '../../http/etag'
import { ifMatchHeader } from '../../http/openapi/headers'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { pageQuery, searchQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import { DeletedRecord, EmptyBody, ListResponse, RecordResponse } from '../../http/schema'
import type { Topic } from '../../notifications/topics'
import { EventTypeName } from '../events/schema'
import { EVENT_TYPES } from '../events/types'
import type { Cipher } from '../signing/encryption'
import type { AddressRules } from '../transport/address'
import { checkWebhookLimit } from './limit'
import { setPaused } from './pause'
import { Rotation, Webhook, WebhookChanges, WebhookInput, WebhookWithSecret } from './schema'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './store'
import { checkUrlInTurn } from './url-check'

type Deps = { read: Read; change: Change; cipher: Cipher; maxWebhooks: number } & AddressRules

/** Topics of every change to a webhook: it is audited, and can end or release deliveries. */
const CHANGES: readonly Topic[] = ['webhooks', 'deliveries', 'audit']

/** Webhook routes: contract 4 and 8.2. */
export const endpointRoutes = ({ read, change, cipher, allowPrivate, maxWebhooks }: Deps) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .get('/webhooks/events', () => toListResponse({ rows: [...EVENT_TYPES], next: null }), {
      detail: operation({
        operationId: 'listEventTypes',
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
          { before: () => checkUrlInTurn(context.caller, context.body.url, { allowPrivate }) },
        ),
      {
        changes: CHANGES,
        body: WebhookInput,
        detail: operation({
          operationId: 'createWebhook',
          summary: 'Create a webhook',
          description:
            'Checks that every address of the URL is public and sends nothing. The secret is in this response only. An account has at most 100 webhooks in each mode, unless the operator configured another limit; one more is a 409.',
          tags: ['Webhooks'],
          success: {
            status: 201,
            description: 'The webhook.',
            schema: RecordResponse(WebhookWithSecret),
          },
        }),
      },
    )
    .get(
      '/webhooks',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listWebhooks(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({ ...pageQuery('wh'), ...searchQuery('`url` or `description`') }),
        detail: operation({
          operationId: 'listWebhooks',
          summary: 'List webhooks',
          tags: ['Webhooks'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Webhook) },
        }),
      },
    )
    .get(
      '/webhooks/:id',
      async ({ caller, params, set }) =>
        withEtag(set, { data: await read(caller, sql => getWebhook(sql, caller, params.id)) }),
      {
        detail: operation({
          operationId: 'getWebhook',
          summary: 'Read a webhook',
          tags: ['Webhooks'],
          hasEtag: true,
          success: { status: 200, description: 'The webhook.', schema: RecordResponse(Webhook) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/webhooks/:id',
      async context => {
        const { caller, params, body, request, set } = context
        if (body.url !== undefined) await checkUrlInTurn(caller, body.url, { allowPrivate })
        const response = await change(context, 200, tx =>
          updateWebhook(tx, cipher, caller, params.id, body, checkIfMatch(request)),
        )
        return withEtag(set, response)
      },
      {
        changes: CHANGES,
        body: WebhookChanges,
        detail: operation({
          operationId: 'updateWebhook',
          summary: 'Change a webhook',
          description: 'Attempts that begin afterwards use the new URL.',
          tags: ['Webhooks'],
          hasEtag: true,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'The changed webhook.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )
    .delete(
      '/webhooks/:id',
      context => {
        const { caller, params, request } = context
        return change(context, 200, tx =>
          deleteWebhook(tx, caller, params.id, checkIfMatch(request)),
        )
      },
      {
        changes: CHANGES,
        body: EmptyBody,
        detail: operation({
          operationId: 'deleteWebhook',
          summary: 'Delete a webhook',
          description: 'Its deliveries remain readable through `GET /events/<id>`.',
          tags: ['Webhooks'],
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'It is deleted.',
            schema: RecordResponse(DeletedRecord),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )
    .post(
      '/webhooks/:id/rotate-secret',
      context => {
        const { caller, params, body } = context
        const overlapSeconds = body.overlap_seconds ?? 0
        return change(context, 200, tx =>
          rotateSecret(tx, cipher, caller, params.id, overlapSeconds),
        )
      },
      {
        changes: CHANGES,
        body: Rotation,
        detail: operation({
          operationId: 'rotateWebhookSecret',
          summary: 'Rotate the secret',
          description:
            'Every attempt that begins afterwards is signed with the new secret, which is in this response only.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook.',
            schema: RecordResponse(WebhookWithSecret),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/webhooks/:id/pause',
      context => change(context, 200, tx => setPaused(tx, context.caller, context.params.id, true)),
      {
        changes: CHANGES,
        body: EmptyBody,
        detail: operation({
          operationId: 'pauseWebhook',
          summary: 'Pause a webhook',
          description:
            'No attempt begins until the webhook is resumed, test deliveries included; its deliveries wait. An attempt that has begun is completed and recorded.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook, paused.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/webhooks/:id/resume',
      context =>
        change(context, 200, tx => setPaused(tx, context.caller, context.params.id, false)),
      {
        changes: CHANGES,
        body: EmptyBody,
        detail: operation({
          operationId: 'resumeWebhook',
          summary: 'Resume a webhook',
          description: 'Deliveries that waited are sent.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook, no longer paused.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
