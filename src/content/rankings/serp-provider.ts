import { Value } from '@sinclair/typebox/value'
import { t } from 'elysia'
import type { Config } from '../../config'
import { readRetryAfterMs } from '../../http/response/retry-after'
import type { TypeOf } from '../../http/schema'
import { SEARCH_TIMEOUT_MS } from './policy'
import { NewRanking } from './schema'

/** Where the tracker learns positions: anything of this type will do (docs/serp-source.md). */
export type SerpProvider = {
  /** For messages: a URL may carry a token. */
  host: string
  /** Rejects with a `SourceError`, or with the reason of `signal`. */
  findRanking: (search: SerpQuery, signal: AbortSignal) => Promise<TypeOf<typeof NewRanking>>
}

/** What is asked: where `domain` stands among the results for `keyword`. */
export type SerpQuery = {
  keyword: string
  country: string
  language: string
  device: string
  domain: string
}

/**
 * Why a search has no result:
 * - unavailable: there was no answer, or one that says "later". Asked again.
 * - refused: the source does not take our key. No other keyword will fare better.
 * - unusable: this answer cannot be used. The other keywords are not concerned.
 */
export class SerpProviderError extends Error {
  override name = 'SourceError'
  constructor(
    readonly reason: 'unavailable' | 'refused' | 'unusable',
    message: string,
    /** What the source wants us to wait, in ms. */
    readonly retryAfterMs?: number,
  ) {
    super(message)
  }
}

/** Members that the source adds for others are no error. */
const Answer = t.Object(NewRanking.properties)

/** The source of ARDEN_SERP_URL; undefined where none is configured. */
export const createSerpProvider = ({
  serpUrl,
  serpApiKey,
}: Pick<Config, 'serpUrl' | 'serpApiKey'>): SerpProvider | undefined => {
  if (serpUrl === undefined) return undefined
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'Arden-RankTracker/1.0',
    ...(serpApiKey !== undefined && { Authorization: `Bearer ${serpApiKey}` }),
  }
  return {
    host: new URL(serpUrl).host,
    findRanking: async (search, signal) => {
      const { response, text } = await ask(
        serpUrl,
        // A redirect would carry the key to another place.
        { method: 'POST', headers, body: JSON.stringify(search), redirect: 'manual' },
        signal,
      )
      checkStatus(response)
      return read(text)
    },
  }
}

const ask = async (url: string, init: RequestInit, signal: AbortSignal) => {
  const late = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) })
    return { response, text: await response.text() }
  } catch {
    signal.throwIfAborted()
    // The driver's own words would show the URL.
    throw new SerpProviderError(
      'unavailable',
      late.aborted ? `did not answer within ${SEARCH_TIMEOUT_MS / 1000} s` : 'cannot be reached',
    )
  }
}

const checkStatus = ({ status, headers }: Response): void => {
  if (status >= 200 && status < 300) return
  const message = `answered ${status}`
  if (status === 401 || status === 403) throw new SerpProviderError('refused', message)
  if (status < 500 && status !== 408 && status !== 429)
    throw new SerpProviderError('unusable', message)
  throw new SerpProviderError('unavailable', message, readRetryAfterMs(headers))
}

const read = (text: string): TypeOf<typeof Answer> => {
  const answer = parse(text)
  if (Value.Check(Answer, answer))
    return {
      position: answer.position,
      ...(answer.url !== undefined && { url: answer.url }),
      ...(answer.checked_at !== undefined && { checked_at: answer.checked_at }),
    }
  const [wrong] = Value.Errors(Answer, answer)
  throw new SerpProviderError(
    'unusable',
    `answered something else than the documented result (${wrong?.path || 'the body'})`,
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SerpProviderError('unusable', 'answered something that is not JSON')
  }
}
