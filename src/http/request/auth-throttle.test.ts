import { expect, test } from 'bun:test'
import { createAuthThrottle } from './auth-throttle'

/** How often a 401 was delayed, for one 401 to each of the addresses. */
const countDelays = async (addresses: string[]) => {
  let delays = 0
  const throttle = createAuthThrottle(async () => {
    delays++
  })
  for (const address of addresses) await throttle(address)
  return delays
}
const FAILURES = Array.from({ length: 25 }, (_, n) => n.toString(16))

test('counts all addresses of an IPv6 /64 as one network', async () => {
  expect(await countDelays(FAILURES.map(n => `2001:db8:0:1::${n}`))).toBe(5)
})

test('delays a /48 after four times as many failures', async () => {
  const networks = Array.from({ length: 100 }, (_, n) => n.toString(16))
  expect(await countDelays(networks.map(n => `2001:db8:0:${n}::1`))).toBe(20)
  expect(await countDelays(networks.map(n => `2001:db8:${n}::1`))).toBe(0)
})

test('counts each /64 and each IPv4 address for itself', async () => {
  expect(await countDelays(FAILURES.map(n => `2001:db8:0:${n}::1`))).toBe(0)
  expect(await countDelays(FAILURES.map((_, n) => `203.0.113.${n}`))).toBe(0)
})
