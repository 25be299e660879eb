import type { Sql } from '../../db/connect'
import { LEASE_S } from '../../outbox/outbox'
import type { StoredSecrets } from '../signing/secret'
import {
  accountIdOfWebhook,
  type DeliveryToSend,
  deliveryToSendColumns,
  isOrderedWebhook,
  modeOfWebhook,
  RECONCILE_AFTER_MS,
} from './store'

/** Of a `DeliveryToSend`, what its webhook has at this moment. */
type WebhookNow = Pick<
  DeliveryToSend,
  'url' | 'enabled' | 'deleted' | 'paused' | 'failing' | 'ordered' | 'accountId' | 'mode'
> &
  StoredSecrets
/** A time as JSON has it. */
type WebhookJson = Omit<WebhookNow, 'previous_secret_until'> & {
  previous_secret_until: string | null
}
type Claimed = Omit<DeliveryToSend, keyof WebhookNow> & { webhook: WebhookJson | null }

/**
 * Claims up to `limit` deliveries for `lane` and keeps those it has, `held`, for a lease from now: see
 * `claim_for_lane`. What a webhook has is read once for all of its deliveries: it is half of each row.
 */
export const claimForLane = async (
  sql: Sql,
  lane: string,
  held: DeliveryToSend[],
  limit: number,
): Promise<DeliveryToSend[]> => {
  // Each list as one text: the driver is slow at arrays. There is no comma in an id.
  const ids = held.map(one => one.id).join()
  const webhookIds = held.map(one => one.webhookId).join()
  const claimed = await sql<Claimed[]>`
    SELECT ${deliveryToSendColumns(sql)}, CASE WHEN nth = 1 THEN json_build_object(
      'url', url, 'enabled', enabled, 'deleted', deleted, 'paused', paused, 'failing', failing, 'secret', secret,
      'previous_secret', previous_secret, 'previous_secret_until', previous_secret_until,
      'accountId', ${accountIdOfWebhook(sql)}, 'mode', ${modeOfWebhook(sql)}, 'ordered', ${isOrderedWebhook(sql)}
    ) END AS webhook
    FROM (
      SELECT *, row_number() OVER (PARTITION BY webhook_id) AS nth
      FROM claim_for_lane(${limit}::int, make_interval(secs => ${LEASE_S}),
        make_interval(secs => ${RECONCILE_AFTER_MS / 1000}), ${lane},
        string_to_array(${ids}, ','), string_to_array(${webhookIds}, ','))
    ) d`
  const webhooks = new Map<string, WebhookNow>()
  for (const { webhookId, webhook } of claimed)
    if (webhook !== null) webhooks.set(webhookId, fromJson(webhook))
  return claimed.flatMap(one => {
    const webhook = webhooks.get(one.webhookId)
    return webhook === undefined ? [] : [{ ...one, ...webhook }]
  })
}

const fromJson = ({ previous_secret_until: until, ...webhook }: WebhookJson): WebhookNow => ({
  ...webhook,
  previous_secret_until: until === null ? null : new Date(until),
})
