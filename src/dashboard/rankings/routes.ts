import { Elysia, t } from 'elysia'
import { getRankingHistory } from '../../content/rankings/history'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { Time } from '../../http/schema'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

/** The ranking chart of a keyword. */
export const rankingHistoryRoutes = ({ read }: { read: Read }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/keywords/:id/ranking-history',
      async ({ caller, params, query: { since } }) => ({
        data: await read(caller, sql => getRankingHistory(sql, caller, params.id, since)),
      }),
      { role: 'viewer', query: t.Object({ since: t.Optional(Time()) }) },
    )
