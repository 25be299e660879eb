import type { Sql } from '../../db/connect'
import type { StoredSecrets } from '../signing/secret'
import { type DeliveryToSend, deliveryToSendColumns } from './store'

/** The columns of a `DeliveryToSend` that belong to its webhook. */
type WebhookToSend = Pick<
  DeliveryToSend,
  | 'url'
  | 'headers'
  | 'enabled'
  | 'deleted'
  | 'paused'
  | 'failing'
  | 'ordered'
  | 'accountId'
  | 'mode'
> &
  StoredSecrets
/** The same as JSON, where a time is text. */
type WebhookJson = Omit<WebhookToSend, 'previous_secret_until'> & {
  previous_secret_until: string | null
}
type LoadedDelivery = Omit<DeliveryToSend, keyof WebhookToSend> & { webhook: WebhookJson | null }

/**
 * Loads deliveries that were claimed, by the SQL function `load_deliveries`. Columns of the webhook, half of each row,
 * are read once per webhook.
 */
export const loadDeliveries = async (sql: Sql, ids: string[]): Promise<DeliveryToSend[]> => {
  const loaded = await sql<LoadedDelivery[]>`
    SELECT ${deliveryToSendColumns(sql)}, CASE WHEN nth = 1 THEN json_build_object(
      'url', url, 'enabled', enabled, 'deleted', deleted, 'paused', paused, 'failing', failing, 'secret', secret,
      'previous_secret', previous_secret, 'previous_secret_until', previous_secret_until, 'headers', headers,
      'accountId', account_id, 'mode', mode, 'ordered', ordered
    ) END AS webhook
    FROM (
      SELECT *, row_number() OVER (PARTITION BY webhook_id) AS nth
      -- As text with commas: the driver is slow with arrays.
      FROM load_deliveries(string_to_array(${ids.join()}, ','))
    ) d`
  const webhooks = new Map<string, WebhookToSend>()
  for (const { webhookId, webhook } of loaded)
    if (webhook !== null) webhooks.set(webhookId, fromJson(webhook))
  return loaded.flatMap(one => {
    const webhook = webhooks.get(one.webhookId)
    return webhook === undefined ? [] : [{ ...one, ...webhook }]
  })
}

const fromJson = ({ previous_secret_until: until, ...webhook }: WebhookJson): WebhookToSend => ({
  ...webhook,
  previous_secret_until: until === null ? null : new Date(until),
})
