import { expect, test } from 'bun:test'
import { others, SERP_KEY, useSerp } from '../../../../test/support/content/serp'

/** The protocol of Serper.dev: POST /search, with errors as `{message, statusCode}`. */

const page = (urls: string[], credits?: number) =>
  Response.json({
    searchParameters: { q: 'q', type: 'search' },
    organic: urls.map((link, n) => ({ title: 't', link, snippet: 's', position: n + 1 })),
    peopleAlsoAsk: [{ link: 'https://acme.com/faq' }],
    ...(credits !== undefined && { credits }),
  })

const { find, requests, charges, given } = useSerp('serper', () =>
  page(['https://a.example/', 'https://acme.com/brew'], 1),
)

test('searches Google as documented, with the key in its header', async () => {
  expect(await find({ country: 'DE', language: 'de' })).toEqual({
    position: 2,
    url: 'https://acme.com/brew',
  })
  const [{ method, url, headers, body } = {}] = requests
  expect([method, url?.pathname, url?.search]).toEqual(['POST', '/search', ''])
  expect(headers?.get('x-api-key')).toBe(SERP_KEY)
  expect(body).toEqual({
    q: 'cold brew coffee',
    gl: 'de',
    hl: 'de',
    num: 10,
    page: 1,
    autocorrect: false,
  })
  expect(charges).toEqual([0.01])
})

test('reads pages until one is empty; credits of a response are its price', async () => {
  given.respond = ({ body }) => {
    const { page: number } = body as { page: number }
    return number === 3 ? page([], 1) : page(others(10), 2)
  }
  expect(await find()).toEqual({ position: null, url: null })
  expect(requests.map(({ body }) => (body as { page: number }).page)).toEqual([1, 2, 3])
  expect(charges).toEqual([0.02, 0.02, 0.01])
})

test('looks no deeper than the setting', async () => {
  given.respond = () => page(others(10))
  expect(await find({}, { depth: 20 })).toEqual({ position: null, url: null })
  expect(requests).toHaveLength(2)
})

test('a response of more than 10 MB is unusable, and not read to its end', async () => {
  let sent = 0
  given.respond = () =>
    new Response(
      new ReadableStream({
        pull: controller => {
          sent++
          controller.enqueue(new Uint8Array(100_000).fill(32))
        },
      }),
    )
  expect(await find().catch(String)).toContain('responded with more than 10 MB')
  expect(sent).toBeLessThan(1_000)
})

test.each([
  [403, { message: 'Unauthorized.', statusCode: 403 }, 'refused'],
  [400, { message: 'Not enough credits', statusCode: 400 }, 'out of credit'],
  [400, { message: 'Missing query parameter', statusCode: 400 }, 'unusable'],
  [429, { message: 'Too many requests', statusCode: 429 }, 'rate limited'],
  [500, { message: 'Internal server error', statusCode: 500 }, 'unavailable'],
  [200, { searchParameters: {} }, 'unusable'],
] as const)('a %d with %o is %s, and is not charged', async (status, body, reason) => {
  given.respond = () => Response.json(body, { status })
  expect(await find().catch(error => error)).toMatchObject({ name: 'SerpProviderError', reason })
  expect(charges).toEqual([])
})

test('has no mobile results: such a keyword is unusable, and no request is made', async () => {
  const error = await find({ device: 'mobile' }).catch(error => error)
  expect(error).toMatchObject({
    reason: 'unusable',
    message: expect.stringContaining('has no results of mobile searches'),
  })
  expect(requests).toEqual([])
})
