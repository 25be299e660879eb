import { client } from '../support/client'
import type { CheckedWebhook } from './check/history'
import type { Endpoint } from './receivers'

/** Creates a webhook for each endpoint. */
export const subscribe = (
  url: string,
  key: string,
  endpoints: Endpoint[],
): Promise<CheckedWebhook[]> => {
  const api = client(url, key)
  return Promise.all(
    endpoints.map(async ({ name, url, events, ordered }) => {
      const { status, body } = await api.post('/webhooks', { url, events, ordered })
      if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
      const { id, secret } = body.data
      return { id, name, events, ordered, secret }
    }),
  )
}
