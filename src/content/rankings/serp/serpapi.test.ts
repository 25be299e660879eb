import { expect, test } from 'bun:test'
import { others, SERP_KEY, useSerp } from '../../../../test/support/content/serp'

/** The documented protocol of SerpApi: /search.json, and errors as /api-status-and-error-codes has them. */

const page = (urls: string[], { next }: { next?: boolean } = {}) =>
  Response.json({
    search_metadata: { id: '1', status: 'Success' },
    search_parameters: { engine: 'google' },
    ads: [{ position: 1, link: 'https://acme.com/ad' }],
    organic_results: urls.map((link, n) => ({ position: n + 1, title: 't', link })),
    ...(next && {
      serpapi_pagination: { current: 1, next: 'https://serpapi.com/search.json?start=10' },
    }),
  })

const { find, client, requests, charges, given, config } = useSerp('serpapi', () =>
  page(['https://a.example/', 'https://www.acme.com/brew']),
)

test('searches Google as documented, and finds the domain among organic results only', async () => {
  expect(
    await find({ keyword: 'a+b & c', country: 'GB', language: 'pt-BR', device: 'mobile' }),
  ).toEqual({ position: 2, url: 'https://www.acme.com/brew' })
  const [{ method, url } = {}] = requests
  expect([method, url?.pathname]).toEqual(['GET', '/search.json'])
  expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
    engine: 'google',
    q: 'a+b & c',
    gl: 'uk',
    hl: 'pt-br',
    device: 'mobile',
    nfpr: '1',
    start: '0',
    api_key: SERP_KEY,
  })
  expect(charges).toEqual([0.01])
})

test('reads page after page, each of which is a search, until the last', async () => {
  given.respond = ({ url }) => page(others(10), { next: url.searchParams.get('start') !== '20' })
  expect(await find()).toEqual({ position: null, url: null })
  expect(requests.map(({ url }) => url.searchParams.get('start'))).toEqual(['0', '10', '20'])
  expect(charges).toHaveLength(3)
})

test('a search without results is "not found", and is charged', async () => {
  given.respond = () =>
    Response.json({
      search_metadata: { status: 'Success' },
      search_information: { organic_results_state: 'Fully empty' },
      error: "Google hasn't returned any results for this query.",
    })
  expect(await find()).toEqual({ position: null, url: null })
  expect(charges).toEqual([0.01])
})

test.each([
  [401, { error: `Invalid API key. ${SERP_KEY}` }, 'refused', 'responded with 401'],
  [403, { error: 'Forbidden' }, 'refused', 'responded with 403'],
  [
    429,
    { error: 'Your account has run out of searches.' },
    'out of credit',
    'has no searches left for this account',
  ],
  [400, { error: 'Missing query `q` parameter.' }, 'unusable', 'responded with 400'],
  [500, { error: 'Oops' }, 'unavailable', 'responded with 500'],
  [
    503,
    {
      search_metadata: { status: 'Error' },
      error: "We couldn't get valid results for this search.",
    },
    'unavailable',
    'responded with 503',
  ],
  [
    200,
    { search_metadata: { status: 'Error' }, error: 'Proxy timeout' },
    'unavailable',
    'responded with a search that is "Error"',
  ],
  [
    200,
    { search_metadata: { status: 'Success' }, organic_results: 'none' },
    'unusable',
    'responded with a result in another format than the documented one (organic_results must be an array)',
  ],
] as const)('a %d with %o is %s, and is not charged', async (status, body, reason, message) => {
  given.respond = () => Response.json(body, { status })
  const error = await find().catch(error => error)
  expect(error).toMatchObject({ name: 'SerpProviderError', reason, message })
  expect(`${error.message} ${error.providerText}`).not.toContain('0123456789')
  if ('error' in body && status !== 401) expect(error.providerText).toBe(body.error)
  expect(charges).toEqual([])
})

test('a response that is not JSON is unusable', async () => {
  given.respond = () => new Response('<html>')
  expect(await find().catch(error => error)).toMatchObject({
    reason: 'unusable',
    message: 'responded with something that is not JSON',
  })
})

test('a 429 of the rate limit pauses all searches for its Retry-After', async () => {
  given.respond = () =>
    Response.json(
      { error: 'Your account has exceeded its hourly throughput limit.' },
      { status: 429, headers: { 'retry-after': '60' } },
    )
  const search = client()
  const error = await search().catch(error => error)
  expect(error).toMatchObject({ reason: 'rate limited' })
  expect(error.retryAfterMs).toBeWithin(59_000, 60_001)
  given.respond = () => page(['https://acme.com'])
  expect(await search().catch(error => error)).toMatchObject({ reason: 'rate limited' })
  expect(requests).toHaveLength(1)
})

test('an address that does not respond is unavailable, and the message has no key', async () => {
  const error = await find({}, { ...config, url: 'http://127.0.0.1:1' }).catch(error => error)
  expect(error).toMatchObject({ reason: 'unavailable', message: 'cannot be reached' })
})

test('a search ends when the worker stops', async () => {
  const stop = new AbortController()
  given.respond = () => {
    stop.abort(new Error('stopped'))
    return new Promise<Response>(() => {})
  }
  expect(await client()({}, stop.signal).catch(error => error.message)).toBe('stopped')
})
