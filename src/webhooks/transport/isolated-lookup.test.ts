import { afterAll, expect, test } from 'bun:test'
import { startNameServer } from '../../../test/support/network/name-server'
import { until } from '../../../test/support/until'
import { resolveAddress } from './address'
import { createPost } from './post'

const many = Array.from({ length: 4_000 }, (_, n) => `93.${n >> 8}.${n & 255}.1`)
const { queried, stop } = await startNameServer(name =>
  name.startsWith('silent') ? 'silent' : name.startsWith('many') ? many : ['127.0.0.1'],
)
afterAll(stop)

/** Sends until the address check, which refuses every name here. */
const createSender = () => {
  const post = createPost({ timeoutMs: 20_000 })
  return async (accountId: string, name: string, signal = new AbortController().signal) => {
    const url = new URL(`https://${name}/`)
    const { error } = await post({
      accountId,
      url,
      resolve: (deadline, lookup) => resolveAddress(url, { allowPrivate: false }, deadline, lookup),
      headers: {},
      body: '{}',
      signal,
    })
    return error
  }
}

test('after a name with too many addresses, the next lookups of it are in another thread', async () => {
  const send = createSender()
  const refused = 'the name has more than 64 addresses'
  for (let n = 0; n < 2; n++) expect(await send('hostile', 'many.example')).toBe(refused)
  const [before, thread, all] = [queried.length, process.threadCpuUsage(), process.cpuUsage()]
  for (let n = 0; n < 10; n++) expect(await send('hostile', 'many.example')).toBe(refused)
  const own = process.threadCpuUsage(thread)
  const whole = process.cpuUsage(all)
  // Each is made: none is refused because of an earlier one.
  expect(queried.length - before).toBeGreaterThanOrEqual(10)
  // Of this thread, most is the name server.
  expect((own.user + own.system) / (whole.user + whole.system)).toBeLessThan(0.6)
})

test('names without a response delay no other name, of the same account or of another', async () => {
  const send = createSender()
  const end = new AbortController()
  const waiting = Array.from({ length: 50 }, (_, n) =>
    send('a', `silent${n}.example`, end.signal).catch(() => 'ended'),
  )
  await until('they are queried', () => queried.includes('silent49.example'))
  for (const account of ['a', 'b'])
    expect(await send(account, 'good.example')).toBe('the name has an address that is not public')
  end.abort()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ended']))
})

test('lookups of a name that run at the same time for an account are one', async () => {
  const send = createSender()
  const before = queried.length
  await Promise.all(Array.from({ length: 30 }, () => send('a', 'once.example')))
  expect(queried.slice(before)).toEqual(['once.example', 'once.example'])
})
