import { Elysia } from 'elysia'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { listRateLimitUsage } from '../../keys/rate-limit-usage'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

/** How much of its rate limit each key of the mode has used in the last hour. */
export const rateLimitUsageRoutes = ({ read }: { read: Read }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/rate-limit-usage',
      async ({ caller: { accountId, mode } }) => ({
        data: await read({ accountId }, sql =>
          listRateLimitUsage(sql, { accountId, modes: [mode] }),
        ),
      }),
      { role: 'viewer' },
    )
