import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { lowestIdAt } from '../../ids'
import { loadWebhookSummaries, type WebhookSummary } from '../endpoints/summaries'

/** `retrying`: at least one attempt failed, and another one follows. */
type Counts = { failed: number; retrying: number }

export type FailingHost = Counts & {
  host: string
  reasons: (Counts & { error: string; newest_delivery_id: string })[]
  webhooks: (Counts & WebhookSummary)[]
}

export type Incident = {
  /** Deliveries created since then are counted. */
  since: string
  /** There are more than were counted. */
  at_least: boolean
  hosts: FailingHost[]
}

/** The newest failing deliveries that are counted. */
const COUNTED_MAX = 10_000

/**
 * Failing deliveries of the last `hours`, by the host of their latest request and error, the most affected host first.
 * Without a request it is the host of the webhook.
 */
export const findIncident = async (sql: Sql, tenant: Tenant, hours: number): Promise<Incident> => {
  const since = new Date(Date.now() - hours * 3_600_000)
  const groups = await sql<Group[]>`
    SELECT webhook_id, error, sent_to, max(id) AS newest,
      count(*) FILTER (WHERE status = 'FAILED') AS failed,
      count(*) FILTER (WHERE status = 'RETRYING') AS retrying
    FROM (
      SELECT id, webhook_id, status, error, (
        SELECT request_url FROM attempts
        WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1
      ) AS sent_to
      FROM deliveries
      WHERE account_id = ${tenant.accountId} AND mode = ${tenant.mode}
        AND id >= ${lowestIdAt('dlv', since)} AND error IS NOT NULL
      ORDER BY id DESC LIMIT ${COUNTED_MAX}
    ) AS newest
    GROUP BY webhook_id, error, sent_to`
  const webhooks = await loadWebhookSummaries(
    sql,
    tenant,
    groups.map(({ webhook_id }) => webhook_id),
  )
  const byHost = Map.groupBy(groups, ({ webhook_id, sent_to }) =>
    sent_to === null ? (webhooks.get(webhook_id)?.host ?? '') : new URL(sent_to).host,
  )
  return {
    since: since.toISOString(),
    at_least: sum(groups).failed + sum(groups).retrying === COUNTED_MAX,
    hosts: [...byHost]
      .map(([host, ofHost]) => ({
        host,
        ...sum(ofHost),
        reasons: [...Map.groupBy(ofHost, ({ error }) => error)]
          .map(([error, ofError]) => ({
            error,
            newest_delivery_id:
              ofError
                .map(({ newest }) => newest)
                .sort()
                .at(-1) ?? '',
            ...sum(ofError),
          }))
          // By the number that the page shows of a reason.
          .toSorted((a, b) => b.failed + b.retrying - (a.failed + a.retrying)),
        webhooks: [...Map.groupBy(ofHost, ({ webhook_id }) => webhook_id)]
          .flatMap(([id, ofWebhook]) => {
            const webhook = webhooks.get(id)
            return webhook === undefined ? [] : [{ ...webhook, ...sum(ofWebhook) }]
          })
          .toSorted(byFailures),
      }))
      .toSorted(byFailures),
  }
}

type Group = Counts & {
  webhook_id: string
  error: string
  sent_to: string | null
  newest: string
}

const sum = (counts: Counts[]): Counts => ({
  failed: counts.reduce((total, { failed }) => total + failed, 0),
  retrying: counts.reduce((total, { retrying }) => total + retrying, 0),
})

const byFailures = (a: Counts, b: Counts) => b.failed - a.failed || b.retrying - a.retrying
