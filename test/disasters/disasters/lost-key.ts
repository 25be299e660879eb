import { startParts } from '../../faults/parts'
import { createRandom } from '../../faults/random'
import { firstKey } from '../../faults/run'
import { client } from '../../support/client'
import { startReceiver } from '../../support/receiver'
import { until } from '../../support/until'
import type { Disaster } from '../disaster'
import { equip } from '../servers'

/** The encryption key is nowhere any more; a delivery is not sent yet. */
export const lostKey: Disaster = {
  name: 'lost-key',
  about: 'the encryption key is lost: Arden goes on with a new one, webhooks get new secrets',
  blocks: ['key-id', 'forget-key', 'new-secret'],
  run: async stage => {
    const { dir, operator, seed, onEnd } = stage
    const parts = await startParts(dir, 'every', {}, createRandom(seed), onEnd)
    await equip(stage, parts.postgres)
    const receiver = startReceiver()
    onEnd(receiver.stop)
    const key = await firstKey(parts)
    const api = client(parts.url, key)
    const input = { url: `${receiver.url}/hook`, events: ['article.created'] }
    const webhook = (await api.post('/webhooks', input)).body.data
    const arden = [parts.serve, ...parts.workers]
    for (const one of parts.workers) await one.kill()
    const project = await api.post('/projects', { name: 'Disaster' })
    await api.post('/articles', { project_id: project.body.data.id, title: 'Disaster' })
    await parts.serve.kill()

    const [, lostId = ''] = /needs (\w{8})\./.exec(await operator.follow('key-id')) ?? []
    await operator.set({ LOST_KEY_ID: lostId })
    const printed = await operator.follow('forget-key')
    if (!printed.includes(webhook.id)) throw new Error(`${webhook.id} is not in the list`)
    const fresh = /\w{64}/.exec(await operator.type('echo $ARDEN_ENCRYPTION_KEY'))?.[0]
    for (const one of arden) await one.start({ ARDEN_ENCRYPTION_KEY: fresh ?? '' })

    await operator.set({ WEBHOOK: webhook.id, ARDEN_URL: parts.url, ARDEN_API_KEY: key })
    if (receiver.received.length > 0) throw new Error('it was sent without its secret')
    const { secret } = JSON.parse(await operator.follow('new-secret'))
    await until('the delivery that waited arrives', () => receiver.received.length > 0, 180)
    const { body = '', headers } = receiver.received[0] ?? {}
    const digest = new Bun.CryptoHasher('sha256', secret).update(body).digest('hex')
    if (headers?.['x-webhook-signature'] !== `sha256=${digest}`)
      throw new Error('it is not signed with the new secret')
    const { body: list } = await api.get(`/webhooks/${webhook.id}/deliveries`)
    if (list.data[0]?.attempt_count !== 1)
      throw new Error(`it was sent with attempt ${list.data[0]?.attempt_count}`)
  },
}
