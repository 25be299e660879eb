import { afterAll, expect, test } from 'bun:test'
import { startNameServer } from '../../../test/support/network/name-server'
import { until } from '../../../test/support/until'
import { checkUrlInTurn } from './url-check'

const { queried, stop } = await startNameServer(name =>
  name.startsWith('silent') ? 'silent' : ['93.184.215.14'],
)
afterAll(stop)

const check = (accountId: string, name: string) =>
  checkUrlInTurn({ accountId }, `https://${name}/`, { allowPrivate: false })

test('of each account two URLs are looked up at a time, and no other account waits for them', async () => {
  for (const n of [0, 1, 2, 3]) check('a', `silent${n}.example`).catch(() => {})
  await until('two are queried', () => queried.includes('silent1.example'))
  await check('b', 'good.example')
  expect([...new Set(queried)].sort()).toEqual([
    'good.example',
    'silent0.example',
    'silent1.example',
  ])
})
