import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk'
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages'
import type { Stream } from '@anthropic-ai/sdk/streaming'
import { readRetryAfterMs } from '../../../http/response/retry-after'
import { redactKey } from '../../../log'
import {
  type FailureKind,
  kindOfStatus,
  noConnection,
  providerError,
  refused,
  statusError,
} from './failures'
import type { LimitedProvider } from './limited'
import { ProviderError } from './provider'
import { type AdapterSettings, createStreamProvider, type Part } from './stream'
import type { ProviderTimeouts } from './timeouts'

/** Anthropic's Messages API, streamed (contract 6.8). */
export const createAnthropicProvider = (
  settings: AdapterSettings,
  timeouts: ProviderTimeouts,
): LimitedProvider => {
  const { baseUrl, apiKey } = settings
  const client = new Anthropic({
    // The library adds /v1 itself.
    baseURL: baseUrl.replace(/\/(v1\/?)?$/, ''),
    apiKey,
    logLevel: 'off',
    // Its spans would have prompts; those of Arden have none.
    openTelemetry: false,
    // Temporal retries, and the timeouts of the stream limit the time.
    maxRetries: 0,
    timeout: timeouts.responseMs,
  })
  return createStreamProvider(
    settings,
    {
      start: async ({ prompt, system, model, maxTokens }, signal, fetch) => {
        const body: MessageCreateParamsStreaming = {
          model,
          max_tokens: maxTokens,
          ...(system !== undefined && { system }),
          messages: [{ role: 'user', content: prompt }],
          stream: true,
        }
        // `messages.create` writes to the console when a model is deprecated, for each request.
        const { data, response } = await client
          .withOptions({ fetch })
          .post<Stream<RawMessageStreamEvent>>('/v1/messages', { body, stream: true, signal })
          .withResponse()
        return { headers: response.headers, parts: toParts(data) }
      },
      rateLimitHeaders: error => (isRateLimited(error) ? error.headers : undefined),
      toFailure: error => toFailure(error, apiKey),
    },
    timeouts,
  )
}

async function* toParts(events: AsyncIterable<RawMessageStreamEvent>): AsyncGenerator<Part> {
  for await (const event of events) {
    if (event.type === 'message_start') {
      const { model, usage } = event.message
      const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
      yield { model, inputTokens: usage.input_tokens + cached }
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      yield { text: event.delta.text }
    else if (event.type === 'message_delta') {
      const { stop_reason: reason } = event.delta
      if (reason === 'refusal') throw refused()
      const isLimit = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
      yield {
        outputTokens: event.usage.output_tokens,
        ...(reason !== null && { end: isLimit ? ('limit' as const) : ('complete' as const) }),
      }
    } else yield {}
  }
}

/** 429s of an account that has reached its limit of spending, which a retry does not change. */
const NO_CREDIT = ['enforced_spend_limit_reached', 'contract_spend_limit_reached']

const isRateLimited = (error: unknown): error is APIError<429, Headers> =>
  error instanceof APIError && error.status === 429 && !NO_CREDIT.includes(error.errorCode ?? '')

/** The kinds of errors within a stream, which have no status. */
const KINDS: { [type: string]: FailureKind } = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate_limited',
}

/** The message of the provider is not part of the failure's own. The log has it, without the API key. */
const toFailure = (error: unknown, apiKey: string): Error => {
  if (error instanceof ProviderError) return error
  if (error instanceof APIConnectionError) return noConnection(error)
  if (!(error instanceof APIError))
    // A response that the library cannot parse, or a connection that was closed during the response.
    return providerError('cut_off', 'The response of the provider was cut off or is invalid.')
  const { status, type, errorCode, headers, message } = error
  const providerText = redactKey(message, apiKey)
  if (status === undefined)
    return providerError(
      KINDS[type ?? ''] ?? 'server_error',
      'The provider ended its response with an error.',
      { providerText },
    )
  const options = { providerText, retryAfterMs: readRetryAfterMs(headers) }
  const isWithoutCredit = NO_CREDIT.includes(errorCode ?? '')
  return statusError(status, options, isWithoutCredit ? 'no_credit' : kindOfStatus(status))
}
