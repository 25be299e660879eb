import { Elysia, t } from 'elysia'
import { auditContextOf } from '../accounts/audit'
import { notFound } from '../errors'
import { type Change, withChanges } from '../http/change'
import { checkIfMatch, withEtag } from '../http/etag'
import { ifMatchHeader } from '../http/openapi/headers'
import { operation } from '../http/openapi/operation'
import type { UncheckedRead } from '../http/read'
import { withCaller } from '../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../http/request/paging'
import { EmptyBody, ListResponse, RecordResponse } from '../http/schema'
import { checkKeyLimit } from './key-limit'
import { ApiKey, ApiKeyChanges, ApiKeyWithValue, KeyStatusFilter, NewApiKey } from './schema'
import { createKey, getKey, listKeys, regenerateKey, revokeKey, updateKey } from './store'
import { checkModeVisible, keyAccessOf } from './visibility'

const tags: [string] = ['API keys']

/** That a key was used is no change of it (contract 1.11). */
const withoutUse = ({ last_used_at: _, ...key }: ApiKey) => key

type Deps = { read: UncheckedRead; change: Change; maxKeys: number }

export const keyRoutes = ({ read, change, maxKeys }: Deps) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/api-keys',
      ctx => {
        const { caller, body } = ctx
        const mode = body.mode ?? caller.mode
        checkModeVisible(keyAccessOf(caller), mode)
        return change(ctx, 201, async tx => {
          await checkKeyLimit(tx, { accountId: caller.accountId, mode, max: maxKeys })
          return createKey(tx, auditContextOf(caller), { ...body, mode })
        })
      },
      {
        changes: ['api-keys', 'audit'],
        body: NewApiKey,
        detail: operation({
          operationId: 'createApiKey',
          summary: 'Create an API key',
          description:
            'The response contains the full value in `key`; no later response does. `mode` defaults to that of the calling key; a test key cannot create a live key. The number of active keys of an account in each mode is limited, to 1,000 unless the operator configured another number; beyond it the response is a 409.',
          tags,
          success: {
            status: 201,
            description: 'The key and its value.',
            schema: RecordResponse(ApiKeyWithValue),
          },
        }),
      },
    )
    .get(
      '/api-keys',
      async ({ caller, query: { status = 'active', mode, ...page } }) => {
        const access = keyAccessOf(caller)
        if (mode !== undefined) checkModeVisible(access, mode)
        const modes = mode === undefined ? access.modes : [mode]
        return toListResponse(
          await read(caller, sql =>
            listKeys(sql, { ...access, modes }, status, toPageRequest(page)),
          ),
        )
      },
      {
        query: t.Object({
          ...pageQuery('key'),
          status: t.Optional(KeyStatusFilter),
          mode: t.Optional(ApiKey.properties.mode),
        }),
        detail: operation({
          operationId: 'listApiKeys',
          summary: 'List API keys',
          description: 'A live key sees the keys of both modes, a test key those of test mode.',
          tags,
          success: { status: 200, description: 'Newest first.', schema: ListResponse(ApiKey) },
        }),
      },
    )
    .get(
      '/api-keys/current',
      async ({ caller, set }) => {
        // A user of the dashboard has no key.
        if (caller.actor.type !== 'key') throw notFound('API key', 'current')
        const key = await read(caller, sql => getKey(sql, keyAccessOf(caller), caller.actor.id))
        return withEtag(set, { data: key }, withoutUse(key))
      },
      {
        detail: operation({
          operationId: 'getCurrentApiKey',
          summary: 'Get the calling API key',
          tags,
          hasEtag: true,
          success: { status: 200, description: 'The calling key.', schema: RecordResponse(ApiKey) },
        }),
      },
    )
    .get(
      '/api-keys/:id',
      async ({ caller, params, set }) => {
        const key = await read(caller, sql => getKey(sql, keyAccessOf(caller), params.id))
        return withEtag(set, { data: key }, withoutUse(key))
      },
      {
        detail: operation({
          operationId: 'getApiKey',
          summary: 'Get an API key',
          tags,
          hasEtag: true,
          success: { status: 200, description: 'The key.', schema: RecordResponse(ApiKey) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/api-keys/:id',
      async ctx => {
        const access = keyAccessOf(ctx.caller)
        const response = await change(ctx, 200, tx =>
          updateKey(tx, access, ctx.params.id, ctx.body, before =>
            checkIfMatch(ctx.request)(withoutUse(before)),
          ),
        )
        return withEtag(ctx.set, response, withoutUse(response.data))
      },
      {
        changes: ['api-keys', 'audit'],
        body: ApiKeyChanges,
        detail: operation({
          operationId: 'updateApiKey',
          summary: 'Change the name or the rate limit of an API key',
          description:
            'A new `rate_limit` takes effect on the next request and keeps the history of the window. A revoked key cannot be changed.',
          tags,
          hasEtag: true,
          requestHeaders: ifMatchHeader,
          success: { status: 200, description: 'The changed key.', schema: RecordResponse(ApiKey) },
          errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
        }),
      },
    )
    .post(
      '/api-keys/:id/regenerate',
      ctx => change(ctx, 200, tx => regenerateKey(tx, keyAccessOf(ctx.caller), ctx.params.id)),
      {
        changes: ['api-keys', 'audit'],
        body: EmptyBody,
        detail: operation({
          operationId: 'regenerateApiKey',
          summary: 'Replace the value of an API key',
          description:
            'Keeps the id. The old value stops working at once, without a grace period. A revoked or expired key cannot be regenerated.',
          tags,
          success: {
            status: 200,
            description: 'The key and its new value.',
            schema: RecordResponse(ApiKeyWithValue),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .delete(
      '/api-keys/:id',
      ctx => {
        const access = keyAccessOf(ctx.caller)
        return change(ctx, 200, tx =>
          revokeKey(tx, access, ctx.params.id, before =>
            checkIfMatch(ctx.request)(withoutUse(before)),
          ),
        )
      },
      {
        changes: ['api-keys', 'audit'],
        body: EmptyBody,
        detail: operation({
          operationId: 'revokeApiKey',
          summary: 'Revoke an API key',
          description: 'Takes effect at once and permanently. The record remains.',
          tags,
          requestHeaders: ifMatchHeader,
          success: { status: 200, description: 'The revoked key.', schema: RecordResponse(ApiKey) },
          errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
        }),
      },
    )
