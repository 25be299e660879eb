import { beforeEach, expect, test } from 'bun:test'
import { createCaller } from '../../../test/support/caller'
import { limiterDeps } from '../../../test/support/content/limiter-deps'
import { useDatabase } from '../../../test/support/database'
import { useReceiver } from '../../../test/support/receiver'
import { until } from '../../../test/support/until'
import type { Caller, Tenant } from '../../caller'
import { createKeyword, updateKeyword } from '../keywords/store'
import { createProject } from '../projects/store'
import { BATCH_SIZE, CONCURRENT_SEARCHES, MAX_FAILURES_IN_A_ROW } from './policy'
import { createSerpProvider, SerpProviderError } from './serp-provider'
import { recordRanking } from './store'
import { trackBatch } from './tracking'

type SerpRequest = { keyword: string }
type Responder = (request: SerpRequest, count: number) => Response | Promise<Response>

const RUN = '2026-01-02T04:00:00.000Z'
const NEXT_RUN = '2026-01-03T04:00:00.000Z'

let respond: Responder
/** A new caller for each test, because a batch includes the keywords of all accounts. */
let caller: Caller

const { sql } = await useDatabase()
const server = useReceiver(one => respond(JSON.parse(one.body), server.received.length))
beforeEach(async () => {
  for (const table of ['rankings', 'keywords', 'projects', 'events'])
    await sql`DELETE FROM ${sql(table)}`
  server.received.length = 0
  respond = () => Response.json({ position: 1 })
  caller = await createCaller(sql)
})

const add = async (words: string[], options: { as?: Caller; domain?: string | null } = {}) => {
  const { as = caller, domain = 'blog.acme.com' } = options
  return await sql.begin(async tx => {
    const project = await createProject(tx, as, { name: 'p', domain, language: 'de' })
    const ids: string[] = []
    for (const keyword of words)
      ids.push(
        (await createKeyword(tx, as, project.id, { keyword, country: 'DE', device: 'mobile' })).id,
      )
    return ids
  })
}

const never = new AbortController().signal

let commits = 0
let lastTenant: Tenant | undefined
const committed = (tenant: Tenant) => {
  commits++
  lastTenant = tenant
}

type Options = Partial<Parameters<typeof trackBatch>[1]> & { signal?: AbortSignal }

const track = (options: Options = {}) => {
  const { run = RUN, after = null, attempt = 1, signal = never, ...shard } = options
  const provider = createSerpProvider(
    { serpUrl: `${server.url}/serp?t=token`, serpApiKey: 'secret' },
    limiterDeps,
  )
  if (provider === undefined) throw new Error('no SERP provider')
  return trackBatch({ sql, provider, committed }, { run, after, attempt, ...shard }, signal)
}

const searched = () => server.received.map(one => JSON.parse(one.body).keyword).sort()
const rankings = () => sql`
  SELECT k.keyword, r.position, r.url, r.checked_at FROM rankings r
  JOIN keywords k ON k.id = r.keyword_id ORDER BY k.keyword, r.id`
const words = (count: number) =>
  Array.from({ length: count }, (_, n) => `k${String(n).padStart(3, '0')}`)

test('without ARDEN_SERP_URL there is no provider', () => {
  expect(
    createSerpProvider({ serpUrl: undefined, serpApiKey: undefined }, limiterDeps),
  ).toBeUndefined()
})

