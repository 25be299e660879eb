import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'

/** What a new account does first, and whether it is done. Nothing of it is stored: records show it. */
export type FirstSteps = {
  key: boolean
  webhook: boolean
  project: boolean
  /** An article, or a generation that will make one. */
  article: boolean
  delivery: boolean
}

/** Deliveries that are searched for a delivered one, the newest: an account can have a million that failed. */
const SEARCHED_MAX = 1_000

export const getFirstSteps = async (sql: Sql, { accountId, mode }: Tenant): Promise<FirstSteps> => {
  const ofTenant = sql`account_id = ${accountId} AND mode = ${mode}`
  const [steps] = await sql<[FirstSteps]>`
    SELECT
      EXISTS (SELECT FROM api_keys WHERE ${ofTenant} AND revoked_at IS NULL) AS key,
      EXISTS (SELECT FROM webhooks WHERE ${ofTenant} AND deleted_at IS NULL) AS webhook,
      EXISTS (SELECT FROM projects WHERE ${ofTenant} AND deleted_at IS NULL) AS project,
      EXISTS (SELECT FROM articles WHERE ${ofTenant})
        OR EXISTS (SELECT FROM generations WHERE ${ofTenant}) AS article,
      EXISTS (
        SELECT FROM (
          SELECT status FROM deliveries WHERE ${ofTenant} ORDER BY id DESC LIMIT ${SEARCHED_MAX}
        ) newest WHERE status = 'DELIVERED'
      ) AS delivery`
  return steps
}
