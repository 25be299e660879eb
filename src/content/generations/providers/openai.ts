import OpenAI, { APIConnectionError, APIError } from 'openai'
import { readRetryAfterMs } from '../../../http/response/retry-after'
import { createPrompt } from './prompt'
import { type ArticleProvider, ProviderError } from './provider'

export type OpenAiSettings = {
  baseUrl: string
  apiKey: string
  model: string
  /** The cost guard: the provider ends its answer there, and the generation fails. */
  maxTokens: number
}

/** In ms: over all, and for silence before or between the parts of an answer. */
export type ProviderTimeouts = { answerMs: number; silenceMs: number }

/** Characters of an answer; a server that does not heed `max_tokens` is cut off here. */
const LONGEST_ANSWER = 1_000_000

/** What a client can do once all attempts have failed. */
const LATER = 'Generate it again later.'

/** Any endpoint that speaks OpenAI's chat completions, streamed. */
export const createOpenAiProvider = (
  settings: OpenAiSettings,
  timeouts: ProviderTimeouts,
): ArticleProvider => {
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey,
    // What the library would otherwise take from OPENAI_* of the environment.
    organization: null,
    project: null,
    logLevel: 'off',
    // Retrying is Temporal's, and the times are kept below.
    maxRetries: 0,
    timeout: timeouts.answerMs,
  })
  return {
    name: new URL(settings.baseUrl).host,
    async *write(assignment, signal) {
      const clock = startClock(timeouts, signal)
      try {
        const answer = await ask(client, settings, createPrompt(assignment), clock.signal)
        let length = 0
        let end: string | null = null
        for await (const { choices } of answer) {
          clock.heard()
          const choice = choices[0]
          const text = choice?.delta.content ?? ''
          length += text.length
          if (length > LONGEST_ANSWER) throw tooLong(settings)
          if (choice?.delta.refusal) throw refused()
          end = choice?.finish_reason ?? end
          if (text !== '') yield text
        }
        // A stream that is aborted just ends.
        clock.signal.throwIfAborted()
        checkEnd(end, length, settings)
      } catch (error) {
        signal.throwIfAborted()
        throw clock.late ?? toProviderError(error)
      } finally {
        clock.stop()
      }
    },
  }
}

type Messages = ReturnType<typeof createPrompt>

/** Newer models of OpenAI take the limit under another name and refuse the one that all others know. */
const ask = async (
  client: OpenAI,
  { model, maxTokens }: OpenAiSettings,
  messages: Messages,
  signal: AbortSignal,
) => {
  const request = { model, messages, stream: true } as const
  try {
    return await client.chat.completions.create({ ...request, max_tokens: maxTokens }, { signal })
  } catch (error) {
    const isRenamed =
      error instanceof APIError && error.status === 400 && error.param === 'max_tokens'
    if (!isRenamed) throw error
    return await client.chat.completions.create(
      { ...request, max_completion_tokens: maxTokens },
      { signal },
    )
  }
}

/** Aborts when the answer takes too long, or nothing is heard for too long. */
const startClock = ({ answerMs, silenceMs }: ProviderTimeouts, outer: AbortSignal) => {
  const controller = new AbortController()
  let late: ProviderError | undefined
  const end = (message: string) => {
    late = new ProviderError('provider_timeout', message)
    controller.abort(late)
  }
  const silent = () => end(`The provider was silent for ${silenceMs / 1000} s. ${LATER}`)
  const whole = setTimeout(
    () => end(`The provider was not done after ${answerMs / 1000} s. ${LATER}`),
    answerMs,
  )
  let silence = setTimeout(silent, silenceMs)
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    get late() {
      return late
    },
    heard: () => {
      clearTimeout(silence)
      silence = setTimeout(silent, silenceMs)
    },
    stop: () => {
      clearTimeout(whole)
      clearTimeout(silence)
      // Ends the request where the reader stopped reading.
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

const tooLong = ({ maxTokens }: OpenAiSettings) =>
  new ProviderError(
    'provider_incomplete',
    `The answer was cut off: it is longer than the ${maxTokens} tokens that are allowed. Ask for a shorter one in the instructions.`,
    { final: true },
  )

/** @throws {ProviderError} unless the answer came to its own end. */
const checkEnd = (end: string | null, length: number, settings: OpenAiSettings): void => {
  if (end === 'content_filter') throw refused()
  if (end === 'length') throw tooLong(settings)
  if (end === null)
    throw new ProviderError('provider_incomplete', `The answer was cut off. ${LATER}`)
  if (length === 0)
    throw new ProviderError('provider_incomplete', `The provider's answer was empty. ${LATER}`)
}

/** The provider's own words are left out: they may name the operator's account or show part of its key. */
const toProviderError = (error: unknown): Error => {
  if (error instanceof ProviderError) return error
  if (error instanceof APIConnectionError)
    return new ProviderError('provider_unavailable', `The provider cannot be reached. ${LATER}`)
  if (!(error instanceof APIError))
    // What the client cannot read, or a connection that was cut in the middle of the answer.
    return new ProviderError(
      'provider_incomplete',
      `The answer was cut off or cannot be read. ${LATER}`,
    )
  const { status, code, headers } = error
  const retryAfterMs = readRetryAfterMs(headers)
  if (status === undefined)
    return new ProviderError(
      'provider_unavailable',
      `The provider ended its answer with an error. ${LATER}`,
    )
  if (status === 429 && code !== 'insufficient_quota')
    return new ProviderError(
      'provider_rate_limited',
      `The provider has too much to do (429). ${LATER}`,
      {
        retryAfterMs,
      },
    )
  if (status >= 500 || status === 408 || status === 409)
    return new ProviderError('provider_unavailable', `The provider answered ${status}. ${LATER}`, {
      retryAfterMs,
    })
  if (code === 'content_filter' || code === 'content_policy_violation') return refused()
  return new ProviderError(
    'provider_rejected',
    `The provider rejected the request (${status}). Ask the operator of Arden to check its key, model and credit.`,
    { final: true },
  )
}
