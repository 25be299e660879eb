import { describe, expect, test } from 'bun:test'
import { others, SERP_KEY, useSerp } from '../../../../test/support/content/serp'
import { SerpProviderError } from './provider'

/** The documented protocol of DataForSEO: POST /v3/serp/google/organic/live/advanced, and /v3/appendix/errors. */

const OK = { status_code: 20000, status_message: 'Ok.' }
const results = (urls: string[]) => ({
  version: '0.1.20260717',
  ...OK,
  cost: 0.0035,
  tasks_count: 1,
  tasks: [
    {
      id: '1',
      ...OK,
      cost: 0.0035,
      result: [
        {
          keyword: 'k',
          items: [
            { type: 'paid', url: 'https://acme.com/ad', rank_group: 1, rank_absolute: 1 },
            { type: 'people_also_ask', items: [] },
            ...urls.map((url, n) => ({ type: 'organic', rank_group: n + 1, url })),
          ],
        },
      ],
    },
  ],
})
const ofTask = (status_code: number, status_message = 'Problem.') => ({
  ...OK,
  cost: 0,
  tasks: [{ status_code, status_message, result: null }],
})

const { find, requests, charges, given } = useSerp('dataforseo', () =>
  Response.json(results([...others(11), 'https://www.acme.com/brew'])),
)

test('one request reads all pages, and its cost is that of the response', async () => {
  expect(
    await find({ keyword: '100% c++', country: 'DE', language: 'de-AT', device: 'mobile' }),
  ).toEqual({ position: 12, url: 'https://www.acme.com/brew' })
  const [{ method, url, headers, body } = {}] = requests
  expect([method, url?.pathname]).toEqual(['POST', '/v3/serp/google/organic/live/advanced'])
  expect(headers?.get('authorization')).toBe(`Basic ${btoa(SERP_KEY)}`)
  expect(body).toEqual([
    {
      keyword: '100%25 c%2B%2B',
      location_code: 2276,
      language_code: 'de',
      device: 'mobile',
      depth: 100,
      stop_crawl_on_match: [{ match_value: 'acme.com', match_type: 'with_subdomains' }],
      find_targets_in: ['organic'],
    },
  ])
  expect(charges).toEqual([0.0035])
})

test.each([
  ['zh', 'zh-CN'],
  ['zh-TW', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['pt-BR', 'pt'],
])('the language %s is %s there', async (language, code) => {
  await find({ language })
  expect(requests[0]?.body).toMatchObject([{ language_code: code }])
})

test('stops at a page with the domain, as the project matches it', async () => {
  const target = async (domain: string, domain_match: 'domain' | 'subdomains' | 'host') => {
    await find({ domain, domain_match })
    const [task] = (requests.at(-1)?.body ?? []) as { stop_crawl_on_match: object[] }[]
    return task?.stop_crawl_on_match
  }
  expect(await target('blog.acme.com', 'domain')).toEqual([
    { match_value: 'acme.com', match_type: 'with_subdomains' },
  ])
  expect(await target('blog.acme.com', 'subdomains')).toEqual([
    { match_value: 'blog.acme.com', match_type: 'with_subdomains' },
  ])
  expect(await target('acme.com', 'host')).toEqual([
    { match_value: 'acme.com', match_type: 'domain' },
    { match_value: 'www.acme.com', match_type: 'domain' },
  ])
})

describe('codes of responses with 200', () => {
  test.each([
    [40100, 'refused'],
    [40104, 'refused'],
    [40207, 'refused'],
    [40200, 'out of credit'],
    [40203, 'out of credit'],
    [40210, 'out of credit'],
    [40202, 'rate limited'],
    [40209, 'rate limited'],
    [40101, 'unavailable'],
    [40103, 'unavailable'],
    [50000, 'unavailable'],
    [50401, 'unavailable'],
    [40501, 'unusable'],
  ])('%d, of the request and of its task, is %s', async (code, reason) => {
    given.respond = () => Response.json({ status_code: code, status_message: 'Problem.', cost: 0 })
    expect(await find().catch(error => error)).toMatchObject({ reason })
    given.respond = () => Response.json(ofTask(code))
    const error = await find().catch(error => error)
    expect(error.reason).toBe(reason)
    if (reason !== 'rate limited')
      expect([error.message, error.providerText]).toEqual([
        `responded with status_code ${code}`,
        'Problem.',
      ])
    expect(charges).toEqual([])
  })

  test('a failed search that is charged is counted', async () => {
    given.respond = () => Response.json({ ...ofTask(40101), cost: 0.002 })
    expect(await find().catch(error => error)).toMatchObject({ reason: 'unavailable' })
    expect(charges).toEqual([0.002])
  })

  test('no search results is "not found"', async () => {
    given.respond = () => Response.json({ ...ofTask(40102, 'No Search Results.'), cost: 0.002 })
    expect(await find()).toEqual({ position: null, url: null })
  })
})

test.each([
  [401, 'refused'],
  [402, 'out of credit'],
  [404, 'unusable'],
  [500, 'unavailable'],
])('a %d is %s', async (status, reason) => {
  given.respond = () => Response.json({ status_code: status * 100 }, { status })
  expect(await find().catch(error => error)).toMatchObject({ reason })
})

test('the text of an error has no key, also where the server repeats the header with it', async () => {
  given.respond = ({ headers }) =>
    new Response(`not permitted: ${headers.get('authorization')}, ${SERP_KEY}`, { status: 401 })
  const error = await find().catch(thrown => thrown)
  expect(error).toBeInstanceOf(SerpProviderError)
  expect(error.providerText).toBe('not permitted: Basic [key], [key]')
})
