import { startParts } from '../../faults/parts'
import { createRandom } from '../../faults/random'
import { firstKey } from '../../faults/run'
import { type Client, client } from '../../support/client'
import { startReceiver } from '../../support/receiver'
import { until } from '../../support/until'
import type { Disaster } from '../disaster'
import { equip } from '../servers'

/** Someone else has an API key, created another one with it, and with that one a webhook, and took over another. */
export const leakedKey: Disaster = {
  name: 'leaked-key',
  about: 'an API key that leaked is revoked, and what was done with it is found and undone',
  blocks: ['revoke', 'find', 'undo'],
  run: async stage => {
    const { dir, operator, seed, onEnd } = stage
    const parts = await startParts(dir, 'every', {}, createRandom(seed), onEnd)
    await equip(stage, parts.postgres)
    const thief = startReceiver()
    onEnd(thief.stop)
    const receiver = startReceiver()
    onEnd(receiver.stop)
    const owner = client(parts.url, await firstKey(parts))
    const leaked = await createKey(owner, 'leaked')
    const second = await createKey(client(parts.url, leaked.key), 'second')
    const events = ['article.created']
    const own = (await owner.post('/webhooks', { url: `${receiver.url}/own`, events })).body.data
    const asThief = client(parts.url, second.key)
    const webhook = await asThief.post('/webhooks', { url: `${thief.url}/hook`, events })
    await asThief.patch(`/webhooks/${own.id}`, { url: `${thief.url}/own` })
    await createArticle(owner)
    await until('the thief gets the event of both', () => thief.received.length > 1)

    await operator.set({ LEAKED_KEY: leaked.id, ARDEN_URL: parts.url })
    await operator.follow('revoke')
    const found = await operator.follow('find')
    for (const id of [leaked.id, second.id, webhook.body.data.id, own.id])
      if (!found.includes(id)) throw new Error(`the audit history does not show ${id}`)
    const { key } = await createKey(owner, 'operator')
    await operator.set({ FOUND_KEY: second.id, FOUND_WEBHOOK: webhook.body.data.id })
    await operator.set({ CHANGED_WEBHOOK: own.id, ITS_URL: own.url, ARDEN_API_KEY: key })
    await operator.follow('undo')

    for (const { key } of [leaked, second]) {
      const { status } = await client(parts.url, key).get('/projects')
      if (status !== 401) throw new Error(`a revoked key gets ${status}`)
    }
    const before = thief.received.length
    await createArticle(owner)
    await until('the receiver gets its events again', () => receiver.received.length > 0)
    const { body } = await owner.get('/deliveries?status=RETRYING')
    if (thief.received.length > before || body.data.length > 0)
      throw new Error('the thief still gets events')
  },
}

const createKey = async (as: Client, name: string): Promise<{ id: string; key: string }> =>
  (await as.post('/api-keys', { name, scopes: ['read', 'write'] })).body.data

const createArticle = async (as: Client) => {
  const project = await as.post('/projects', { name: 'Disaster' })
  await as.post('/articles', { project_id: project.body.data.id, title: 'Disaster' })
}
