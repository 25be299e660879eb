import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'

/** A webhook, possibly deleted, as lists of deliveries show it. */
export type WebhookSummary = {
  id: string
  url: string
  host: string
  description: string | null
  enabled: boolean
  disabled_reason: string | null
  paused: boolean
  deleted: boolean
}

/** The tenant's webhooks with these ids, by id; deleted ones included. */
export const loadWebhookSummaries = async (
  sql: Sql,
  tenant: Tenant,
  webhookIds: string[],
): Promise<Map<string, WebhookSummary>> => {
  const rows = await sql<Omit<WebhookSummary, 'host'>[]>`
    SELECT id, url, description, enabled, disabled_reason,
      paused_at IS NOT NULL AS paused, deleted_at IS NOT NULL AS deleted
    FROM webhooks
    WHERE id = ANY (${[...new Set(webhookIds)]})
      AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
  return new Map(rows.map(row => [row.id, { ...row, host: new URL(row.url).host }]))
}
