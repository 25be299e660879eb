import { expect, test } from 'bun:test'
import { createPace } from './pace'
import { readQuotas } from './quotas'

/** Times are those that the tests pass, in ms. */

const MINUTE = 60_000
const quotas = (headers: Record<string, string>) => readQuotas(new Headers(headers))

test('without a 429 there is no limit', () => {
  const pace = createPace({ requests: 1 })
  for (let n = 0; n < 100; n++) {
    expect(pace.delayMs(0)).toBe(0)
    pace.take(0)
  }
})

test('a 429 pauses for as long as it asks, then requests go one by one, and each that is accepted is faster', () => {
  const pace = createPace({ requests: 1 })
  pace.onRateLimited(0, 0, 7_000)
  expect(pace.delayMs(0)).toBe(7_000)
  let now = 7_000
  const delays: number[] = []
  while (pace.isSlowed()) {
    expect(pace.delayMs(now)).toBe(0)
    pace.take(now)
    delays.push(pace.delayMs(now))
    pace.onAccepted(now)
    now += pace.delayMs(now)
  }
  expect(delays[0]).toBe(1_000)
  expect(delays).toEqual(delays.toSorted((a, b) => b - a))
  expect(delays.length).toBeWithin(20, 100)
})

test('a pause of a week is cut to five minutes, and 429s for ever leave at least a request in five minutes', () => {
  const pace = createPace({ requests: 1 })
  let now = 0
  for (let n = 0; n < 50; n++) {
    pace.take(now)
    pace.onRateLimited(now, now, 7 * 24 * 60 * MINUTE)
    const delayMs = pace.delayMs(now)
    expect(delayMs).toBe(5 * MINUTE)
    now += delayMs
  }
  expect(pace.spacingMs()).toBe(MINUTE)
  pace.clear()
  expect([pace.delayMs(now), pace.isSlowed()]).toEqual([0, false])
})

test('429s of requests that were sent together count once', () => {
  const pace = createPace({ requests: 1 })
  for (let n = 0; n < 20; n++) pace.onRateLimited(10 + n, 0, 0)
  expect(pace.spacingMs()).toBe(1_000)
  pace.onRateLimited(5_000, 4_000, 0)
  expect(pace.spacingMs()).toBe(2_000)
})

test.each([
  ['requests', { 'x-ratelimit-reset-requests': '6s' }, 100],
  ['requests', { 'x-ratelimit-reset-requests': '1m40s' }, 1_667],
  ['requests', { 'x-ratelimit-reset-requests': '600ms' }, 10],
  ['requests', { 'x-ratelimit-reset-requests': '6' }, 100],
])(
  'a used-up quota of %s that resets as %p permits the next request when it has refilled',
  (kind, reset, ms) => {
    const pace = createPace({ requests: 1 })
    const headers = { [`x-ratelimit-limit-${kind}`]: '60', [`x-ratelimit-remaining-${kind}`]: '0' }
    pace.setQuotas(0, quotas({ ...headers, ...reset }), 0)
    expect(Math.round(pace.delayMs(0))).toBe(ms)
    expect(pace.delayMs(ms + 1)).toBe(0)
    pace.take(ms + 1)
    expect(Math.round(pace.delayMs(ms + 1))).toBeWithin(ms - 2, ms + 1)
  },
)

test('what remains is for the requests that have no response yet', () => {
  const pace = createPace({ requests: 1 })
  const headers = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '2',
    'x-ratelimit-reset': '58',
  }
  pace.setQuotas(0, quotas(headers), 1)
  expect(pace.delayMs(0)).toBe(0)
  pace.take(0)
  expect(Math.round(pace.delayMs(0))).toBe(1_000)
})

test('a request takes as many tokens as its response may have, and one that exceeds the limit is sent all the same', () => {
  const pace = createPace({ requests: 1, tokens: 4_000 })
  const headers = (limit: string) => ({
    'x-ratelimit-limit-tokens': limit,
    'x-ratelimit-remaining-tokens': '1000',
    'x-ratelimit-reset-tokens': '9s',
  })
  pace.setQuotas(0, quotas(headers('10000')), 0)
  expect(Math.round(pace.delayMs(0))).toBe(3_000)
  pace.setQuotas(0, quotas(headers('1000')), 0)
  expect(pace.delayMs(0)).toBe(0)
})

test('a quota that resets in a day holds no request for more than five minutes', () => {
  const pace = createPace({ requests: 1 })
  pace.setQuotas(0, quotas({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '24h' }), 0)
  expect(pace.delayMs(0)).toBe(5 * MINUTE)
})

test.each([
  {},
  { 'x-ratelimit-remaining': '0' },
  { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': '6s' },
  { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' },
  { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '1s' },
  { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${'9'.repeat(400)}s` },
])('headers that are no quota limit nothing: %p', headers => {
  expect(quotas(headers).size).toBe(0)
})

test('a reset may be a time since 1970, in seconds or in ms', () => {
  for (const unit of [1, 1_000]) {
    const at = String(Math.round(((Date.now() + 20_000) / 1_000) * unit))
    const quota = quotas({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': at }).get('requests')
    expect(quota?.resetMs).toBeWithin(15_000, 21_001)
  }
})

test("Anthropic's quotas reset at a time as in RFC 3339", () => {
  const pace = createPace({ requests: 1, tokens: 4_000 })
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const headers = {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': inSeconds(1).replace(/\.\d+Z$/, 'Z'),
    'anthropic-ratelimit-tokens-limit': '8000',
    'anthropic-ratelimit-tokens-remaining': '0',
    'anthropic-ratelimit-tokens-reset': inSeconds(60),
  }
  pace.setQuotas(0, quotas(headers), 0)
  expect(pace.delayMs(0)).toBeWithin(29_000, 30_001)
})
