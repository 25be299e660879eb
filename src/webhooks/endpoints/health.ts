import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { lowestIdAt } from '../../ids'

/** The state of a webhook beyond its record, for the dashboard. */
export type WebhookHealth = {
  /** FAILED deliveries created in the last hour. */
  failed: number
  /** Deliveries that wait for their first or next attempt. */
  retrying: number
  /** When the first delivery became FAILED since the last one that was DELIVERED. */
  failing_since: string | null
  /** End of the overlap after a rotation of the secret; null without one (contract 4.5). */
  previous_secret_until: string | null
}

export type WebhookHealthReport = {
  /** The operator has paused all deliveries of the deployment. */
  all_paused: boolean
  of: { [webhookId: string]: WebhookHealth }
}

const HOUR_MS = 3_600_000
/** Deliveries that are counted at most, for all webhooks together. */
const COUNTED_MAX = 10_000

/** The health of every webhook of the tenant, by id. */
export const reportWebhookHealth = async (
  sql: Sql,
  tenant: Tenant,
): Promise<WebhookHealthReport> => {
  const hourAgo = lowestIdAt('dlv', new Date(Date.now() - HOUR_MS))
  const ofTenant = sql`account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
  const open = (which: ReturnType<Sql>) => sql`
    (SELECT webhook_id, status FROM deliveries
      WHERE ${ofTenant} AND status <> 'DELIVERED' AND ${which} ORDER BY id DESC LIMIT ${COUNTED_MAX})`
  const [deployment] = await sql<
    [{ all_paused: boolean }]
  >`SELECT paused_at IS NOT NULL AS all_paused FROM deployment`
  const rows = await sql<HealthRow[]>`
    SELECT w.id, coalesce(n.failed, 0) AS failed, coalesce(n.retrying, 0) AS retrying,
      w.failing_since,
      CASE WHEN w.previous_secret_until > clock_timestamp() THEN w.previous_secret_until END
        AS previous_secret_until
    FROM webhook_states w LEFT JOIN (
      SELECT webhook_id, count(*) FILTER (WHERE status = 'FAILED') AS failed,
        count(*) FILTER (WHERE status = 'RETRYING') AS retrying
      FROM (${open(sql`status = 'RETRYING'`)}
        UNION ALL ${open(sql`status = 'FAILED' AND id >= ${hourAgo}`)}) AS open
      GROUP BY webhook_id
    ) n ON n.webhook_id = w.id
    WHERE w.account_id = ${tenant.accountId} AND w.mode = ${tenant.mode} AND NOT w.deleted`
  return {
    all_paused: deployment?.all_paused ?? false,
    of: Object.fromEntries(
      rows.map(({ id, failing_since, previous_secret_until, ...counts }) => [
        id,
        {
          ...counts,
          failing_since: failing_since?.toISOString() ?? null,
          previous_secret_until: previous_secret_until?.toISOString() ?? null,
        },
      ]),
    ),
  }
}

type HealthRow = Pick<WebhookHealth, 'failed' | 'retrying'> & {
  id: string
  failing_since: Date | null
  previous_secret_until: Date | null
}
