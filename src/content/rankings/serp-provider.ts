import { t } from 'elysia'
import type { Config } from '../../config'
import type { Detail } from '../../errors'
import { createMemberCheck } from '../../http/request/member-check'
import { readRetryAfterMs } from '../../http/response/retry-after'
import type { TypeOf } from '../../http/schema'
import { createProviderLimiter, type LimiterDeps } from '../provider-limits/limiter'
import { SEARCH_TIMEOUT_MS } from './policy'
import { NewRanking } from './schema'

/** A service that returns the position of a domain in a search (docs/serp-provider.md). */
export type SerpProvider = {
  /** For messages and logs: the URL can contain a token. */
  host: string
  /** Rejects with a `SerpProviderError`, or with the reason of `signal`. */
  findRanking: (search: SerpQuery, signal: AbortSignal) => Promise<TypeOf<typeof NewRanking>>
}

/** The request: the position of `domain` among the results for `keyword`. */
export type SerpQuery = {
  keyword: string
  country: string
  language: string
  device: string
  domain: string
}

/**
 * A search without a result:
 * - unavailable: no response, or one that says to retry later. Retried.
 * - rate limited: a 429, now or lately. The run waits, and this counts as no try.
 * - refused: the provider refuses the API key. Ends the run.
 * - unusable: the response is not the documented one. Other keywords are not affected.
 */
export class SerpProviderError extends Error {
  override name = 'SerpProviderError'
  constructor(
    readonly reason: 'unavailable' | 'rate limited' | 'refused' | 'unusable',
    message: string,
    /** In ms: `Retry-After` of the response, or the pause after a 429. */
    readonly retryAfterMs?: number,
  ) {
    super(message)
  }
}

/** Additional members are permitted. */
const SerpResponse = t.Object(NewRanking.properties)
const checkResponse = createMemberCheck(SerpResponse)

/** The provider of ARDEN_SERP_URL; undefined where none is configured. */
export const createSerpProvider = (
  { serpUrl, serpApiKey }: Pick<Config, 'serpUrl' | 'serpApiKey'>,
  deps: LimiterDeps,
): SerpProvider | undefined => {
  if (serpUrl === undefined) return undefined
  const { host } = new URL(serpUrl)
  const limiter = createProviderLimiter(
    {
      provider: 'serp',
      host,
      effect: 'Rank tracking takes longer; no keyword fails for this.',
      costs: { requests: 1 },
    },
    deps,
  )
  const rateLimited = () =>
    new SerpProviderError('rate limited', 'responded with 429', limiter.returnMs())
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'Arden-RankTracker/1.0',
    ...(serpApiKey !== undefined && { Authorization: `Bearer ${serpApiKey}` }),
  }
  return {
    host,
    findRanking: async (query, signal) => {
      const admission = await limiter.admit(signal)
      if (admission === undefined) throw rateLimited()
      try {
        const { response, text } = await send(
          serpUrl,
          // A followed redirect would send the API key to another server.
          { method: 'POST', headers, body: JSON.stringify(query), redirect: 'manual' },
          signal,
        )
        if (response.status === 429) {
          admission.rateLimited(response.headers)
          throw rateLimited()
        }
        admission.accepted(response.headers)
        checkStatus(response)
        return parseResponse(text)
      } finally {
        admission.end()
      }
    },
  }
}

const send = async (url: string, init: RequestInit, signal: AbortSignal) => {
  const timeout = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) })
    return { response, text: await response.text() }
  } catch {
    signal.throwIfAborted()
    // The error of `fetch` would show the URL.
    throw new SerpProviderError(
      'unavailable',
      timeout.aborted
        ? `did not respond within ${SEARCH_TIMEOUT_MS / 1000} s`
        : 'cannot be reached',
    )
  }
}

const checkStatus = ({ status, headers }: Response): void => {
  if (status >= 200 && status < 300) return
  const message = `responded with ${status}`
  if (status === 401 || status === 403) throw new SerpProviderError('refused', message)
  if (status < 500 && status !== 408) throw new SerpProviderError('unusable', message)
  throw new SerpProviderError('unavailable', message, readRetryAfterMs(headers))
}

const parseResponse = (text: string): TypeOf<typeof SerpResponse> => {
  const body = parseJson(text)
  const wrong: Detail[] = []
  if (checkResponse(body, wrong))
    return {
      position: body.position,
      ...(body.url !== undefined && { url: body.url }),
      ...(body.checked_at !== undefined && { checked_at: body.checked_at }),
    }
  const [{ path, message } = { path: 'body', message: 'is unknown' }] = wrong
  throw new SerpProviderError(
    'unusable',
    `responded with a result in another format than the documented one (${path} ${message})`,
  )
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SerpProviderError('unusable', 'responded with something that is not JSON')
  }
}
