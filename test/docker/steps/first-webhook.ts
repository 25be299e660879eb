import { until } from '../../support/until'
import type { Check } from '../check'

const ARRIVES_S = 60

/** An article is created, and its event arrives signed. Returns the id of the delivery. */
export const firstWebhook = async ({ api, receiver, say }: Check): Promise<string> => {
  const began = performance.now()
  const webhook = await api.post('/webhooks', {
    url: `${receiver.url}/hook`,
    events: ['article.created'],
  })
  const project = await api.post('/projects', { name: 'Blog' })
  const article = await api.post('/articles', {
    project_id: project.body.data.id,
    title: 'Hello, webhooks',
  })
  const id: string = article.body.data.id
  const { headers, body } = await until(
    'the webhook arrives',
    () => receiver.received.find(one => one.body.includes(id)),
    ARRIVES_S,
  )
  const hmac = new Bun.CryptoHasher('sha256', webhook.body.data.secret).update(body).digest('hex')
  if (headers['x-webhook-signature'] !== `sha256=${hmac}`)
    throw new Error('The signature is wrong.')
  say(
    `arrived ${((performance.now() - began) / 1000).toFixed(1)} s after the first call, signature verified`,
  )
  await api.delete(`/webhooks/${webhook.body.data.id}`)
  return headers['x-webhook-delivery-id'] ?? ''
}
