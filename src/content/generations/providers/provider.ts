import type { Admission, ProviderLimiter } from '../../provider-limits/limiter'
import type { GenerationErrorCode } from '../schema'

/** The input for an article. */
export type ArticleRequest = {
  /** The id of the generation: the same in each attempt. */
  seed: string
  keyword: string
  instructions: string | null
  project: { name: string; domain: string | null; language: string }
}

/**
 * Writes an article in Markdown, with the title as its first heading, and yields it in pieces as they arrive.
 * @throws {ProviderError} when the provider fails; the reason of `signal` when it is aborted.
 */
export type ArticleProvider = {
  /** For messages. */
  name: string
  /** It writes an outline without a language model, which is not counted in the quota. */
  isOffline?: true
  /** Absent where requests have no rate limit. */
  limiter?: ProviderLimiter
  /** `admission`: of `limiter`, for this request. */
  write: (
    request: ArticleRequest,
    signal: AbortSignal,
    admission?: Admission,
  ) => AsyncIterable<string>
}

/** A failure of the provider. It counts as an attempt, except a 429, and the API returns its message. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  constructor(
    readonly code: GenerationErrorCode,
    message: string,
    readonly options: {
      /** A retry would fail as well. */
      final?: boolean
      /** `Retry-After` of the provider. */
      retryAfterMs?: number | undefined
      /** The response of the provider, without the API key: for the log, not for the API. */
      providerText?: string
      /** The caller requested this failure. */
      isSimulated?: true
    } = {},
  ) {
    super(message)
  }
}
