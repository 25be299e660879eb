import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import {
  createdBetweenQuery,
  pageQuery,
  searchQuery,
  toListResponse,
  toPageRequest,
} from '../../http/request/paging'
import { EmptyBody, Id, ListResponse, RecordResponse } from '../../http/schema'
import { approveOutline } from './approval'
import { cancelGeneration } from './cancellation'
import { retryGeneration } from './retry'
import { Approval, Generation, GenerationDetail, GenerationStatus, NewGeneration } from './schema'
import { createGeneration, getGeneration, listGenerations } from './store'

const tags: [string] = ['Generations']

export const generationRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/generations',
      ctx => change(ctx, 202, tx => createGeneration(tx, ctx.caller, ctx.body)),
      {
        changes: ['generations'],
        body: NewGeneration,
        detail: operation({
          operationId: 'createGeneration',
          summary: 'Generate an article for a keyword',
          description:
            'Queues the generation. `generation.started` follows when a worker starts it, then `generation.completed` with the draft article, or `generation.failed`. A live generation is taken from the monthly quota, and returned when it fails or is cancelled.',
          tags,
          success: {
            status: 202,
            description: 'It is queued.',
            schema: RecordResponse(GenerationDetail),
          },
          errors: ['PLAN_LIMIT_REACHED'],
        }),
      },
    )
    .get(
      '/generations',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listGenerations(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({
          ...pageQuery('gen'),
          ...createdBetweenQuery,
          ...searchQuery('`keyword`'),
          status: t.Optional(GenerationStatus),
          project_id: t.Optional(Id('prj')),
          keyword_id: t.Optional(Id('kw')),
        }),
        detail: operation({
          operationId: 'listGenerations',
          summary: 'List generations',
          tags,
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Generation) },
        }),
      },
    )
    .get(
      '/generations/:id',
      async ({ caller, params }) => ({
        data: await read(caller, sql => getGeneration(sql, caller, params.id)),
      }),
      {
        detail: operation({
          operationId: 'getGeneration',
          summary: 'Get a generation',
          description:
            'With its steps, and what they have written so far. `progress` is updated while it is RUNNING.',
          tags,
          success: {
            status: 200,
            description: 'The generation.',
            schema: RecordResponse(GenerationDetail),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/generations/:id/approve',
      ctx => change(ctx, 200, tx => approveOutline(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['generations'],
        body: Approval,
        detail: operation({
          operationId: 'approveOutline',
          summary: 'Approve the outline of a generation',
          description:
            'A generation that is AWAITING_APPROVAL continues, with its outline or with the one of the body.',
          tags,
          success: {
            status: 200,
            description: 'It continues.',
            schema: RecordResponse(GenerationDetail),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/generations/:id/retry',
      ctx => change(ctx, 202, tx => retryGeneration(tx, ctx.caller, ctx.params.id)),
      {
        changes: ['generations'],
        body: EmptyBody,
        detail: operation({
          operationId: 'retryGeneration',
          summary: 'Retry a failed generation',
          description:
            'A generation that is FAILED is queued again, and goes on at the step that failed: finished steps are not requested again. It is taken from the monthly quota again, and has the events of a new one.',
          tags,
          success: {
            status: 202,
            description: 'It is queued.',
            schema: RecordResponse(GenerationDetail),
          },
          errors: ['NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_REACHED'],
        }),
      },
    )
    .post(
      '/generations/:id/cancel',
      ctx => change(ctx, 200, tx => cancelGeneration(tx, ctx.caller, ctx.params.id)),
      {
        changes: ['generations', 'deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'cancelGeneration',
          summary: 'Cancel a generation',
          description:
            'It becomes CANCELLED at once, creates no article and fires no event. Only a generation that has not ended can be cancelled.',
          tags,
          success: {
            status: 200,
            description: 'It is cancelled.',
            schema: RecordResponse(GenerationDetail),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
