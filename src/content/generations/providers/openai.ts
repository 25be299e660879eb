import OpenAI, { APIConnectionError, APIError } from 'openai'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { readRetryAfterMs } from '../../../http/response/retry-after'
import { redactKey } from '../../../log'
import { kindOfStatus, noConnection, providerError, refused, statusError } from './failures'
import type { LimitedProvider } from './limited'
import { ProviderError } from './provider'
import { type AdapterSettings, createStreamProvider, type Part } from './stream'
import type { ProviderTimeouts } from './timeouts'

/** A provider that is compatible with OpenAI's streamed chat completions (contract 6.8). */
export const createOpenAiProvider = (
  settings: AdapterSettings,
  timeouts: ProviderTimeouts,
): LimitedProvider => {
  const { baseUrl: baseURL, apiKey } = settings
  const client = new OpenAI({
    baseURL,
    apiKey,
    // Otherwise the library reads them from the environment (OPENAI_*).
    organization: null,
    project: null,
    logLevel: 'off',
    // Temporal retries, and the timeouts of the stream limit the time.
    maxRetries: 0,
    timeout: timeouts.responseMs,
  })
  const dialects = createDialects()
  return createStreamProvider(
    settings,
    {
      start: async ({ prompt, system, model, maxTokens }, signal, fetch) => {
        const messages = [
          ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
          { role: 'user' as const, content: prompt },
        ]
        for (;;) {
          const dialect = dialects.dialectOf(model)
          try {
            const { data, response } = await client
              .withOptions({ fetch })
              .chat.completions.create(
                {
                  model,
                  messages,
                  stream: true,
                  [dialect.limit]: maxTokens,
                  ...(dialect.reportsUsage && { stream_options: { include_usage: true } }),
                },
                { signal },
              )
              .withResponse()
            return { headers: response.headers, parts: toParts(data) }
          } catch (error) {
            if (!dialects.learn(model, dialect, error)) throw error
          }
        }
      },
      rateLimitHeaders: error => (isRateLimited(error) ? error.headers : undefined),
      toFailure: error => toFailure(error, apiKey),
    },
    timeouts,
  )
}

/** How a model wants what servers disagree on. */
type Dialect = { limit: 'max_tokens' | 'max_completion_tokens'; reportsUsage: boolean }

/**
 * Newer models of OpenAI reject `max_tokens` and require `max_completion_tokens`; other servers know only the former.
 * Some servers reject `stream_options`. What a model rejects is not sent to it again.
 */
const createDialects = () => {
  const dialects = new Map<string, Dialect>()
  return {
    dialectOf: (model: string): Dialect =>
      dialects.get(model) ?? { limit: 'max_tokens', reportsUsage: true },
    /** Whether the request that was sent in `dialect` can be sent again, in another one. */
    learn: (model: string, dialect: Dialect, error: unknown): boolean => {
      if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422))
        return false
      if (dialect.limit === 'max_tokens' && error.param === 'max_tokens')
        dialects.set(model, { ...dialect, limit: 'max_completion_tokens' })
      else if (dialect.reportsUsage && error.message.includes('stream_options'))
        dialects.set(model, { ...dialect, reportsUsage: false })
      else return false
      return true
    },
  }
}

/** The last part has the usage and no choice: an empty list, and null from some servers. */
type Chunk = Partial<Omit<ChatCompletionChunk, 'choices'>> & {
  choices?: ChatCompletionChunk.Choice[] | null
}

async function* toParts(chunks: AsyncIterable<Chunk>): AsyncGenerator<Part> {
  for await (const { choices, model, usage } of chunks) {
    const choice = choices?.[0]
    if (choice?.delta.refusal || choice?.finish_reason === 'content_filter') throw refused()
    const end = choice?.finish_reason
    yield {
      text: choice?.delta.content ?? '',
      model: model ?? '',
      inputTokens: usage?.prompt_tokens,
      outputTokens: usage?.completion_tokens,
      ...(end && { end: end === 'length' ? ('limit' as const) : ('complete' as const) }),
    }
  }
}

/** OpenAI's code of an account without credit, a 429 that a retry does not change. */
const NO_CREDIT = 'insufficient_quota'

const isRateLimited = (error: unknown): error is APIError<429, Headers> =>
  error instanceof APIError && error.status === 429 && error.code !== NO_CREDIT

/** The message of the provider is not part of the failure's own. The log has it, without the API key. */
const toFailure = (error: unknown, apiKey: string): Error => {
  if (error instanceof ProviderError) return error
  if (error instanceof APIConnectionError) return noConnection(error)
  if (!(error instanceof APIError))
    // A response that the library cannot parse, or a connection that was closed during the response.
    return providerError('cut_off', 'The response of the provider was cut off or is invalid.')
  const { status, code, headers, message } = error
  const providerText = redactKey(message, apiKey)
  if (status === undefined)
    return providerError('server_error', 'The provider ended its response with an error.', {
      providerText,
    })
  const options = { providerText, retryAfterMs: readRetryAfterMs(headers) }
  return statusError(status, options, kindOf(status, code))
}

const kindOf = (status: number, code: string | null | undefined) => {
  if (code === NO_CREDIT) return 'no_credit'
  if (code === 'content_filter' || code === 'content_policy_violation') return 'refused'
  return kindOfStatus(status)
}
