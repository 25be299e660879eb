import { beforeEach } from 'bun:test'
import type { Config } from '../../../src/config'
import type { SerpQuery } from '../../../src/content/rankings/serp/provider'
import { createSerpProvider } from '../../../src/content/rankings/serp/selection'
import { stopAfterTests } from '../stop-after-tests'
import { limiterDeps } from './limiter-deps'

type SerpRequest = { method: string; url: URL; headers: Headers; body: unknown }

type SerpConfig = NonNullable<Config['serp']>

export const SERP_KEY = 'login:key-0123456789abcdef'

export const QUERY: SerpQuery = {
  keyword: 'cold brew coffee',
  country: 'US',
  language: 'en',
  device: 'desktop',
  domain: 'acme.com',
  domain_match: 'domain',
}

/**
 * A server on loopback that speaks the protocol of a SERP provider as `respond` says, and a client of it. Each search
 * has a rate limit of its own, unless it is of the same `client()`.
 */
export const useSerp = (
  provider: SerpConfig['provider'],
  respond: (_: SerpRequest) => Response | Promise<Response>,
) => {
  const requests: SerpRequest[] = []
  const charges: (number | null)[] = []
  const given = { respond }
  const server = stopAfterTests(
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        const text = await request.text()
        const one = {
          method: request.method,
          url: new URL(request.url),
          headers: request.headers,
          body: text === '' ? undefined : JSON.parse(text),
        }
        requests.push(one)
        return given.respond(one)
      },
    }),
  )
  beforeEach(() => {
    requests.length = 0
    charges.length = 0
    given.respond = respond
  })
  const config = {
    provider,
    url: `http://127.0.0.1:${server.port}`,
    apiKey: SERP_KEY,
    priceUsd: provider === 'dataforseo' ? null : 0.01,
    depth: 100,
  } satisfies SerpConfig
  const client = (changes: Partial<SerpConfig> = {}) => {
    const serp = createSerpProvider(
      { serp: { ...config, ...changes }, serpInFlight: 16 },
      limiterDeps,
    )
    if (serp === undefined) throw new Error('no SERP provider')
    return (query: Partial<SerpQuery> = {}, signal = AbortSignal.any([])) =>
      serp.findRanking({ ...QUERY, ...query }, signal, usd => void charges.push(usd))
  }
  return {
    config,
    requests,
    /** In US dollars, of each request that was charged. */
    charges,
    given,
    client,
    find: (query: Partial<SerpQuery> = {}, changes: Partial<SerpConfig> = {}) =>
      client(changes)(query),
  }
}

/** URLs of other sites, as results. */
export const others = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, n) => `https://other-${from + n}.example/page`)
