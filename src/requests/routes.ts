import { Elysia, t } from 'elysia'
import { METHODS } from '../http/methods'
import { operation } from '../http/openapi/operation'
import type { Read } from '../http/read'
import { withCaller } from '../http/request/caller'
import {
  createdBetweenQuery,
  pageQuery,
  toListResponse,
  toPageRequest,
} from '../http/request/paging'
import { Id, Integer, ListResponse, OneOf, RecordResponse, Reference } from '../http/schema'
import { LOGGED_PER_HOUR, RETENTION_DAYS } from './limits'
import { FailedRequest } from './schema'
import { getFailedRequest, listFailedRequests } from './store'

/** The request log: contract 2.6. */
export const requestRoutes = ({ read }: { read: Read }) =>
  new Elysia()
    .use(withCaller)
    .get(
      '/requests',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listFailedRequests(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({
          ...pageQuery('req'),
          ...createdBetweenQuery,
          status: t.Optional(
            Integer({ minimum: 400, maximum: 599, description: 'Only with this status.' }),
          ),
          method: t.Optional(OneOf(METHODS)),
          key_id: t.Optional(Id('key', 'Only of this API key.')),
          request_id: t.Optional(
            Reference({ description: 'Only with this `X-Request-Id` of the response.' }),
          ),
        }),
        detail: operation({
          operationId: 'listFailedRequests',
          summary: 'List failed requests',
          description: `Requests that got an error, except 401 and 429, and 503 where the key could not be checked, of the last ${RETENTION_DAYS} days. A key lists those of API keys; those of users are in the dashboard. They appear within seconds. Of each hour, the first ${LOGGED_PER_HOUR} are kept.`,
          tags: ['Requests'],
          success: {
            status: 200,
            description: 'Newest first.',
            schema: ListResponse(FailedRequest),
          },
        }),
      },
    )
    .get(
      '/requests/:id',
      async ({ caller, params }) => ({
        data: await read(caller, sql => getFailedRequest(sql, caller, params.id)),
      }),
      {
        detail: operation({
          operationId: 'getFailedRequest',
          summary: 'Read a failed request',
          tags: ['Requests'],
          success: {
            status: 200,
            description: 'The failed request.',
            schema: RecordResponse(FailedRequest),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
