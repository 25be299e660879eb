import { Elysia } from 'elysia'
import { operation } from '../http/openapi/operation'
import type { Read } from '../http/read'
import { withCaller } from '../http/request/caller'
import { RecordResponse } from '../http/schema'
import { Usage } from './schema'
import { getUsage } from './store'

export const usageRoutes = ({ read }: { read: Read }) =>
  new Elysia()
    .use(withCaller)
    .get(
      '/usage',
      async ({ caller }) => ({ data: await read(caller, sql => getUsage(sql, caller.accountId)) }),
      {
        detail: operation({
          operationId: 'getUsage',
          summary: "Get this month's usage",
          description:
            "The account's live usage in this UTC month and its quota, whichever key calls. Test mode counts nowhere. A generation beyond the quota gets a 402.",
          tags: ['Usage'],
          success: { status: 200, description: 'The usage.', schema: RecordResponse(Usage) },
        }),
      },
    )
