import type { SettingReader } from './reader'

export const serpSettings = {
  ARDEN_SERP_PROVIDER:
    'serpapi, dataforseo or serper: whose search results rankings are taken from, with ARDEN_SERP_API_KEY. http: a service of your own at ARDEN_SERP_URL (docs/serp-provider.md). Default http where ARDEN_SERP_URL is set.',
  ARDEN_SERP_API_KEY:
    'API key of ARDEN_SERP_PROVIDER; for dataforseo, login:password. With http it is sent as a bearer token.',
  ARDEN_SERP_URL:
    'URL of a SERP provider of your own, or of a proxy or sandbox of ARDEN_SERP_PROVIDER, such as https://sandbox.dataforseo.com.',
  ARDEN_SERP_DEPTH:
    'Organic results in which a domain is looked for, 10..100. Each ten can cost a search. Default 100.',
  ARDEN_SERP_PRICE:
    'Price of one search in US dollars, for the cost of a run. Default: the documented price of ARDEN_SERP_PROVIDER (docs/serp-provider.md).',
  ARDEN_SERP_IN_FLIGHT:
    'Concurrent requests to the SERP provider, over all workers, 1..1000. Default 16.',
} as const

type Names = keyof typeof serpSettings

/**
 * Where each provider is, and its price of one search in US dollars: SerpApi's Developer plan, Serper.dev's smallest
 * package. DataForSEO says what each request cost.
 */
const PROVIDERS = {
  serpapi: { url: 'https://serpapi.com', priceUsd: 0.015 },
  dataforseo: { url: 'https://api.dataforseo.com', priceUsd: null },
  serper: { url: 'https://google.serper.dev', priceUsd: 0.001 },
} as const

type SerpConfig = {
  provider: 'http' | keyof typeof PROVIDERS
  url: string
  apiKey: string | undefined
  /** In US dollars for each search; null if unknown, or if responses say it. */
  priceUsd: number | null
  /** Organic results in which the domain is looked for. */
  depth: number
}

/** Undefined if no SERP provider is configured. */
export const readSerp = ({
  text,
  url,
  oneOf,
  integer,
  settingError,
}: SettingReader<Names>): SerpConfig | undefined => {
  const provider = oneOf('ARDEN_SERP_PROVIDER', ['http', 'serpapi', 'dataforseo', 'serper'])
  const [ownUrl, apiKey] = [url('ARDEN_SERP_URL'), text('ARDEN_SERP_API_KEY')]
  const depth = integer('ARDEN_SERP_DEPTH', 100, 10, 100)
  const price = readPrice(text('ARDEN_SERP_PRICE'), settingError)
  if (provider === 'http') {
    if (ownUrl !== undefined)
      return { provider, url: ownUrl, apiKey, priceUsd: price ?? null, depth }
    if (text('ARDEN_SERP_PROVIDER') === undefined) {
      if (apiKey === undefined) return undefined
      throw settingError('ARDEN_SERP_PROVIDER', 'is not set, but ARDEN_SERP_API_KEY is', [
        'ARDEN_SERP_API_KEY',
      ])
    }
    throw settingError('ARDEN_SERP_URL', 'is not set, but ARDEN_SERP_PROVIDER is http', [
      'ARDEN_SERP_PROVIDER',
    ])
  }
  if (apiKey === undefined)
    throw settingError('ARDEN_SERP_API_KEY', `is not set, but ARDEN_SERP_PROVIDER is ${provider}`, [
      'ARDEN_SERP_PROVIDER',
    ])
  if (provider === 'dataforseo' && !/^[^:]+:./.test(apiKey))
    throw settingError('ARDEN_SERP_API_KEY', 'is not login:password', [
      'ARDEN_SERP_PROVIDER',
      'ARDEN_SERP_API_KEY',
    ])
  const documented = PROVIDERS[provider]
  return {
    provider,
    url: ownUrl ?? documented.url,
    apiKey,
    priceUsd: price ?? documented.priceUsd,
    depth,
  }
}

const readPrice = (
  text: string | undefined,
  settingError: SettingReader<Names>['settingError'],
): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,4}(\.\d{1,8})?$/.test(text))
    throw settingError('ARDEN_SERP_PRICE', 'is not an amount, such as 0.015')
  return Number(text)
}
