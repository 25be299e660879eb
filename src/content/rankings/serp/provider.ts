import type { TypeOf } from '../../../http/schema'
import type { DomainMatch } from '../../projects/schema'
import type { NewRanking } from '../schema'

/** A service that returns the position of a domain in a search (contract 6.3, docs/serp-provider.md). */
export type SerpProvider = {
  /** For messages and logs: the URL can contain a token. */
  host: string
  /**
   * Rejects with a `SerpProviderError`, or with the reason of `signal`.
   * @param charge called for each request that the provider charges, with its price in US dollars; null if unknown.
   */
  findRanking: (query: SerpQuery, signal: AbortSignal, charge: Charge) => Promise<FoundRanking>
}

type Charge = (usd: number | null) => void

export type FoundRanking = TypeOf<typeof NewRanking>

/** What is searched, and the domain that is looked for among the organic results. */
export type SerpQuery = {
  keyword: string
  country: string
  language: string
  device: string
  domain: string
  domain_match: DomainMatch
}

/**
 * A search without a result:
 * - unavailable: no response, or one that says to retry later. Retried.
 * - rate limited: a 429, now or lately. The run waits, and this counts as no try.
 * - refused: the provider refuses the API key. Ends the run.
 * - out of credit: the provider's account has none left. Ends the run.
 * - unusable: the response is not the documented one. Other keywords are not affected.
 */
export type SerpFailureReason =
  | 'unavailable'
  | 'rate limited'
  | 'refused'
  | 'out of credit'
  | 'unusable'

export class SerpProviderError extends Error {
  override name = 'SerpProviderError'
  constructor(
    readonly reason: SerpFailureReason,
    message: string,
    {
      retryAfterMs,
      providerText,
    }: {
      /** In ms: `Retry-After` of the response, or the pause after a 429. */
      retryAfterMs?: number | undefined
      /** What the provider says, without the key: for the logs of operators only. */
      providerText?: string | undefined
    } = {},
  ) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.providerText = providerText
  }
  readonly retryAfterMs: number | undefined
  readonly providerText: string | undefined
}

/** A response of a provider, whose body is read. */
export type SerpResponse = { status: number; headers: Headers; text: string }

/**
 * Sends one request in the turn of the rate limit, and returns what `read` returns. `read` throws the
 * `SerpProviderError` of a response that is none.
 */
export type Send = <T>(
  request: { url: URL; init: RequestInit },
  read: (response: SerpResponse) => T,
) => Promise<T>

/** What the account of the API key has left. */
type SerpAccount = { left: number; unit: 'searches' | 'credits' | 'US dollars' }

/** The protocol of one provider. */
export type SerpAdapter = {
  /** Its name in messages. */
  name: string
  url: URL
  search: (query: SerpQuery, send: Send, charge: Charge) => Promise<FoundRanking>
  /** The cheapest documented request with the key, which is free; undefined where none is documented. */
  account?: {
    request: { url: URL; init: RequestInit }
    /** @throws {SerpProviderError} */
    read: (response: SerpResponse) => SerpAccount
  }
}
