import { expect, test } from 'bun:test'
import { createIsolatedReceivers } from './isolated-receivers'

const MINUTE_MS = 60_000

test('a failed handshake isolates that host of that account, for 10 minutes after the last one', () => {
  let now = 0
  const { add, has } = createIsolatedReceivers(() => now)
  add('a', 'broken.test')
  expect([has('a', 'broken.test'), has('a', 'other.test')]).toEqual([true, false])
  expect(has('b', 'broken.test')).toBe(false)
  now = 9 * MINUTE_MS
  add('a', 'broken.test')
  now = 18 * MINUTE_MS
  expect(has('a', 'broken.test')).toBe(true)
  now = 19 * MINUTE_MS
  expect(has('a', 'broken.test')).toBe(false)
})

test('20 hosts with failed handshakes isolate every receiver of the account, and of no other', () => {
  let now = 0
  const { add, has } = createIsolatedReceivers(() => now)
  for (let n = 0; n < 19; n++) add('a', `${n}.test`)
  expect(has('a', 'new.test')).toBe(false)
  for (let n = 19; n < 1_000; n++) add('a', `${n}.test`)
  expect([has('a', 'new.test'), has('b', 'new.test')]).toEqual([true, false])
  now = 10 * MINUTE_MS
  expect(has('a', 'new.test')).toBe(false)
})
