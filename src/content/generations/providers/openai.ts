import OpenAI, { APIConnectionError, APIError } from 'openai'
import type { CompletionUsage } from 'openai/resources/completions'
import { readRetryAfterMs } from '../../../http/response/retry-after'
import { redactKey } from '../../../log'
import type { LimitedProvider } from './limited'
import { type CompletionRequest, ProviderError } from './provider'

type OpenAiSettings = {
  baseUrl: string
  apiKey: string
  model: string
  /** Limits the cost: the provider ends its response there, and the generation fails. */
  maxTokens: number
}

/** In ms: for the full response, and for the wait for its first or next part. */
export type ProviderTimeouts = { responseMs: number; silenceMs: number }

/** Characters of a response, for a server that ignores `max_tokens`. */
const MAX_RESPONSE_LENGTH = 1_000_000

/** The next step for the client after all attempts have failed. */
const RETRY_ADVICE = 'Generate it again later.'

/** A provider that is compatible with OpenAI's streamed chat completions (contract 6.8). */
export const createOpenAiProvider = (
  settings: OpenAiSettings,
  timeouts: ProviderTimeouts,
): LimitedProvider => {
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
    // Otherwise the library reads them from the environment (OPENAI_*).
    organization: null,
    project: null,
    logLevel: 'off',
    // Temporal retries, and `startTimeouts` limits the time.
    maxRetries: 0,
    timeout: timeouts.responseMs,
  })
  return {
    name: new URL(settings.baseUrl).host,
    complete: async (request, admission) => {
      const { signal, onStart, onText } = request
      await onStart?.()
      const timer = startTimeouts(timeouts, signal)
      try {
        const { data, response } = await startCompletion(client, settings, request, timer.signal)
        admission?.accepted(response.headers)
        let text = ''
        let model = settings.model
        let usage: CompletionUsage | null | undefined
        let finishReason: string | null = null
        for await (const chunk of data) {
          timer.onPart()
          const choice = chunk.choices[0]
          const piece = choice?.delta.content ?? ''
          text += piece
          if (text.length > MAX_RESPONSE_LENGTH)
            throw tooLong(request.maxTokens ?? settings.maxTokens)
          if (choice?.delta.refusal) throw refused()
          finishReason = choice?.finish_reason ?? finishReason
          model = chunk.model || model
          usage = chunk.usage ?? usage
          if (piece !== '') onText?.(piece)
        }
        // An aborted stream ends without an error.
        timer.signal.throwIfAborted()
        checkFinishReason(finishReason, text.length, request.maxTokens ?? settings.maxTokens)
        return {
          text,
          model,
          inputTokens: usage?.prompt_tokens ?? null,
          outputTokens: usage?.completion_tokens ?? null,
        }
      } catch (error) {
        if (isRateLimited(error)) admission?.rateLimited(error.headers)
        signal.throwIfAborted()
        throw timer.error ?? toProviderError(error, settings.apiKey)
      } finally {
        timer.stop()
      }
    },
  }
}

/** Newer models of OpenAI reject `max_tokens` and require `max_completion_tokens`; other servers know only the former. */
const startCompletion = async (
  client: OpenAI,
  settings: OpenAiSettings,
  { prompt, system, model = settings.model, maxTokens = settings.maxTokens }: CompletionRequest,
  signal: AbortSignal,
) => {
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user' as const, content: prompt },
  ]
  const request = { model, messages, stream: true } as const
  try {
    return await client.chat.completions
      .create({ ...request, max_tokens: maxTokens }, { signal })
      .withResponse()
  } catch (error) {
    const isRenamed =
      error instanceof APIError && error.status === 400 && error.param === 'max_tokens'
    if (!isRenamed) throw error
    return await client.chat.completions
      .create({ ...request, max_completion_tokens: maxTokens }, { signal })
      .withResponse()
  }
}

