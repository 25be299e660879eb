import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller } from '../../caller'
import type { Fragment, Tx } from '../../db/connect'
import { conflict, DomainError, notFound } from '../../errors'
import { isId } from '../../ids'
import { getWebhook } from '../endpoints/store'
import { enqueue } from '../queue/changes'
import { MAX_ATTEMPTS } from '../retry-schedule'
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
  caller: Caller,
  webhookId: string,
  id: string,
): Promise<Delivery> => {
  await checkReceiving(tx, caller, webhookId)
  if (!isId('dlv', id)) throw notFound('delivery', id)
  const isIt = tx`
    id = ${id} AND webhook_id = ${webhookId}
    AND account_id = ${caller.accountId} AND mode = ${caller.mode}`
  const [row] = await tx<DeliveryRow[]>`
    UPDATE deliveries SET ${newRunColumns(tx)} WHERE ${isIt} AND status <> 'RETRYING'
    RETURNING ${deliveryColumns(tx)}`
  if (row !== undefined) {
    await tx`${enqueue(tx, tx`deliveries WHERE ${isIt}`, { redelivered: true })}`
    await recordAudit(tx, auditContextOf(caller), 'deliveries.redelivered', id, {
      webhook_id: webhookId,
    })
    return toDelivery(row)
  }
  const [existing] = await tx`SELECT FROM deliveries WHERE ${isIt}`
  if (existing === undefined) throw notFound('delivery', id)
  throw conflict(
    `The delivery ${id} is RETRYING: more attempts follow. Wait until it is DELIVERED or FAILED.`,
  )
}

/**
 * Starts a new run of each delivery that matches, and returns how many. Rows are locked in the order of their ids, so
 * that two calls wait for each other and do not deadlock.
 */
export const startNewRuns = async (tx: Tx, condition: Fragment): Promise<number> => {
  const { count } = await tx`
    WITH final AS MATERIALIZED (SELECT id FROM deliveries WHERE ${condition} ORDER BY id FOR UPDATE)
    , started AS (
      UPDATE deliveries d SET ${newRunColumns(tx)} FROM final WHERE d.id = final.id
      RETURNING d.id, d.account_id, d.webhook_id, d.sequence
    )
    ${enqueue(tx, tx`started`, { redelivered: true })}`
  return count
}

/**
 * A delivery outlives its webhook, and commands take the id of the delivery alone: then the id of the webhook is right.
 * @throws {DomainError} NOT_FOUND for a webhook that is not there, or was deleted; CONFLICT while it is disabled.
 */
export const checkReceiving = async (tx: Tx, caller: Caller, id: string): Promise<void> => {
  const webhook = await getWebhook(tx, caller, id).catch(async (error: unknown) => {
    if (!(await isDeletedWebhook(tx, caller, id))) throw error
    throw new DomainError(
      'NOT_FOUND',
      `The webhook ${id} was deleted, so its deliveries cannot be sent again.`,
    )
  })
  if (!webhook.enabled)
    throw conflict(`The webhook ${id} is disabled (${webhook.disabled_reason}). Enable it first.`)
}

const isDeletedWebhook = async (tx: Tx, { accountId, mode }: Caller, id: string) => {
  if (!isId('wh', id)) return false
  const rows = await tx`
    SELECT FROM webhooks WHERE id = ${id} AND account_id = ${accountId} AND mode = ${mode}
      AND deleted_at IS NOT NULL`
  return rows.length > 0
}

/**
 * SQL assignments for a new run. It has no `sequence`: the order of an `ordered` webhook continued without
 * this delivery. Status and body of the last response stay until the next attempt is recorded.
 */
const newRunColumns = (tx: Tx) => tx`
  status = 'RETRYING', run = run + 1, attempt_limit = attempt_count + ${MAX_ATTEMPTS},
  error = NULL, delivered_at = NULL,
  next_attempt_at = clock_timestamp(),
  without_workflow = false, sequence = NULL`
