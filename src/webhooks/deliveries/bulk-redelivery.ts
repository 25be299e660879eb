import type { Tenant } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import { type DeliveryFilter, matchDeliveries } from './filter'
import { newRunColumns } from './redelivery'

/** Those that are named, or those that a filter finds. */
export type RedeliverySelection = { ids: string[] } | DeliveryFilter

/** `left_out`: not final, or their webhook is disabled or deleted. */
export type Redelivered = { count: number; left_out: number }

/**
 * Sends again what of the wanted is final and has a webhook that is enabled, to whichever webhooks that is.
 * One statement, as `redeliverFailed`: a crash leaves all or none.
 * @throws {DomainError} VALIDATION_ERROR for a time that is none.
 */
export const redeliverSelected = async (
  tx: Tx,
  tenant: Tenant,
  wanted: RedeliverySelection,
): Promise<Redelivered> => {
  const matching = match(tx, tenant, wanted)
  const [{ all }] = await tx<[{ all: number }]>`
    SELECT count(*) AS all FROM deliveries WHERE ${matching}`
  const { count } = await tx`
    WITH final AS MATERIALIZED (
      -- In one order, so that two of these wait for each other and do not deadlock.
      SELECT id FROM deliveries WHERE ${matching} AND ${canBeSent(tx, tenant)} ORDER BY id FOR UPDATE
    )
    UPDATE deliveries d SET ${newRunColumns(tx)} FROM final WHERE d.id = final.id`
  return { count, left_out: Math.max(0, all - count) }
}

/** How far `forecast` counts. */
const FORECAST_MAX = 10_000

export type RedeliveryPreview = Redelivered & {
  /** There are more than were counted. */
  at_least: boolean
}

/** What `redeliverSelected` would do now, for whoever is about to ask for it: of the newest 10,000. */
export const previewRedelivery = async (
  sql: Sql,
  tenant: Tenant,
  wanted: RedeliverySelection,
): Promise<RedeliveryPreview> => {
  const [found] = await sql<[{ all: number; count: number }]>`
    SELECT count(*) AS all, count(*) FILTER (WHERE ${canBeSent(sql, tenant)}) AS count FROM (
      SELECT status, webhook_id FROM deliveries WHERE ${match(sql, tenant, wanted)}
      ORDER BY id DESC LIMIT ${FORECAST_MAX}
    ) AS newest`
  return {
    count: found.count,
    left_out: found.all - found.count,
    at_least: found.all === FORECAST_MAX,
  }
}

const match = (db: Db, tenant: Tenant, wanted: RedeliverySelection): Fragment =>
  'ids' in wanted
    ? db`${matchDeliveries(db, tenant, {})} AND id = ANY (${wanted.ids})`
    : matchDeliveries(db, tenant, wanted)

/** SQL for the two rules of a redelivery: it is final, and its webhook is there and enabled. */
const canBeSent = (db: Db, tenant: Tenant): Fragment => db`
  status <> 'RETRYING' AND webhook_id IN (
    SELECT w.id FROM webhooks w
    WHERE w.account_id = ${tenant.accountId} AND w.mode = ${tenant.mode}
      AND w.enabled AND w.deleted_at IS NULL
  )`
