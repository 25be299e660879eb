import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { createdBetween } from '../../db/created-between'
import { conflict, notFound } from '../../errors'
import { isId } from '../../ids'
import type { Webhook } from '../endpoints/schema'
import { getWebhook } from '../endpoints/store'
import { MAX_ATTEMPTS } from '../retry-schedule'
import { checkTimes } from './filter'
import { type DeliveryRow, deliveryColumns, toDelivery } from './row'
import type { Delivery } from './schema'

/**
 * Sends a final delivery again: a new run of up to three more attempts, numbered on, with the same id and
 * body (contract 5.13). Of two that ask at once, one gets it.
 * @throws {DomainError} NOT_FOUND for the webhook or the delivery; CONFLICT while it is RETRYING, and
 * while the webhook is disabled, for a test delivery as well.
 */
export const redeliver = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Delivery> => {
  checkEnabled(await getWebhook(tx, tenant, webhookId))
  if (!isId('dlv', id)) throw notFound('delivery', id)
  const ours = tx`
    id = ${id} AND webhook_id = ${webhookId}
    AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
  const [row] = await tx<DeliveryRow[]>`
    UPDATE deliveries SET ${newRunColumns(tx)} WHERE ${ours} AND status <> 'RETRYING'
    RETURNING ${deliveryColumns(tx)}`
  if (row !== undefined) return toDelivery(row)
  const [standing] = await tx`SELECT FROM deliveries WHERE ${ours}`
  if (standing === undefined) throw notFound('delivery', id)
  throw conflict(
    `The delivery ${id} is RETRYING: its attempts are not over. Wait until it is DELIVERED or FAILED.`,
  )
}

/**
 * Sends again what is FAILED of a webhook, or what of it was made after `createdAfter`, and answers how
 * many these are. One statement: nothing of them is held in memory here, and a crash leaves all or none.
 * @throws {DomainError} NOT_FOUND; CONFLICT while it is disabled; VALIDATION_ERROR for a time that is none.
 */
export const redeliverFailed = async (
  tx: Tx,
  tenant: Tenant,
  webhookId: string,
  createdAfter: string | undefined,
): Promise<{ count: number }> => {
  const since = createdAfter === undefined ? {} : { created_after: createdAfter }
  checkTimes(since)
  checkEnabled(await getWebhook(tx, tenant, webhookId))
  const { count } = await tx`
    WITH failed AS MATERIALIZED (
      -- In one order, so that two of these wait for each other and do not deadlock.
      SELECT id FROM deliveries
      WHERE webhook_id = ${webhookId} AND status = 'FAILED'
        AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
        ${createdBetween(tx, since)}
      ORDER BY id FOR UPDATE
    )
    UPDATE deliveries d SET ${newRunColumns(tx)} FROM failed WHERE d.id = failed.id`
  return { count }
}

const checkEnabled = ({ id, enabled, disabled_reason }: Webhook): void => {
  if (!enabled)
    throw conflict(
      `The webhook ${id} is disabled (${disabled_reason}). Enable it first: PATCH /webhooks/${id} with {"enabled": true}.`,
    )
}

/**
 * SQL for a new run of a delivery, outside the order of an `ordered` webhook, which went on without it. The
 * answer of the last attempt stays until the next one has its own.
 */
export const newRunColumns = (tx: Tx) => tx`
  status = 'RETRYING', run = run + 1, attempt_limit = attempt_count + ${MAX_ATTEMPTS},
  error = NULL, delivered_at = NULL,
  next_attempt_at = clock_timestamp(), due_at = clock_timestamp(), check_at = NULL,
  without_workflow = false, sequence = NULL`
