import { DEFAULT_IN_FLIGHT } from '../../config'
import type { Sql } from '../../db/connect'
import { LEASE_S } from '../../outbox/outbox'
import { workerAliveFor } from '../../temporal/heartbeat'
import type { StoredSecrets } from '../signing/secret'
import { type DeliveryToSend, deliveryToSendColumns, RECONCILE_AFTER_MS } from './store'

/** The columns of a `DeliveryToSend` that belong to its webhook. */
type WebhookToSend = Pick<
  DeliveryToSend,
  'url' | 'enabled' | 'deleted' | 'paused' | 'failing' | 'ordered' | 'accountId' | 'mode'
> &
  StoredSecrets
/** The same as JSON, where a time is text. */
type WebhookJson = Omit<WebhookToSend, 'previous_secret_until'> & {
  previous_secret_until: string | null
}
type ClaimedDelivery = Omit<DeliveryToSend, keyof WebhookToSend> & { webhook: WebhookJson | null }

/**
 * Claims up to `limit` deliveries for the lane with this id, and renews the lease on those in progress, by the SQL
 * function `claim_for_lane`. Columns of the webhook, half of each row, are read once per webhook.
 */
export const claimForLane = async (
  sql: Sql,
  lane: string,
  inProgress: DeliveryToSend[],
  limit: number,
): Promise<DeliveryToSend[]> => {
  // Lists as text with commas: the driver is slow with arrays.
  const ids = inProgress.map(one => one.id).join()
  const webhookIds = inProgress.map(one => one.webhookId).join()
  const claimed = await sql<ClaimedDelivery[]>`
    SELECT ${deliveryToSendColumns(sql)}, CASE WHEN nth = 1 THEN json_build_object(
      'url', url, 'enabled', enabled, 'deleted', deleted, 'paused', paused, 'failing', failing, 'secret', secret,
      'previous_secret', previous_secret, 'previous_secret_until', previous_secret_until,
      'accountId', account_id, 'mode', mode, 'ordered', ordered
    ) END AS webhook
    FROM (
      SELECT *, row_number() OVER (PARTITION BY webhook_id) AS nth
      FROM claim_for_lane(${limit}::int, make_interval(secs => ${LEASE_S}),
        make_interval(secs => ${RECONCILE_AFTER_MS / 1000}), ${lane},
        string_to_array(${ids}, ','), string_to_array(${webhookIds}, ','),
        ${workerAliveFor(sql)}, ${DEFAULT_IN_FLIGHT}::int)
    ) d`
  const webhooks = new Map<string, WebhookToSend>()
  for (const { webhookId, webhook } of claimed)
    if (webhook !== null) webhooks.set(webhookId, fromJson(webhook))
  return claimed.flatMap(one => {
    const webhook = webhooks.get(one.webhookId)
    return webhook === undefined ? [] : [{ ...one, ...webhook }]
  })
}

const fromJson = ({ previous_secret_until: until, ...webhook }: WebhookJson): WebhookToSend => ({
  ...webhook,
  previous_secret_until: until === null ? null : new Date(until),
})
