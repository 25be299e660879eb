import { expect, test } from 'bun:test'
import { createBlockedNetworks } from './blocked-networks'

test('refuses a network for 30 s, and then asks again', () => {
  let now = 0
  const blocked = createBlockedNetworks(() => now)
  blocked.block('203.0.113.7', 900)
  now = 29_999
  expect(blocked.secondsLeft('203.0.113.7')).toBe(871)
  expect(blocked.secondsLeft('203.0.113.8')).toBe(0)
  now = 30_000
  expect(blocked.secondsLeft('203.0.113.7')).toBe(0)
})

test('refuses a network no longer than its block, and not after it is unblocked', () => {
  let now = 0
  const blocked = createBlockedNetworks(() => now)
  blocked.block('203.0.113.7', 2)
  blocked.block('203.0.113.8', 2)
  blocked.unblock('203.0.113.8')
  expect(blocked.secondsLeft('203.0.113.8')).toBe(0)
  now = 1_999
  expect(blocked.secondsLeft('203.0.113.7')).toBe(1)
  now = 2_000
  expect(blocked.secondsLeft('203.0.113.7')).toBe(0)
})

test('remembers the 10,000 networks that were blocked last', () => {
  const blocked = createBlockedNetworks(() => 0)
  for (let n = 0; n <= 10_000; n++) blocked.block(String(n), 900)
  expect(blocked.secondsLeft('0')).toBe(0)
  expect(blocked.secondsLeft('1')).toBe(900)
  expect(blocked.secondsLeft('10000')).toBe(900)
})
