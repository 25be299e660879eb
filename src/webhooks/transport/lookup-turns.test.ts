import { afterAll, expect, test } from 'bun:test'
import { startNameServer } from '../../../test/support/network/name-server'
import { until } from '../../../test/support/until'
import type { Address } from './dns'
import { createIsolatedThreads } from './isolated-threads'
import { createLookupTurns } from './lookup-turns'

const many = Array.from({ length: 4_000 }, (_, n) => `93.${n >> 8}.${n & 255}.1`)
const { stop } = await startNameServer(name =>
  name.startsWith('silent') ? 'silent' : name.startsWith('many') ? many : ['127.0.0.1'],
)
afterAll(stop)

/** Lookups that end when the test says so, by name. */
const createLookups = () => {
  const begun = new Map<string, PromiseWithResolvers<Address[]>>()
  const lookupOf = createLookupTurns(name => {
    const lookup = Promise.withResolvers<Address[]>()
    begun.set(name, lookup)
    return lookup.promise
  })
  return { begun, lookupOf }
}
/** Without turns, a lookup of another account waited for 54 to 125 of them, now for 2 to 7. */
const HOSTILE = 150
const ADDRESS = { address: '127.0.0.1', family: 4 }

test('an account has few lookups at a time, and begins the next when one ends', async () => {
  const { begun, lookupOf } = createLookups()
  const names = Array.from({ length: 10 }, (_, n) => `a${n}`)
  const all = names.map(name => lookupOf('a')(name).catch(error => error))
  expect([...begun.keys()]).toEqual(['a0', 'a1', 'a2', 'a3'])
  const failure = new Error('no such name')
  begun.get('a1')?.reject(failure)
  await until('the next has begun', () => begun.has('a4'))
  expect(begun.size).toBe(5)
  for (const name of names) {
    await until(`${name} has begun`, () => begun.has(name))
    begun.get(name)?.resolve([ADDRESS])
  }
  expect(await Promise.all(all)).toEqual(names.map(name => (name === 'a1' ? failure : [ADDRESS])))
})

test('a lookup of another account begins at once', () => {
  const { begun, lookupOf } = createLookups()
  for (let n = 0; n < 10; n++) void lookupOf('a')(`a${n}`)
  void lookupOf('b')('b0')
  expect(begun.has('b0')).toBe(true)
})

test('lookups without a response do not stop those after them', async () => {
  const { begun, lookupOf } = createLookups()
  for (let n = 0; n < 10; n++) void lookupOf('a')(`a${n}`)
  await until('all have begun', () => begun.size === 10)
})

test('in a thread that accounts share, a lookup of one does not wait for all of another with thousands of addresses', async () => {
  const threads = createIsolatedThreads({ timeoutMs: 20_000 })
  const lookUp = (account: string, count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) =>
      threads.lookup(account, `${prefix}-${account}${n}.example.`).catch(() => []),
    )
  // With a fifth account a thread is shared: that with the fewest lookups.
  for (const account of ['b', 'c', 'd']) lookUp(account, 2 * HOSTILE, 'silent')
  let completed = 0
  for (const one of lookUp('a', HOSTILE, 'many')) void one.then(() => completed++)
  await until('one has completed', () => completed > 0)
  const before = completed
  expect(await threads.lookup('e', 'good.example.')).toEqual([ADDRESS])
  expect(completed - before).toBeLessThan(HOSTILE / 4)
})
