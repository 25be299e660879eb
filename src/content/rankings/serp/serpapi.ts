import { t } from 'elysia'
import { findInPages, type SerpPage } from './organic'
import { type SerpAdapter, SerpProviderError, type SerpQuery, type SerpResponse } from './provider'
import { checkStatus, createReader, readText } from './response'

/**
 * SerpApi: https://serpapi.com/search-api, /api-status-and-error-codes and /account-api. Google returns ten results a
 * page, and each page is a search; a search without results is a 200 with `error`.
 */
export const createSerpApiAdapter = ({
  url,
  apiKey,
  priceUsd,
  depth,
}: {
  url: URL
  apiKey: string
  priceUsd: number
  depth: number
}): SerpAdapter => ({
  name: 'SerpApi',
  url,
  search: (query, send, charge) =>
    findInPages(query, depth, (_, seen) =>
      send({ url: withKey(toSearchUrl(url, query, seen), apiKey), init: {} }, response => {
        const page = readPage(response)
        charge(priceUsd)
        return page
      }),
    ),
  account: {
    request: { url: withKey(new URL('/account.json', url), apiKey), init: {} },
    read: response => {
      checkSerpApiStatus(response)
      return { left: readAccount(response.text).total_searches_left, unit: 'searches' }
    },
  },
})

const withKey = (url: URL, apiKey: string): URL => {
  url.searchParams.set('api_key', apiKey)
  return url
}

const toSearchUrl = (base: URL, query: SerpQuery, start: number): URL => {
  const url = new URL('/search.json', base)
  const search = {
    engine: 'google',
    q: query.keyword,
    // Google's own code for the United Kingdom.
    gl: query.country === 'GB' ? 'uk' : query.country.toLowerCase(),
    hl: query.language.toLowerCase(),
    device: query.device,
    // The search as it is, not one that Google corrected.
    nfpr: '1',
    start: String(start),
  }
  for (const [name, value] of Object.entries(search)) url.searchParams.set(name, value)
  return url
}

const readBody = createReader(
  t.Object({
    search_metadata: t.Object({ status: t.String() }),
    organic_results: t.Optional(t.Array(t.Object({ link: t.Optional(t.String()) }))),
    serpapi_pagination: t.Optional(t.Object({ next: t.Optional(t.String()) })),
    error: t.Optional(t.String()),
  }),
)

const readPage = (response: SerpResponse): SerpPage => {
  checkSerpApiStatus(response)
  const { search_metadata, organic_results, serpapi_pagination, error } = readBody(response.text)
  if (search_metadata.status !== 'Success')
    throw new SerpProviderError(
      'unavailable',
      `responded with a search that is ${JSON.stringify(search_metadata.status.slice(0, 20))}`,
      { providerText: error },
    )
  return {
    urls: (organic_results ?? []).map(({ link }) => link ?? null),
    hasNext: serpapi_pagination?.next !== undefined,
  }
}

const readAccount = createReader(t.Object({ total_searches_left: t.Number() }))

/** A 429 is the rate limit, or an account without searches: only the text says which. */
const checkSerpApiStatus = (response: SerpResponse): void => {
  const error = readText(response.text, 'error')
  if (response.status === 429 && error !== undefined && /run out of searches/i.test(error))
    throw new SerpProviderError('out of credit', 'has no searches left for this account', {
      providerText: error,
    })
  checkStatus({ ...response, text: error ?? response.text })
}
