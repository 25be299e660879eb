import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import {
  createdBetweenQuery,
  pageQuery,
  toListResponse,
  toPageRequest,
} from '../../http/request/paging'
import { ListResponse, RecordResponse } from '../../http/schema'
import { EventTypeName } from '../events/schema'
import { Event, EventDetail } from './schema'
import { getEvent, listEvents } from './store'

/** Event routes: contract 5.15. */
export const eventLogRoutes = ({ read }: { read: Read }) =>
  new Elysia()
    .use(withCaller)
    .get(
      '/events',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listEvents(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({
          ...pageQuery('evt'),
          ...createdBetweenQuery,
          event: t.Optional(EventTypeName),
        }),
        detail: operation({
          operationId: 'listEvents',
          summary: 'List events',
          tags: ['Events'],
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Event) },
        }),
      },
    )
    .get(
      '/events/:id',
      async ({ caller, params }) => ({
        data: await read(caller, sql => getEvent(sql, caller, params.id)),
      }),
      {
        detail: operation({
          operationId: 'getEvent',
          summary: 'Read an event with its deliveries',
          description:
            'Includes deliveries to webhooks that have been deleted since. Response bodies beyond 4 MiB in all are null.',
          tags: ['Events'],
          success: { status: 200, description: 'The event.', schema: RecordResponse(EventDetail) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
