import { expect, test } from 'bun:test'
import { createClientAddress, networkOf, siteOf } from './client-address'

const trusted = ['10.0.0.0/8', '::1']

test.each([
  // peer, X-Forwarded-For, the client
  ['203.0.113.9', null, '203.0.113.9'],
  ['::ffff:203.0.113.9', null, '203.0.113.9'],
  // The header of a peer that is not a trusted proxy is ignored.
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['10.1.1.1', null, '10.1.1.1'],
  ['10.1.1.1', '198.51.100.1', '198.51.100.1'],
  ['::1', '198.51.100.1', '198.51.100.1'],
  // An entry from the client precedes the one from the proxy.
  ['10.1.1.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['10.1.1.1', '198.51.100.1, 10.2.2.2, 10.3.3.3', '198.51.100.1'],
  // Entries before an invalid hop are not trusted.
  ['10.1.1.1', '9.9.9.9, unknown', '10.1.1.1'],
  ['10.1.1.1', '9.9.9.9, unknown, 10.2.2.2', '10.2.2.2'],
  ['10.1.1.1', '9.9.9.9, 203.0.113.7:4711', '203.0.113.7'],
  ['10.1.1.1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['10.1.1.1', '2001:db8::7', '2001:db8::7'],
  ['10.1.1.1', '', '10.1.1.1'],
])('from %s with X-Forwarded-For %s the client is %s', (peer, forwarded, client) => {
  expect(createClientAddress(trusted)(peer, forwarded)).toBe(client)
})

test('ignores X-Forwarded-For without trusted proxies', () => {
  expect(createClientAddress([])('10.1.1.1', '198.51.100.1')).toBe('10.1.1.1')
})

test('the client is known however long the header is that it sent itself', () => {
  const clientAddress = createClientAddress(trusted)
  for (const own of ['1.2.3.4, '.repeat(1000), `${'x'.repeat(16_000)}, `, ','.repeat(16_000)])
    for (const proxies of ['', ', 10.2.2.2'])
      expect(clientAddress('10.1.1.1', `${own}198.51.100.1${proxies}`)).toBe('198.51.100.1')
})

test('of the hops before the client at most 20 are read, and a hop that is too long is ignored', () => {
  const clientAddress = createClientAddress(trusted)
  const behind = (proxies: number) => `198.51.100.1${', 10.2.2.2'.repeat(proxies)}`
  expect(clientAddress('10.1.1.1', behind(19))).toBe('198.51.100.1')
  expect(clientAddress('10.1.1.1', behind(20))).toBe('10.2.2.2')
  expect(clientAddress('10.1.1.1', `9.9.9.9, ${' '.repeat(200)}198.51.100.1`)).toBe('10.1.1.1')
})

test.each([
  ['spaces', ' '.repeat(8000)],
  ['colons', ':'.repeat(8000)],
  ['brackets', '['.repeat(8000)],
  ['digits and dots', `${'1.'.repeat(4000)}x`],
  ['commas', ','.repeat(8000)],
])('the cost of %s does not grow with their square', (_, text) => {
  const clientAddress = createClientAddress(trusted)
  const measure = (header: string) => {
    const began = performance.now()
    for (let i = 0; i < 200; i++) clientAddress('10.1.1.1', header)
    return performance.now() - began
  }
  /** The least of five, in ms: of a machine that is busy with other things, one is not. */
  const cost = (header: string) => Math.min(...Array.from({ length: 5 }, () => measure(header)))
  // 100 times the text: quadratic backtracking costs 10,000 times as much.
  expect(cost(text)).toBeLessThan(1000 * Math.max(cost(text.slice(0, 80)), 1))
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['203.0.113.9', undefined],
  ['::ffff:203.0.113.9', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1::', '2001:db8:1::/48'],
  ['', undefined],
])('the site of %s is %s', (address, site) => {
  expect(siteOf(address)).toBe(site)
})