test('a search sends the documented request, and its result is stored like any ranking', async () => {
  await add(['kaffee'])
  respond = () =>
    Response.json({
      position: 4,
      url: 'https://blog.acme.com/kaffee',
      checked_at: '2026-01-01T00:00:00Z',
      cost: 0.01,
    })
  const before = commits
  expect(await track()).toEqual({ last: null, ranked: 1, failed: 0, noResponse: 0 })
  expect(commits - before).toBe(1)
  expect(lastTenant).toMatchObject({ accountId: caller.accountId, mode: 'live' })
  const [request] = server.received
  expect(JSON.parse(request?.body ?? '')).toEqual({
    keyword: 'kaffee',
    country: 'DE',
    language: 'de',
    device: 'mobile',
    domain: 'blog.acme.com',
  })
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/json',
    'user-agent': 'Arden-RankTracker/1.0',
  })
  expect([...(await rankings())]).toEqual([
    {
      keyword: 'kaffee',
      position: 4,
      url: 'https://blog.acme.com/kaffee',
      checked_at: new Date('2026-01-01T00:00:00Z'),
    },
  ])
  const [event] = await sql`SELECT body FROM events WHERE type = 'keyword.ranked'`
  expect(JSON.parse(event?.body).data).toMatchObject({ keyword: 'kaffee', position: 4 })
})

test('searches only tracked live keywords, in projects that are not deleted and have a domain', async () => {
  const [plain, untracked] = await add(['plain', 'untracked'])
  await add(['of test mode'], { as: await createCaller(sql, 'test') })
  await add(['without domain'], { domain: null })
  const [hidden] = await add(['of a deleted project'])
  await sql.begin(tx => updateKeyword(tx, caller, untracked ?? '', { tracked: false }))
  await sql`UPDATE projects SET deleted_at = now()
    WHERE id = (SELECT project_id FROM keywords WHERE id = ${hidden ?? ''})`
  expect((await track()).ranked).toBe(1)
  expect(searched()).toEqual(['plain'])
  expect(plain).toBeString()
})

test('a run stores one ranking for each keyword, also when a batch is repeated; the next run stores another', async () => {
  await add(['a', 'b'])
  await Promise.all([track(), track()])
  expect((await track()).ranked).toBe(2)
  expect(await rankings()).toHaveLength(2)
  await track({ run: NEXT_RUN })
  expect(await rankings()).toHaveLength(4)
})

test('batches follow each other until there are no more keywords', async () => {
  await add(words(BATCH_SIZE + 3))
  const first = await track()
  expect(first.ranked).toBe(BATCH_SIZE)
  const second = await track({ after: first.last })
  expect([second.ranked, second.last]).toEqual([3, null])
  expect(searched()).toEqual(words(BATCH_SIZE + 3))
})

test('limits concurrent searches', async () => {
  await add(words(20))
  let underWay = 0
  let most = 0
  respond = async () => {
    most = Math.max(most, ++underWay)
    await Bun.sleep(5)
    underWay--
    return Response.json({ position: null })
  }
  await track()
  expect(most).toBe(CONCURRENT_SEARCHES)
})

test.each<[string, () => Response, string]>([
  ['is not JSON', () => new Response('<html>'), 'not JSON'],
  ['has no position', () => Response.json({ rank: 1 }), 'position'],
  ['has a position that is none', () => Response.json({ position: 0 }), 'position'],
  ['has a URL that is none', () => Response.json({ position: 1, url: 'blog' }), 'url'],
  ['has U+0000 in it', () => Response.json({ position: 1, url: 'https://acme.com/\0' }), 'url'],
  [
    'was checked in the future',
    () => Response.json({ position: 1, checked_at: '2999-01-01T00:00:00Z' }),
    'future',
  ],
  ['is a 400', () => new Response('no', { status: 400 }), 'responded with 400'],
  ['is a redirect', () => Response.redirect('https://example.com/'), 'responded with 302'],
])(
  'a response that %s fails its keyword, and does not affect the others',
  async (_, bad, message) => {
    await add(['a', 'bad', 'c'])
    respond = ({ keyword }) => (keyword === 'bad' ? bad() : Response.json({ position: 2 }))
    const batch = await track()
    expect(batch).toMatchObject({ ranked: 2, failed: 1, noResponse: 0 })
    expect(batch.unusable?.message).toContain(message)
    expect((await rankings()).map(row => row.keyword)).toEqual(['a', 'c'])
  },
)

