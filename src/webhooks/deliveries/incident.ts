/** What matters while something fails: whom it does not reach, why, and which webhooks that is about. */
import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { lowestIdAt } from '../../ids'
import { loadWebhookSummaries, type WebhookSummary } from '../endpoints/summaries'

/** `failed`: they are given up. `retrying`: an attempt failed, and another one will come. */
type Counts = { failed: number; retrying: number }

export type FailingHost = Counts & {
  host: string
  reasons: (Counts & { error: string; newest_delivery_id: string })[]
  webhooks: (Counts & WebhookSummary)[]
}

export type Incident = {
  /** Of what was made since then. */
  since: string
  /** Only the newest were counted: there are more. */
  at_least: boolean
  hosts: FailingHost[]
}

/** What is counted at most. */
const COUNTED = 10_000

/** What of the last `hours` failed, by host and reason, the most affected host first. */
export const findIncident = async (sql: Sql, tenant: Tenant, hours: number): Promise<Incident> => {
  const since = new Date(Date.now() - hours * 3_600_000)
  const groups = await sql<Group[]>`
    SELECT webhook_id, error, max(id) AS newest,
      count(*) FILTER (WHERE status = 'FAILED') AS failed,
      count(*) FILTER (WHERE status = 'RETRYING') AS retrying
    FROM (
      SELECT id, webhook_id, status, error FROM deliveries
      WHERE account_id = ${tenant.accountId} AND mode = ${tenant.mode}
        AND status <> 'DELIVERED' AND status IN ('FAILED', 'RETRYING')
        AND id >= ${lowestIdAt('dlv', since)} AND error IS NOT NULL
      ORDER BY id DESC LIMIT ${COUNTED}
    ) AS newest
    GROUP BY webhook_id, error`
  const receivers = await loadWebhookSummaries(
    sql,
    tenant,
    groups.map(({ webhook_id }) => webhook_id),
  )
  const byHost = Map.groupBy(groups, ({ webhook_id }) => receivers.get(webhook_id)?.host ?? '')
  return {
    since: since.toISOString(),
    at_least: sum(groups).failed + sum(groups).retrying === COUNTED,
    hosts: [...byHost]
      .map(([host, of]) => ({
        host,
        ...sum(of),
        reasons: byCount(
          [...Map.groupBy(of, ({ error }) => error)].map(([error, same]) => ({
            error,
            newest_delivery_id:
              same
                .map(({ newest }) => newest)
                .sort()
                .at(-1) ?? '',
            ...sum(same),
          })),
        ),
        webhooks: byCount(
          [...Map.groupBy(of, ({ webhook_id }) => webhook_id)].flatMap(([id, same]) => {
            const receiver = receivers.get(id)
            return receiver === undefined ? [] : [{ ...receiver, ...sum(same) }]
          }),
        ),
      }))
      .toSorted(most),
  }
}

type Group = Counts & { webhook_id: string; error: string; newest: string }

const sum = (of: Counts[]): Counts => ({
  failed: of.reduce((all, { failed }) => all + failed, 0),
  retrying: of.reduce((all, { retrying }) => all + retrying, 0),
})

const most = (a: Counts, b: Counts) => b.failed - a.failed || b.retrying - a.retrying

const byCount = <T extends Counts>(of: T[]): T[] => of.toSorted(most)
