import { beforeEach, expect, test } from 'bun:test'
import pino from 'pino'
import { until } from '../../../test/support/until'
import { type Meter, noMeter } from '../../metrics/meter'
import { createProviderLimiter } from './limiter'

const lines: { level: number; msg: string }[] = []
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
const recorded: unknown[] = []
const meter: Meter = {
  ...noMeter,
  recordRateLimited: provider => recorded.push(provider),
  recordProviderSlowed: (provider, _, isSlow) => recorded.push([provider, isSlow]),
}
beforeEach(() => {
  lines.length = 0
  recorded.length = 0
})

const create = (stopping = new AbortController().signal) =>
  createProviderLimiter(
    { provider: 'serp', host: 'serp.test', effect: 'Keywords wait.', costs: { requests: 1 } },
    { log, meter, stopping },
  )
const never = new AbortController().signal
const headers = (values: Record<string, string> = {}) => new Headers(values)

test('the first 429 is logged with what waits, and recorded; later ones are only recorded', async () => {
  const limiter = create()
  const both = [await limiter.admit(never), await limiter.admit(never)]
  for (const one of both) one?.rateLimited(headers({ 'retry-after-ms': '10' }))
  expect(lines.map(({ msg }) => msg)).toEqual([
    'serp.test responded with 429: its rate limit is exceeded. Requests pause for 1 s and then continue slowly. Keywords wait.',
  ])
  expect(recorded).toEqual([['serp', false], 'serp', ['serp', true], 'serp'])
})

test('a pause of a week is logged as such, with what Arden makes of it', async () => {
  const limiter = create()
  ;(await limiter.admit(never))?.rateLimited(headers({ 'retry-after': String(7 * 86_400) }))
  expect(lines[0]?.msg).toContain(
    'asked for a pause of 604800 s, of which Arden waits at most 300 s at a time',
  )
  expect(await limiter.admit(never)).toBeUndefined()
  expect(limiter.returnMs()).toBeWithin(299_000, 300_001)
})

test('requests are admitted in order, and not all at once, after a pause', async () => {
  const limiter = create()
  ;(await limiter.admit(never))?.rateLimited(headers({ 'retry-after-ms': '200' }))
  const began = performance.now()
  const admitted: number[] = []
  const waiting = [1, 2].map(async n => {
    const admission = await limiter.admit(never)
    admitted.push(n)
    admission?.accepted(headers())
  })
  await Promise.all(waiting)
  expect(admitted).toEqual([1, 2])
  expect(performance.now() - began).toBeGreaterThan(200 + 500)
})

test('when enough requests are accepted, full speed is logged and recorded', async () => {
  const limiter = create()
  ;(await limiter.admit(never))?.rateLimited(headers({ 'retry-after-ms': '0' }))
  const admission = await limiter.admit(never)
  // The responses of one request, many times: the speed depends on nothing else.
  for (let n = 0; n < 100; n++) admission?.accepted(headers())
  expect(lines.at(-1)?.msg).toBe('serp.test: requests are no longer slowed down.')
  expect(recorded.at(-1)).toEqual(['serp', false])
  await Promise.all(Array.from({ length: 50 }, () => limiter.admit(never)))
})

test('a cancelled request, and a worker that stops, end the wait at once', async () => {
  const stop = new AbortController()
  const limiter = create(stop.signal)
  ;(await limiter.admit(never))?.rateLimited(headers({ 'retry-after': '20' }))
  const cancelled = new AbortController()
  const first = limiter.admit(cancelled.signal).catch(error => error)
  const second = limiter.admit(never)
  const reason = new Error('cancelled')
  cancelled.abort(reason)
  expect(await first).toBe(reason)
  stop.abort()
  expect(await second).toBeUndefined()
  expect(await limiter.admit(never)).toBeUndefined()
})

test('a used-up quota delays the next request without a 429', async () => {
  const limiter = create()
  const began = performance.now()
  ;(await limiter.admit(never))?.accepted(
    headers({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '300ms' }),
  )
  let isAdmitted = false
  const next = limiter.admit(never).then(() => {
    isAdmitted = true
  })
  await until('it is admitted', () => isAdmitted)
  await next
  expect(performance.now() - began).toBeGreaterThan(280)
  expect(lines).toEqual([])
})

test('no more requests are admitted at a time than `inFlight`, until one ends', async () => {
  const limiter = createProviderLimiter(
    { provider: 'serp', host: 'serp.test', effect: '', costs: { requests: 1 }, inFlight: 1 },
    { log, meter, stopping: new AbortController().signal },
  )
  const first = await limiter.admit(never)
  let isAdmitted = false
  const second = limiter.admit(never).then(admission => {
    isAdmitted = true
    return admission
  })
  first?.accepted(headers())
  await Promise.resolve()
  expect(isAdmitted).toBe(false)
  first?.end()
  first?.end()
  const third = limiter.admit(never)
  await second
  await Promise.resolve()
  expect(await Promise.race([third.then(() => 'admitted'), Promise.resolve('waits')])).toBe('waits')
  ;(await second)?.end()
  await third
})
