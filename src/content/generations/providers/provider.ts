import type { GenerationErrorCode } from '../schema'

/** What an article is to be about. */
export type ArticleRequest = {
  /** The same whenever this article is written: the generation's id. */
  seed: string
  keyword: string
  instructions: string | null
  project: { name: string; domain: string | null; language: string }
}

/**
 * Writes an article in Markdown, its first heading the title, and yields it piece by piece as it comes.
 * @throws {ProviderError} when it cannot; the reason of `signal` when that ended it.
 */
export type ArticleProvider = {
  /** As it is called in messages. */
  name: string
  write: (assignment: ArticleRequest, signal: AbortSignal) => AsyncIterable<string>
}

/** A failure of the provider: it counts, and its message is shown to the client. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  constructor(
    readonly code: GenerationErrorCode,
    message: string,
    /** `final`: asking again would fail as well. `retryAfterMs`: the provider said when. */
    readonly options: { final?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
  }
}
