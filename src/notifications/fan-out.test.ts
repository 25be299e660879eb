import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { until } from '../../test/support/until'
import type { Mode } from '../caller'
import { createPublishChange } from './changes'
import { createFanOut } from './fan-out'
import type { ChangedTopic } from './topics'

const { sql } = await useDatabase()
const publish = createPublishChange((channel, payload) => sql.notify(channel, payload))
const subscribe = createFanOut(sql)

const seenBy = (accountId: string, mode: Mode) => {
  const seen = new Set<ChangedTopic>()
  subscribe({ accountId, mode }, topics => {
    for (const topic of topics) seen.add(topic)
  })
  return seen
}

test('contract 3.17: pages of both modes see what changes in the account, those of one mode its records', async () => {
  const [live, inTest, other] = [seenBy('a', 'live'), seenBy('a', 'test'), seenBy('b', 'live')]
  await until('all have what may have been missed', () => other.has('*'))
  publish({ accountId: 'a', mode: 'live' }, 'articles', 'people')
  publish({ accountId: 'b', mode: 'live' }, 'webhooks')
  await until('all are notified', () => other.has('webhooks'))
  expect([...live]).toEqual(['*', 'articles', 'people'])
  expect([...inTest]).toEqual(['*', 'people'])
  expect([...other]).toEqual(['*', 'webhooks'])
})
