import { expect, test } from 'bun:test'
import { listenForChanges } from '../../src/notifications/changes'
import { useArden } from '../support/arden'
import { SERP_KEY, useSerp } from '../support/content/serp'
import { until } from '../support/until'

/** Runs of the rank tracking that users request (contract 6.20), with SerpApi. */

let respond = (_: string): Response => found()
const found = () =>
  Response.json({
    search_metadata: { status: 'Success' },
    organic_results: [{ link: 'https://other.example/' }, { link: 'https://www.acme.com/a' }],
  })
const serp = useSerp('serpapi', ({ url }) => respond(url.searchParams.get('q') ?? ''))
const arden = await useArden(
  { serve: true, worker: true },
  {
    ARDEN_SERP_PROVIDER: 'serpapi',
    ARDEN_SERP_URL: serp.config.url,
    ARDEN_SERP_API_KEY: SERP_KEY,
    ARDEN_SERP_PRICE: '0.02',
  },
)
const live = await arden.client()

const newProject = async (
  words: string[],
  members: object = { domain: 'acme.com' },
  api = live,
) => {
  const { id } = (await api.post('/projects', { name: 'p', ...members })).body.data
  const ids: string[] = []
  for (const keyword of words)
    ids.push((await api.post(`/projects/${id}/keywords`, { keyword })).body.data.id)
  return { id, ids }
}
const ended = (id: string) =>
  until('the run has ended', async () => {
    const { data } = (await live.get(`/rank-runs/${id}`)).body
    return data.finished_at !== null && data
  })
const request = (id: string, headers = {}) => live.post(`/projects/${id}/rank-runs`, {}, headers)

test('a run checks the tracked keywords of its project now, and says what it cost', async () => {
  const other = await newProject(['of another project'])
  const { id, ids } = await newProject(['a', 'b', 'untracked'])
  await live.patch(`/keywords/${ids[2]}`, { tracked: false })
  serp.requests.length = 0
  const { status, body } = await request(id)
  expect(status).toBe(202)
  expect(body.data.id).toMatch(/^rrn_/)
  expect(body.data).toMatchObject({
    project_id: id,
    trigger: 'manual',
    status: 'QUEUED',
    keywords: 2,
    cost_usd: 0,
  })
  expect(await ended(body.data.id)).toMatchObject({
    status: 'COMPLETED',
    keywords: 2,
    ranked: 2,
    failed: 0,
    searches: 2,
    cost_usd: 0.04,
    error: null,
    started_at: expect.any(String),
  })
  expect(serp.requests.map(({ url }) => url.searchParams.get('q')).sort()).toEqual(['a', 'b'])
  expect((await live.get(`/keywords/${ids[0]}`)).body.data.latest_position).toBe(2)
  expect((await live.get(`/projects/${id}/rank-runs`)).body.data).toHaveLength(1)
  expect((await live.get(`/projects/${other.id}/rank-runs`)).body.data).toEqual([])
})

test('a run counts a keyword that is added while it goes on', async () => {
  const { id } = await newProject(['first'])
  let isAdded = false
  serp.given.respond = async () => {
    if (!isAdded) {
      isAdded = true
      await live.post(`/projects/${id}/keywords`, { keyword: 'added' })
    }
    return found()
  }
  const { keywords, ranked, failed } = await ended((await request(id)).body.data.id)
  expect([keywords, ranked + failed]).toEqual([2, 2])
})

test('requests while a run is open, concurrent ones and those with one Idempotency-Key get the same run', async () => {
  const gate = Promise.withResolvers<void>()
  serp.given.respond = () => gate.promise.then(found)
  const { id } = await newProject(['a'])
  const responses = await Promise.all([1, 2, 3].map(() => request(id)))
  const key = { 'idempotency-key': 'run-now' }
  responses.push(await request(id, key), await request(id, key))
  expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
  expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1)
  gate.resolve()
  await ended(responses[0]?.body.data.id)
})

test('one an hour: the next is a 429 with Retry-After', async () => {
  const { id } = await newProject(['a'])
  const first = await request(id)
  await ended(first.body.data.id)
  const refused = await request(id)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(3_500, 3_601)
  await arden.sql`
    UPDATE project_rank_runs SET created_at = created_at - interval '1 hour'
    WHERE project_id = ${id}`
  expect((await request(id)).status).toBe(202)
})

test('one a minute after a run that failed without a search', async () => {
  respond = () => Response.json({ error: 'Invalid API key' }, { status: 401 })
  const { id } = await newProject(['a'])
  const first = await request(id)
  expect((await ended(first.body.data.id)).status).toBe('FAILED')
  const refused = await request(id)
  expect([refused.status, refused.body.message]).toEqual([
    429,
    expect.stringMatching(
      /^The last run of this project failed less than a minute ago\. Try again in \d+ s\.$/,
    ),
  ])
  await arden.sql`
    UPDATE project_rank_runs SET finished_at = finished_at - interval '1 minute'
    WHERE project_id = ${id}`
  expect((await request(id)).status).toBe(202)
})

test('what can check nothing is a 409 that says why', async () => {
  const refusal = async (id: string, api = live) => {
    const { status, body } = await api.post(`/projects/${id}/rank-runs`, {})
    return [status, body.message]
  }
  expect(await refusal((await newProject(['a'], {})).id)).toEqual([
    409,
    expect.stringContaining('has no domain'),
  ])
  expect(await refusal((await newProject([])).id)).toEqual([
    409,
    expect.stringContaining('has no tracked keyword'),
  ])
  const test = await arden.client({ mode: 'test' })
  const { id } = await newProject(['a'], { domain: 'acme.com' }, test)
  expect(await refusal(id, test)).toEqual([409, expect.stringContaining('live mode only')])
  expect((await request('prj_01m83eddrweq1vc444gxa1r8jn')).status).toBe(404)
})

test.each([
  ['a refused key', 401],
  ['an account without credit', 402],
])(
  '%s makes the run FAILED as provider_rejected, and its owner learns nothing of the key',
  async (_, status) => {
    respond = () => Response.json({ error: `Invalid API key ${SERP_KEY}` }, { status })
    const { id } = await newProject(['a', 'b'])
    const { data } = (await request(id)).body
    const run = await ended(data.id)
    expect(run).toMatchObject({
      status: 'FAILED',
      ranked: 0,
      failed: 2,
      searches: 0,
      cost_usd: 0,
      error: { code: 'provider_rejected' },
    })
    expect(JSON.stringify(run)).not.toContain('0123456789')
  },
)

test('open pages are notified of the end of a run that ranked nothing', async () => {
  respond = () => Response.json({ error: 'Invalid API key' }, { status: 401 })
  const { id } = await newProject(['a'])
  const times: number[] = []
  await listenForChanges(arden.sql, ({ topics }) => {
    if (topics.includes('rankings')) times.push(Date.now())
  })
  const { finished_at } = await ended((await request(id)).body.data.id)
  await until('pages are notified', () => times.some(time => time >= Date.parse(finished_at)))
})
