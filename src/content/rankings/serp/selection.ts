import pLimit from 'p-limit'
import type { Config } from '../../../config'
import { redactKey } from '../../../log'
import { createProviderLimiter, type LimiterDeps } from '../../provider-limits/limiter'
import { SEARCH_TIMEOUT_MS } from '../policy'
import { createDataForSeoAdapter } from './dataforseo'
import { createHttpAdapter } from './http'
import {
  type Send,
  type SerpAdapter,
  type SerpProvider,
  SerpProviderError,
  type SerpResponse,
} from './provider'
import { createSerpApiAdapter } from './serpapi'
import { createSerperAdapter } from './serper'

type SerpConfig = NonNullable<Config['serp']>

/**
 * The provider of ARDEN_SERP_PROVIDER, with one rate limit and at most `serpInFlight` searches at a time for the process;
 * undefined where none is configured.
 */
export const createSerpProvider = (
  { serp, serpInFlight }: Pick<Config, 'serp' | 'serpInFlight'>,
  deps: LimiterDeps,
): SerpProvider | undefined => {
  if (serp === undefined) return undefined
  const adapter = createSerpAdapter(serp)
  const { host } = adapter.url
  const limiter = createProviderLimiter(
    {
      provider: 'serp',
      host,
      effect: 'Rank tracking takes longer; no keyword fails for this.',
      costs: { requests: 1 },
    },
    deps,
  )
  const limit = pLimit(serpInFlight)
  const rateLimited = () =>
    new SerpProviderError('rate limited', 'responded with 429', {
      retryAfterMs: limiter.returnMs(),
    })
  const createSend =
    (signal: AbortSignal): Send =>
    async (request, read) => {
      const admission = await limiter.admit(signal)
      if (admission === undefined) throw rateLimited()
      try {
        const response = await sendSerpRequest(request, signal, SEARCH_TIMEOUT_MS)
        try {
          const result = read(response)
          admission.accepted(response.headers)
          return result
        } catch (error) {
          const isLimit = error instanceof SerpProviderError && error.reason === 'rate limited'
          if (isLimit) admission.rateLimited(response.headers)
          else admission.accepted(response.headers)
          throw isLimit ? rateLimited() : error
        }
      } finally {
        admission.end()
      }
    }
  return {
    host,
    findRanking: async (query, signal, charge) => {
      try {
        // Runs take turns, search by search.
        return await limit(() => {
          signal.throwIfAborted()
          return adapter.search(query, createSend(signal), charge)
        })
      } catch (error) {
        if (error instanceof SerpProviderError && error.reason !== 'rate limited')
          deps.meter.recordSerpError(error.reason)
        throw redactProviderText(error, serp.apiKey)
      }
    },
  }
}

/** The protocol of the configured provider. */
export const createSerpAdapter = ({
  provider,
  url,
  apiKey = '',
  priceUsd,
  depth,
}: SerpConfig): SerpAdapter => {
  const base = new URL(url)
  if (provider === 'http')
    return createHttpAdapter({ url: base, apiKey: apiKey || undefined, priceUsd })
  if (provider === 'dataforseo') return createDataForSeoAdapter({ url: base, apiKey, depth })
  const create = provider === 'serpapi' ? createSerpApiAdapter : createSerperAdapter
  return create({ url: base, apiKey, depth, priceUsd: priceUsd ?? 0 })
}

/** Characters of a response, far more than a page of results has. */
const MAX_RESPONSE_LENGTH = 10_000_000

/**
 * Sends one request and reads the response, within `timeoutMs`.
 * @throws {SerpProviderError} unavailable, without the URL, which can contain a key; the reason of `signal`.
 */
export const sendSerpRequest = async (
  { url, init }: { url: URL; init: RequestInit },
  signal: AbortSignal,
  timeoutMs: number,
): Promise<SerpResponse> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      ...init,
      headers: {
        Accept: 'application/json',
        'User-Agent': 'Arden-RankTracker/1.0',
        ...init.headers,
      },
      // A followed redirect would send the API key to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    return { status: response.status, headers: response.headers, text: await readBody(response) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SerpProviderError) throw error
    throw new SerpProviderError(
      'unavailable',
      timeout.aborted ? `did not respond within ${timeoutMs / 1000} s` : 'cannot be reached',
    )
  }
}

/** Many searches are in progress at a time, and each holds its response in memory. */
const readBody = async (response: Response): Promise<string> => {
  let text = ''
  const pieces = response.body?.pipeThrough(new TextDecoderStream())
  for await (const piece of pieces ?? []) {
    text += piece
    if (text.length > MAX_RESPONSE_LENGTH)
      throw new SerpProviderError('unusable', 'responded with more than 10 MB')
  }
  return text
}

/** The same error, whose text of the provider has no part of the key, nor what Basic authentication makes of it. */
export const redactProviderText = (error: unknown, apiKey: string | undefined): unknown => {
  if (!(error instanceof SerpProviderError) || error.providerText === undefined) return error
  const { reason, message, retryAfterMs, providerText } = error
  return new SerpProviderError(reason, message, {
    retryAfterMs,
    providerText:
      apiKey === undefined
        ? providerText.slice(0, 300)
        : redactKey(redactKey(providerText, Buffer.from(apiKey).toString('base64')), apiKey),
  })
}
