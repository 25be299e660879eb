import { Elysia, t } from 'elysia'
import { getRankingHistory } from '../../content/rankings/history'
import type { Sql } from '../../db/connect'
import { withCaller } from '../../http/request/caller'
import { DASHBOARD_API } from '../paths'

/** What the chart of a keyword shows. */
export const rankingHistoryRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false }).use(withCaller).get(
    '/keywords/:id/ranking-history',
    async ({ caller, params, query: { since } }) => ({
      data: await getRankingHistory(sql, caller, params.id, since),
    }),
    { query: t.Object({ since: t.Optional(t.String({ format: 'date-time' })) }) },
  )
