import { afterAll, expect, test } from 'bun:test'
import { startNameServer } from '../../../test/support/network/name-server'
import { settled } from '../../../test/support/settled'
import { until } from '../../../test/support/until'
import { checkUrlInTurn } from './url-check'

const many = Array.from({ length: 4_000 }, (_, n) => `93.${n >> 8}.${n & 255}.1`)
const { queried, stop } = await startNameServer(name =>
  name.startsWith('silent') ? 'silent' : name.includes('many') ? many : ['93.184.215.14'],
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

test('after 20 names with too many addresses, the next lookups of the account are in another thread', async () => {
  let names = 0
  const checkNext = async () =>
    expect(await settled(check('hostile', `${names++}.many.example`))).toThrow(
      'more than 64 addresses',
    )
  while (names < 21) await checkNext()
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()]
  for (let n = 0; n < 10; n++) await checkNext()
  const own = process.threadCpuUsage(thread)
  const whole = process.cpuUsage(all)
  // Of this thread, most is the name server.
  expect((own.user + own.system) / (whole.user + whole.system)).toBeLessThan(0.6)
})
