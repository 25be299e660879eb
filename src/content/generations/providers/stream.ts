import type { Admission } from '../../provider-limits/limiter'
import { cutAtLimit, providerError } from './failures'
import { createProviderFetch } from './fetch'
import type { LimitedProvider, ModelRequest } from './limited'
import type { Completion } from './provider'
import { type ProviderTimeouts, startTimeouts } from './timeouts'

/** Characters of a response, for a server that ignores the limit of tokens. */
const MAX_RESPONSE_LENGTH = 1_000_000

/** What one part of a streamed response says; undefined members say nothing. */
export type Part = {
  text?: string
  model?: string
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  /** How the response ended: complete, or at the limit of tokens. */
  end?: 'complete' | 'limit'
}

/** One streamed protocol. */
type Protocol = {
  /** Sends the request with `fetch`, and returns the headers of the response with its parts. */
  start: (
    request: ModelRequest & { model: string; maxTokens: number },
    signal: AbortSignal,
    fetch: ReturnType<typeof createProviderFetch>,
  ) => Promise<{ headers: Headers; parts: AsyncIterable<Part> }>
  /** The headers of a 429. Undefined for every other error. */
  rateLimitHeaders: (error: unknown) => Headers | undefined
  /** The failure that an error of `start` or of the parts means. */
  toFailure: (error: unknown) => Error
}

/** What an adapter needs of the settings of a provider. */
export type AdapterSettings = {
  /** For messages. */
  name: string
  baseUrl: string
  apiKey: string
  /** The default. */
  model: string
  /** Limits the cost: the provider ends its response there, and the generation fails. */
  maxTokens: number
}

/** Reads the responses of `protocol` within `timeouts`: what all language models have in common. */
export const createStreamProvider = (
  { name, ...defaults }: AdapterSettings,
  { start, rateLimitHeaders, toFailure }: Protocol,
  timeouts: ProviderTimeouts,
): LimitedProvider => ({
  name,
  complete: async (request, admission?: Admission) => {
    const full = {
      ...request,
      model: request.model ?? defaults.model,
      maxTokens: Math.min(request.maxTokens ?? defaults.maxTokens, defaults.maxTokens),
    }
    await request.onStart?.()
    const timer = startTimeouts(timeouts, request.signal)
    try {
      const { headers, parts } = await start(full, timer.signal, createProviderFetch(timer.onBytes))
      admission?.accepted(headers)
      const completion = await readParts(parts, full, headers)
      // An aborted stream ends without an error.
      timer.signal.throwIfAborted()
      return completion()
    } catch (error) {
      const limited = rateLimitHeaders(error)
      if (limited !== undefined) admission?.rateLimited(limited)
      request.signal.throwIfAborted()
      throw timer.error ?? toFailure(error)
    } finally {
      timer.stop()
    }
  },
})

/** Returns a function that checks the end, because an aborted stream has none. */
const readParts = async (
  parts: AsyncIterable<Part>,
  request: ModelRequest & { model: string; maxTokens: number },
  headers: Headers,
): Promise<() => Completion> => {
  let hasParts = false
  let text = ''
  let { model } = request
  let end: Part['end']
  let inputTokens: number | undefined
  let outputTokens: number | undefined
  for await (const part of parts) {
    hasParts = true
    text += part.text ?? ''
    if (text.length > MAX_RESPONSE_LENGTH) throw cutAtLimit(request.maxTokens)
    model = part.model || model
    end = part.end ?? end
    inputTokens = part.inputTokens ?? inputTokens
    outputTokens = part.outputTokens ?? outputTokens
    if (part.text) request.onText?.(part.text)
  }
  return () => {
    if (end === 'limit') throw cutAtLimit(request.maxTokens)
    if (!hasParts && !isEventStream(headers)) throw notAStream(headers)
    if (end === undefined)
      throw providerError('cut_off', 'The response of the provider was cut off.')
    if (text === '') throw providerError('empty', 'The response of the provider was empty.')
    return {
      text,
      model,
      inputTokens: inputTokens ?? null,
      outputTokens: outputTokens ?? null,
      costUsd: null,
    }
  }
}

const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.includes('text/event-stream') ?? false

/** As from a web page at a wrong base URL, or a gateway in between. */
const notAStream = (headers: Headers): Error => {
  const type = /^[\w.+/-]{1,100}/.exec(headers.get('content-type') ?? '')?.[0]
  return providerError(
    'cut_off',
    `The provider responded with ${type ?? 'no content type'} instead of a stream of events.`,
  )
}
