import { Elysia } from 'elysia'
import type { Sql } from '../db/connect'
import { operation } from '../http/openapi/operation'
import { withCaller } from '../http/request/caller'
import { RecordResponse } from '../http/schema'
import { getUsage, Usage } from './store'

export const usageRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia()
    .use(withCaller)
    .get('/usage', async ({ caller }) => ({ data: await getUsage(sql, caller.accountId) }), {
      detail: operation({
        summary: "Get this month's usage",
        description:
          "The account's live usage in this UTC month and its plan, whichever key asks. Test mode counts nowhere. A generation over the quota is answered 402.",
        tags: ['Usage'],
        success: { status: 200, description: 'The usage.', schema: RecordResponse(Usage) },
      }),
    })
