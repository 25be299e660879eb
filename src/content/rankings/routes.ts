import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import { ListResponse, RecordResponse, Time } from '../../http/schema'
import { NewRanking, Ranking } from './schema'
import { listRankings, recordRanking } from './store'

const tags: [string] = ['Rankings']

export const rankingRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/keywords/:id/rankings',
      ctx => change(ctx, 201, tx => recordRanking(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['keywords', 'rankings', 'deliveries'],
        body: NewRanking,
        detail: operation({
          operationId: 'createRanking',
          summary: 'Store a ranking of a keyword',
          description:
            'Fires `keyword.ranked` when the keyword is tracked, also for an unchanged position.',
          tags,
          success: { status: 201, description: 'The ranking.', schema: RecordResponse(Ranking) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/keywords/:id/rankings',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql =>
            listRankings(sql, caller, params.id, query, toPageRequest(query)),
          ),
        ),
      {
        query: t.Object({
          ...pageQuery('rnk'),
          checked_after: t.Optional(Time({ description: 'Only what was checked later.' })),
          checked_before: t.Optional(Time({ description: 'Only what was checked earlier.' })),
        }),
        detail: operation({
          operationId: 'listRankings',
          summary: 'List the rankings of a keyword',
          tags,
          success: {
            status: 200,
            description: 'The latest `checked_at` first.',
            schema: ListResponse(Ranking),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