test('the next attempt repeats a search without a response, and no other', async () => {
  await add(['a', 'slow', 'c'])
  respond = ({ keyword }) =>
    keyword === 'slow' ? new Response('no', { status: 503 }) : Response.json({ position: 2 })
  expect(await track()).toMatchObject({ ranked: 2, noResponse: 1, last: null })
  server.received.length = 0
  respond = () => Response.json({ position: 3 })
  expect(await track()).toMatchObject({ ranked: 3, noResponse: 0 })
  expect(searched()).toEqual(['slow'])
})

test('a provider that is unavailable, sends Retry-After or responds with 429 does not get a request for every keyword of the batch', async () => {
  await add(words(BATCH_SIZE))
  respond = () => new Response('no', { status: 500 })
  expect(await track()).toMatchObject({ ranked: 0, failed: 0, noResponse: BATCH_SIZE })
  expect(server.received.length).toBeLessThan(MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)

  server.received.length = 0
  respond = () => new Response('slow down', { status: 503, headers: { 'retry-after': '7' } })
  const batch = await track()
  expect(batch.unavailable?.retryAfterMs).toBe(7_000)
  expect(batch.noResponse).toBe(BATCH_SIZE)
  expect(server.received.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)

  server.received.length = 0
  respond = () => new Response('too many', { status: 429, headers: { 'retry-after': '60' } })
  expect((await track()).rateLimitedMs).toBeWithin(59_000, 60_001)
  expect(server.received.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)
})

test('a shard has the keywords after one id, up to another, and as many searches at a time as it is given', async () => {
  const ids = await add(words(20))
  let inFlight = 0
  let most = 0
  respond = async () => {
    most = Math.max(most, ++inFlight)
    await Bun.sleep(5)
    inFlight--
    return Response.json({ position: null })
  }
  const range = { after: ids[4] ?? '', until: ids[14] ?? '' }
  expect(await track({ ...range, searches: 2 })).toMatchObject({ ranked: 10, last: null })
  expect([searched(), most]).toEqual([words(15).slice(5), 2])
})

test('keywords that never get a response do not block others: the next attempt begins with the others', async () => {
  const all = words(2 * MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)
  const silent = all.slice(0, MAX_FAILURES_IN_A_ROW + CONCURRENT_SEARCHES)
  await add(all)
  respond = ({ keyword }) =>
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
  const provider = createSerpProvider(
    { serpUrl: 'http://127.0.0.1:1/?t=token', serpApiKey: undefined },
    limiterDeps,
  )
  if (provider === undefined) throw new Error('no SERP provider')
  const batch = await trackBatch(
    { sql, provider, committed },
    { run: RUN, after: null, attempt: 1 },
    AbortSignal.any([]),
  )
  expect(batch).toMatchObject({ noResponse: 1 })
  expect(batch.unavailable?.message).toBe('cannot be reached')
  expect(provider.host).toBe('127.0.0.1:1')
})

test.each([401, 403])(
  'a refused API key (%d) ends the run without further searches',
  async status => {
    await add(words(20))
    respond = () => new Response('no', { status })
    const error = await track().catch(error => error)
    expect(error).toBeInstanceOf(SerpProviderError)
    expect(error.reason).toBe('refused')
    expect(server.received.length).toBeLessThanOrEqual(CONCURRENT_SEARCHES)
  },
)

test('a stopping worker aborts its searches, and stores nothing of them', async () => {
  await add(['a'])
  const stop = new AbortController()
  respond = () => new Promise<Response>(() => {})
  const tracked = track({ signal: stop.signal }).catch(error => error)
  await until('the search arrived', () => server.received.length === 1)
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

test('a ranking that a caller stored meanwhile does not replace the search', async () => {
  const [id = ''] = await add(['a'])
  await sql.begin(tx => recordRanking(tx, caller, id, { position: 9 }))
  expect((await track()).ranked).toBe(1)
  expect(await rankings()).toHaveLength(2)
})
