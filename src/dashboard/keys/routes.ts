import { Elysia } from 'elysia'
import type { Sql } from '../../db/connect'
import { withCaller } from '../../http/request/caller'
import { listRateLimitUsage } from '../../keys/rate-limit-usage'
import { DASHBOARD_API } from '../paths'

/** How much of its limit each key of the mode has used in the last hour. */
export const keyUseRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .get('/key-use', async ({ caller: { accountId, mode } }) => ({
      data: await listRateLimitUsage(sql, { accountId, modes: [mode] }),
    }))
