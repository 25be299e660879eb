import { expect, test } from 'bun:test'
import { useRankTracking, words } from '../../../test/support/content/rank-tracking'
import { until } from '../../../test/support/until'
import { BATCH_SIZE, CONCURRENT_SEARCHES, MAX_FAILURES_IN_A_ROW } from './policy'
import { SerpProviderError } from './serp/provider'

const { sql, given, requests, add, track, searched, rankings } = await useRankTracking()

test('the next attempt repeats a search without a response, and no other', async () => {
  await add(['a', 'slow', 'c'])
  given.respond = ({ keyword }) =>
    keyword === 'slow' ? new Response('no', { status: 503 }) : Response.json({ position: 2 })
  expect(await track()).toMatchObject({ ranked: 2, noResponse: 1, last: null })
  requests.length = 0
  given.respond = () => Response.json({ position: 3 })
  expect(await track()).toMatchObject({ ranked: 3, noResponse: 0 })
  expect(searched()).toEqual(['slow'])
})

test('a provider that is unavailable, sends Retry-After or responds with 429 does not get a request for every keyword of the batch', async () => {
  await add(words(BATCH_SIZE))
  given.respond = () => new Response('no', { status: 500 })
  expect(await track()).toMatchObject({ ranked: 0, failed: 0, noResponse: BATCH_SIZE })
  expect(requests.length).toBeLessThan(MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)

  requests.length = 0
  given.respond = () => new Response('slow down', { status: 503, headers: { 'retry-after': '7' } })
  const batch = await track()
  expect(batch.unavailable?.retryAfterMs).toBe(7_000)
  expect(batch.noResponse).toBe(BATCH_SIZE)
  expect(requests.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)

  requests.length = 0
  given.respond = () => new Response('too many', { status: 429, headers: { 'retry-after': '60' } })
  expect((await track()).rateLimitedMs).toBeWithin(59_000, 60_001)
  expect(requests.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)
})

test('keywords that never get a response do not block others: the next attempt begins with the others', async () => {
  const all = words(2 * MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)
  const silent = all.slice(0, MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)
  await add(all)
  given.respond = ({ keyword }) =>
    silent.includes(keyword) ? new Response('no', { status: 503 }) : Response.json({ position: 1 })
  expect(await track({ attempt: 1 })).toMatchObject({ ranked: 0, noResponse: all.length })
  expect(await track({ attempt: 2 })).toMatchObject({
    ranked: MAX_FAILURES_IN_A_ROW,
    noResponse: silent.length,
  })
  expect((await rankings()).map(row => row.keyword)).toEqual(all.slice(silent.length))
})

test('the error for an unreachable provider has no URL', async () => {
  await add(['a'])
  const batch = await track({ url: 'http://127.0.0.1:1/?t=token' })
  expect(batch).toMatchObject({ noResponse: 1 })
  expect(batch.unavailable?.message).toBe('cannot be reached')
})

test.each([401, 403])(
  'a refused API key (%d) ends the run without further searches',
  async status => {
    await add(words(20))
    given.respond = () => new Response('no', { status })
    const error = await track().catch(error => error)
    expect(error).toBeInstanceOf(SerpProviderError)
    expect(error.reason).toBe('refused')
    expect(requests.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)
  },
)

test('a stopping worker aborts its searches, and stores nothing of them', async () => {
  await add(['a'])
  const stop = new AbortController()
  given.respond = () => new Promise<Response>(() => {})
  const tracked = track({ signal: stop.signal }).catch(error => error)
  await until('the search arrived', () => requests.length === 1)
  const reason = new Error('stopped')
  stop.abort(reason)
  expect(await tracked).toBe(reason)
  expect(await rankings()).toHaveLength(0)
})

test('an internal error is thrown, and is not a failure of the provider', async () => {
  const [id] = await add(['a'])
  await sql`ALTER TABLE rankings RENAME TO rankings_away`
  const error = await track().catch(error => error)
  await sql`ALTER TABLE rankings_away RENAME TO rankings`
  expect(error.code).toBe('42P01')
  expect((await track()).ranked).toBe(1)
  expect(id).toBeString()
})
