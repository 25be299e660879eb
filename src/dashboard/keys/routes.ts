import { Elysia } from 'elysia'
import type { UncheckedRead } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { listRateLimitUsage } from '../../keys/rate-limit-usage'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

/** The part of its rate limit that each key of the mode has used in the last hour. */
export const rateLimitUsageRoutes = ({ read }: { read: UncheckedRead }) =>
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