/** Aborts `signal` when the response takes too long, or its next part does. */
const startTimeouts = ({ responseMs, silenceMs }: ProviderTimeouts, callerSignal: AbortSignal) => {
  const controller = new AbortController()
  let error: ProviderError | undefined
  const fail = (message: string) => {
    error = new ProviderError('provider_timeout', message)
    controller.abort(error)
  }
  const onSilence = () =>
    fail(`The provider sent nothing for ${silenceMs / 1000} s. ${RETRY_ADVICE}`)
  const total = setTimeout(
    () =>
      fail(
        `The response of the provider was not complete after ${responseMs / 1000} s. ${RETRY_ADVICE}`,
      ),
    responseMs,
  )
  let silence = setTimeout(onSilence, silenceMs)
  return {
    signal: AbortSignal.any([callerSignal, controller.signal]),
    get error() {
      return error
    },
    onPart: () => {
      clearTimeout(silence)
      silence = setTimeout(onSilence, silenceMs)
    },
    stop: () => {
      clearTimeout(total)
      clearTimeout(silence)
      // Ends the request when the reader stopped early.
      controller.abort()
    },
  }
}

const refused = () =>
  new ProviderError(
    'provider_refused',
    'The provider refused to write about this. Change the keyword or the instructions.',
    {
      final: true,
    },
  )

const tooLong = (maxTokens: number) =>
  new ProviderError(
    'provider_incomplete',
    `The response of the provider was cut off: it is longer than the ${maxTokens} tokens that are permitted. Ask for a shorter article in the instructions.`,
    { final: true },
  )

/** @throws {ProviderError} unless the response is complete. */
const checkFinishReason = (reason: string | null, length: number, maxTokens: number): void => {
  if (reason === 'content_filter') throw refused()
  if (reason === 'length') throw tooLong(maxTokens)
  if (reason === null)
    throw new ProviderError(
      'provider_incomplete',
      `The response of the provider was cut off. ${RETRY_ADVICE}`,
    )
  if (length === 0)
    throw new ProviderError(
      'provider_incomplete',
      `The response of the provider was empty. ${RETRY_ADVICE}`,
    )
}

/** A 429, but for OpenAI's code of an account without credit, which a retry does not change. */
const isRateLimited = (error: unknown): error is APIError<429, Headers> =>
  error instanceof APIError && error.status === 429 && error.code !== 'insufficient_quota'

/**
 * The error code of a failure (contract 6.7). The message of the provider is not part of its own: it can contain the
 * operator's account. The log has it, without the API key.
 */
const toProviderError = (error: unknown, apiKey: string): Error => {
  if (error instanceof ProviderError) return error
  if (error instanceof APIConnectionError)
    return new ProviderError(
      'provider_unavailable',
      `The provider cannot be reached. ${RETRY_ADVICE}`,
    )
  if (!(error instanceof APIError))
    // A response that the library cannot parse, or a connection that was closed during the response.
    return new ProviderError(
      'provider_incomplete',
      `The response of the provider was cut off or is invalid. ${RETRY_ADVICE}`,
    )
  const { status, code, headers } = error
  const providerText = redactKey(error.message, apiKey)
  if (status === undefined)
    return new ProviderError(
      'provider_unavailable',
      `The provider ended its response with an error. ${RETRY_ADVICE}`,
      { providerText },
    )
  if (isRateLimited(error))
    return new ProviderError(
      'provider_rate_limited',
      `The provider responded with 429: its rate limit is exceeded. ${RETRY_ADVICE}`,
    )
  if (status >= 500 || status === 408 || status === 409)
    return new ProviderError(
      'provider_unavailable',
      `The provider responded with ${status}. ${RETRY_ADVICE}`,
      { retryAfterMs: readRetryAfterMs(headers), providerText },
    )
  if (code === 'content_filter' || code === 'content_policy_violation') return refused()
  return new ProviderError(
    'provider_rejected',
    `The provider rejected the request (${status}). Ask the operator of Arden to check its key, model and credit.`,
    { final: true, providerText },
  )
}
