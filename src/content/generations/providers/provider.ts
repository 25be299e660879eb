import type { GenerationErrorCode, StepKind } from '../schema'
import type { FailureKind } from './failures'

/** What a prompt asks for, for the provider without a language model. */
export type Task = {
  /** The id of the generation: the same in each attempt. */
  seed: string
  step: StepKind
  /** Of a section; null for the introduction. */
  heading: string | null
  keyword: string
  instructions: string | null
  project: { name: string; domain: string | null; language: string }
}

export type CompletionRequest = {
  prompt: string
  system?: string
  /** What `prompt` asks for. A language model never sees it. */
  task: Task
  /** At most the limit of the provider's settings, which is also the default. */
  maxTokens?: number
  /** The name of a configured model. The default is the operator's. */
  model?: string
  signal: AbortSignal
  /** Called when the rate limit permits the request, before it is sent. When it rejects, so does `complete`. */
  onStart?: () => Promise<void>
  /** Called with the pieces of the text as they arrive. */
  onText?: (piece: string) => void
}

export type Completion = {
  text: string
  /** The model that wrote it. Null for the offline provider. */
  model: string | null
  /** Null where the provider reports none. */
  inputTokens: number | null
  outputTokens: number | null
  /** In US dollars, by the price of the model in the settings. Null without one, or without the tokens. */
  costUsd: number | null
}

/** Writes texts. `complete` sends one request and repeats none. */
export type ModelProvider = {
  /** For messages. */
  name: string
  /** It writes without a language model, which is not counted in the quota. */
  isOffline?: true
  /** @throws {ProviderError} when the provider fails; the reason of `signal` when it is aborted. */
  complete: (request: CompletionRequest) => Promise<Completion>
}

/** A failure of the provider. It counts as an attempt, except `provider_rate_limited`, and the API returns its message. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  constructor(
    readonly code: GenerationErrorCode,
    message: string,
    readonly options: {
      /** What happened, where a provider was called: failures.ts says what follows. */
      kind?: FailureKind
      /** The message without its advice. */
      found?: string
      /** A retry would fail as well. */
      final?: boolean
      /** `Retry-After` of the provider; with `provider_rate_limited`, when the rate limit permits the next request. */
      retryAfterMs?: number | undefined
      /** The rate limit permitted no request, and none was sent. */
      isUnsent?: true
      /** The response of the provider, without the API key: for the log, not for the API. */
      providerText?: string
      /** The caller requested this failure. */
      isSimulated?: true
    } = {},
  ) {
    super(message)
  }
}
