import type { Tenant } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import { createdBetween } from '../../db/created-between'
import { conflict, notFound } from '../../errors'
import { isId } from '../../ids'
import type { Webhook } from '../endpoints/schema'
import { getWebhook } from '../endpoints/store'
import { MAX_ATTEMPTS } from '../retry-schedule'
import { type DeliveryFilter, matchDeliveries } from './filter'
import { type DeliveryRow, deliveryColumns, toDelivery } from './row'
import type { Delivery } from './schema'

/**
 * Starts a new run of a final delivery: up to three more attempts, numbered on, with the same id and body
 * (contract 5.13). Of two concurrent calls one succeeds.
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery; CONFLICT while the delivery is RETRYING,
 * and while the webhook is disabled.
 */
export const redeliver = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Delivery> => {
  checkEnabled(await getWebhook(tx, tenant, webhookId))
  if (!isId('dlv', id)) throw notFound('delivery', id)
  const isIt = tx`
    id = ${id} AND webhook_id = ${webhookId}
    AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
  const [row] = await tx<DeliveryRow[]>`
    UPDATE deliveries SET ${newRunColumns(tx)} WHERE ${isIt} AND status <> 'RETRYING'
    RETURNING ${deliveryColumns(tx)}`
  if (row !== undefined) return toDelivery(row)
  const [existing] = await tx`SELECT FROM deliveries WHERE ${isIt}`
  if (existing === undefined) throw notFound('delivery', id)
  throw conflict(
    `The delivery ${id} is RETRYING: more attempts follow. Wait until it is DELIVERED or FAILED.`,
  )
}

/**
 * Starts a new run of every FAILED delivery of a webhook, or of those created after `createdAfter`, and
 * returns how many (contract 5.14). One statement: a crash leaves all or none.
 * @throws {DomainError} NOT_FOUND; CONFLICT while the webhook is disabled.
 */
export const redeliverFailed = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  createdAfter: string | undefined,
): Promise<{ count: number }> => {
  checkEnabled(await getWebhook(tx, tenant, webhookId))
  const count = await startNewRuns(
    tx,
    tx`
      webhook_id = ${webhookId} AND status = 'FAILED'
      AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
      ${createdBetween(tx, createdAfter === undefined ? {} : { created_after: createdAfter }, 'dlv')}`,
  )
  return { count }
}

/** Deliveries by their ids, or those that match a filter. */
export type RedeliverySelection = { ids: string[] } | DeliveryFilter

/** `left_out`: selected deliveries that are not final, or whose webhook is disabled or deleted. */
export type RedeliveryCounts = { count: number; left_out: number }

/**
 * Starts a new run of every selected delivery that is final and has an enabled webhook, over all webhooks.
 * One statement: a crash leaves all or none.
 */
export const redeliverSelected = async (
  tx: Tx,
  tenant: Tenant,
  selection: RedeliverySelection,
): Promise<RedeliveryCounts> => {
  const selected = matchSelection(tx, tenant, selection)
  const [{ all }] = await tx<[{ all: number }]>`
    SELECT count(*) AS all FROM deliveries WHERE ${selected}`
  const count = await startNewRuns(tx, tx`${selected} AND ${canBeRedelivered(tx, tenant)}`)
  return { count, left_out: Math.max(0, all - count) }
}

/** The newest deliveries that a preview counts. */
const PREVIEW_MAX = 10_000

/** `at_least`: there are more than the preview counted. */
export type RedeliveryPreview = RedeliveryCounts & { at_least: boolean }

/** The result that `redeliverSelected` would have now, counted over the newest 10,000 deliveries. */
export const previewRedelivery = async (
  sql: Sql,
  tenant: Tenant,
  selection: RedeliverySelection,
): Promise<RedeliveryPreview> => {
  const [found] = await sql<[{ all: number; count: number }]>`
    SELECT count(*) AS all, count(*) FILTER (WHERE ${canBeRedelivered(sql, tenant)}) AS count FROM (
      SELECT status, webhook_id FROM deliveries WHERE ${matchSelection(sql, tenant, selection)}
      ORDER BY id DESC LIMIT ${PREVIEW_MAX}
    ) AS newest`
  return {
    count: found.count,
    left_out: found.all - found.count,
    at_least: found.all === PREVIEW_MAX,
  }
}

/** Rows are locked in the order of their ids, so that two calls wait for each other and do not deadlock. */
const startNewRuns = async (tx: Tx, condition: Fragment): Promise<number> => {
  const { count } = await tx`
    WITH final AS MATERIALIZED (SELECT id FROM deliveries WHERE ${condition} ORDER BY id FOR UPDATE)
    UPDATE deliveries d SET ${newRunColumns(tx)} FROM final WHERE d.id = final.id`
  return count
}

const checkEnabled = ({ id, enabled, disabled_reason }: Webhook): void => {
  if (!enabled)
    throw conflict(
      `The webhook ${id} is disabled (${disabled_reason}). Enable it first: PATCH /webhooks/${id} with {"enabled": true}.`,
    )
}

const matchSelection = (db: Db, tenant: Tenant, selection: RedeliverySelection): Fragment =>
  'ids' in selection
    ? db`${matchDeliveries(db, tenant, {})} AND id = ANY (${selection.ids})`
    : matchDeliveries(db, tenant, selection)

/** SQL condition on `deliveries`: final, with an enabled webhook. */
const canBeRedelivered = (db: Db, tenant: Tenant): Fragment => db`
  status <> 'RETRYING' AND webhook_id IN (
    SELECT w.id FROM webhooks w
    WHERE w.account_id = ${tenant.accountId} AND w.mode = ${tenant.mode}
      AND w.enabled AND w.deleted_at IS NULL
  )`

/**
 * SQL assignments for a new run. It has no `sequence`: the order of an `ordered` webhook continued without
 * this delivery. Status and body of the last response stay until the next attempt is recorded.
 */
const newRunColumns = (tx: Tx) => tx`
  status = 'RETRYING', run = run + 1, attempt_limit = attempt_count + ${MAX_ATTEMPTS},
  error = NULL, delivered_at = NULL,
  next_attempt_at = clock_timestamp(), due_at = clock_timestamp(), check_at = NULL,
  without_workflow = false, sequence = NULL`
