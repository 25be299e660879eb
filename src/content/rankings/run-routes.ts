import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import { EmptyBody, ListResponse, RecordResponse } from '../../http/schema'
import { getRankRun, listRankRuns, requestRankRun } from './project-runs'
import { RankRun } from './run-schema'

const tags: [string] = ['Rankings']

export const rankRunRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/projects/:id/rank-runs',
      ctx => change(ctx, 202, tx => requestRankRun(tx, ctx.caller, ctx.params.id)),
      {
        changes: ['rankings'],
        body: EmptyBody,
        detail: operation({
          operationId: 'createRankRun',
          summary: 'Check the tracked keywords of a project now',
          description:
            'Beside its schedule, at most once an hour for each project. While such a run is `QUEUED` or `RUNNING`, the response has that one. Live mode only.',
          tags,
          success: { status: 202, description: 'The run.', schema: RecordResponse(RankRun) },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .get(
      '/projects/:id/rank-runs',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql => listRankRuns(sql, caller, params.id, toPageRequest(query))),
        ),
      {
        query: t.Object(pageQuery('rrn')),
        detail: operation({
          operationId: 'listRankRuns',
          summary: 'List the runs of the rank tracking of a project',
          tags,
          success: { status: 200, description: 'Newest first.', schema: ListResponse(RankRun) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/rank-runs/:id',
      async ({ caller, params }) => ({
        data: await read(caller, sql => getRankRun(sql, caller, params.id)),
      }),
      {
        detail: operation({
          operationId: 'getRankRun',
          summary: 'Get a run of the rank tracking',
          tags,
          success: { status: 200, description: 'The run.', schema: RecordResponse(RankRun) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
