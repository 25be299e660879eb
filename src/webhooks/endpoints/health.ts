import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { lowestIdAt } from '../../ids'
import { type Cipher, isUndecryptable } from '../signing/encryption'

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
  /** Whether no key of Arden decrypts the secret or a custom header: nothing is sent until they are set again. */
  secret_lost: boolean
}

export type WebhookHealthReport = { [webhookId: string]: WebhookHealth }

const HOUR_MS = 3_600_000
/** FAILED deliveries that are counted at most, for all webhooks together. */
const FAILED_MAX = 10_000
/** Waiting deliveries that are counted at most, for each webhook. */
const QUEUED_MAX = 10_000

/** The health of every webhook of the tenant, by id. */
export const reportWebhookHealth = async (
  sql: Sql,
  cipher: Cipher,
  tenant: Tenant,
): Promise<WebhookHealthReport> => {
  const hourAgo = lowestIdAt('dlv', new Date(Date.now() - HOUR_MS))
  const rows = await sql<HealthRow[]>`
    SELECT w.id, coalesce(f.count, 0) AS failed, r.count AS retrying, w.failing_since,
      CASE WHEN w.previous_secret_until > clock_timestamp() THEN w.previous_secret_until END
        AS previous_secret_until,
      EXISTS (SELECT FROM webhooks WHERE id = w.id AND ${isUndecryptable(sql, cipher)}) AS secret_lost
    FROM webhook_states w LEFT JOIN (
      SELECT webhook_id, count(*) FROM (
        SELECT webhook_id FROM deliveries
        WHERE account_id = ${tenant.accountId} AND mode = ${tenant.mode}
          AND status = 'FAILED' AND error IS NOT NULL AND id >= ${hourAgo}
        ORDER BY id DESC LIMIT ${FAILED_MAX}
      ) AS newest
      GROUP BY webhook_id
    ) f ON f.webhook_id = w.id
    CROSS JOIN LATERAL (
      SELECT count(*) FROM (
        SELECT FROM delivery_queue q WHERE q.account_id = w.account_id AND q.webhook_id = w.id LIMIT ${QUEUED_MAX}
      ) AS waiting
    ) r
    WHERE w.account_id = ${tenant.accountId} AND w.mode = ${tenant.mode} AND NOT w.deleted`
  return Object.fromEntries(
    rows.map(({ id, failing_since, previous_secret_until, ...counts }) => [
      id,
      {
        ...counts,
        failing_since: failing_since?.toISOString() ?? null,
        previous_secret_until: previous_secret_until?.toISOString() ?? null,
      },
    ]),
  )
}

type HealthRow = Pick<WebhookHealth, 'failed' | 'retrying' | 'secret_lost'> & {
  id: string
  failing_since: Date | null
  previous_secret_until: Date | null
}
