import { verifyWebhook } from '../../../packages/sdk/src/verify'
import type { History, Verdict } from './history'

/** Every request has the signature of its webhook, and each repetition has the same body. */
export const checkSignatures = async ({
  arrivals,
  webhooks,
  deliveries,
}: History): Promise<Verdict> => {
  const webhookOf = new Map(deliveries.map(one => [one.id, one]))
  const bodies = new Map<string, string>()
  const broken: string[] = []
  for (const { deliveryId, body, headers } of arrivals) {
    const delivery = webhookOf.get(deliveryId)
    const secret = webhooks.find(one => one.id === delivery?.webhook_id)?.secret
    if (delivery === undefined || secret === undefined) continue
    const event = await verifyWebhook(body, headers, secret, { maxAgeSeconds: null }).catch(
      () => undefined,
    )
    if (event?.id !== delivery.event_id) broken.push(`a request of ${deliveryId} is not genuine`)
    if (body !== (bodies.get(deliveryId) ?? body))
      broken.push(`${deliveryId} was sent with two bodies`)
    bodies.set(deliveryId, body)
  }
  return {
    promise: 'requests are signed, with the same body each time',
    contract: '4.8, 4.9',
    cases: arrivals.length,
    broken,
  }
}
