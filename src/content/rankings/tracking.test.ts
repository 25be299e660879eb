import { expect, test } from 'bun:test'
import { createCaller } from '../../../test/support/caller'
import { limiterDeps } from '../../../test/support/content/limiter-deps'
import { useRankTracking, words } from '../../../test/support/content/rank-tracking'
import { updateKeyword } from '../keywords/store'
import { BATCH_SIZE, CONCURRENT_SEARCHES } from './policy'
import { createSerpProvider } from './serp/selection'
import { recordRanking } from './store'

const { sql, given, commits, requests, add, track, searched, rankings } = await useRankTracking()
const NEXT_RUN = '2026-01-03T04:00:00.000Z'

test('without ARDEN_SERP_URL there is no provider', () => {
  expect(createSerpProvider({ serp: undefined, serpInFlight: 16 }, limiterDeps)).toBeUndefined()
})

test('a search sends the documented request, and its result is stored like any ranking', async () => {
  await add(['kaffee'])
  given.respond = () =>
    Response.json({
      position: 4,
      url: 'https://blog.acme.com/kaffee',
      checked_at: '2026-01-01T00:00:00Z',
      cost: 0.01,
    })
  expect(await track()).toEqual({ last: null, ranked: 1, failed: 0, noResponse: 0 })
  expect(commits).toEqual([
    expect.objectContaining({ accountId: given.caller.accountId, mode: 'live' }),
  ])
  const [request] = requests
  expect(JSON.parse(request?.body ?? '')).toEqual({
    keyword: 'kaffee',
    country: 'DE',
    language: 'de',
    device: 'mobile',
    domain: 'blog.acme.com',
    domain_match: 'domain',
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
  await sql.begin(tx => updateKeyword(tx, given.caller, untracked ?? '', { tracked: false }))
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
  given.respond = async () => {
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
    given.respond = ({ keyword }) => (keyword === 'bad' ? bad() : Response.json({ position: 2 }))
    const batch = await track()
    expect(batch).toMatchObject({ ranked: 2, failed: 1, noResponse: 0 })
    expect(batch.unusable?.message).toContain(message)
    expect((await rankings()).map(row => row.keyword)).toEqual(['a', 'c'])
  },
)

test('a shard has the keywords after one id, up to another, and as many searches at a time as it is given', async () => {
  const ids = await add(words(20))
  let inFlight = 0
  let most = 0
  given.respond = async () => {
    most = Math.max(most, ++inFlight)
    await Bun.sleep(5)
    inFlight--
    return Response.json({ position: null })
  }
  const range = { after: ids[4] ?? '', until: ids[14] ?? '' }
  expect(await track({ ...range, searches: 2 })).toMatchObject({ ranked: 10, last: null })
  expect([searched(), most]).toEqual([words(15).slice(5), 2])
})

test('a ranking that a caller stored meanwhile does not replace the search', async () => {
  const [id = ''] = await add(['a'])
  await sql.begin(tx => recordRanking(tx, given.caller, id, { position: 9 }))
  expect((await track()).ranked).toBe(1)
  expect(await rankings()).toHaveLength(2)
})
