import { client } from '../support/client'
import type { CheckedWebhook } from './check/history'
import type { Endpoint } from './receivers'

/** Creates a webhook for each endpoint, one after the other: their changes would wait for the same lock. */
export const subscribe = async (
  url: string,
  key: string,
  endpoints: Endpoint[],
): Promise<CheckedWebhook[]> => {
  const api = client(url, key)
  const webhooks: CheckedWebhook[] = []
  for (const { name, url, events, ordered } of endpoints) {
    const { status, body } = await api.post('/webhooks', { url, events, ordered })
    if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
    const { id, secret } = body.data
    webhooks.push({ id, name, events, ordered, secret })
  }
  return webhooks
}
