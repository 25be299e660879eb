import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ArdenError, noResponseError, toArdenError } from './errors.js'
import type { EventType, WebhookEvent } from './events.js'
import { BASE_PATH } from './generated.js'
import { retryAfterMs } from './retry-after.js'
import { sleep } from './sleep.js'

/** Delays before a lost stream is opened again, in ms: the first one, doubled each time, and the longest. */
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 10_000
/** Longest time without a byte, in ms: the server sends a comment every 15 s. */
const SILENCE_MS = 40_000

/** The type of the message that reports missing events. */
const GAP = 'gap'

export type StreamOptions = {
  /** Only events of these types; all when absent. */
  events?: readonly EventType[]
  /** `position` of the last event that was handled: the stream begins with the next one, and otherwise now. */
  position?: string | undefined
  /** Ends the stream, without an error. */
  signal?: AbortSignal
  /** A connection was opened: the first one, or one after `onDisconnect`. */
  onOpen?: () => void
  /**
   * The connection was lost, or could not be opened again. Another one is opened in `delayMs`, and continues after the
   * last event. `error` is an `ArdenError` for a refusal or no response, or that of the connection.
   */
  onDisconnect?: (reason: string, delayMs: number, error?: unknown) => void
  /** Events before the next one may be missing, because the server has deleted them. */
  onGap?: (gap: StreamGap) => void
}

/** Events from before the time `before` (ISO 8601) that were not received may be missing. */
export type StreamGap = { before: string; message: string }

export type StreamedEvent = {
  event: WebhookEvent
  /** The text that `event` was parsed from: the same bytes as the body of its deliveries. */
  body: string
  /** With it another stream, such as that of the next start of the program, continues after this event. */
  position: string
}

/**
 * Events as they happen (contract 5.16), until `signal` aborts. A lost connection is opened again, and continues
 * after the last event that was received.
 * @throws {ArdenError} when the first connection cannot be opened, or a later one is refused for good.
 */
export async function* streamEvents(
  { url, apiKey }: { url: string; apiKey: string },
  options: StreamOptions,
  silenceMs = SILENCE_MS,
): AsyncGenerator<StreamedEvent> {
  const { events, signal = new AbortController().signal, onOpen, onDisconnect, onGap } = options
  const query = events === undefined ? '' : `?events=${encodeURIComponent(events.join(','))}`
  let { position = '' } = options
  let wasOpen = false
  let failures = 0
  while (!signal.aborted) {
    const silence = createSilence(silenceMs)
    const openedAt = performance.now()
    let reason = 'the server ended the stream'
    let failure: unknown
    let retryAfterMs = 0
    try {
      const target = `${url}${BASE_PATH}/events/stream${query}`
      const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` }
      if (position !== '') headers['last-event-id'] = position
      const response = await open(target, headers, AbortSignal.any([signal, silence.signal]))
      if (response instanceof Response) {
        wasOpen = true
        onOpen?.()
        for await (const { id = position, event } of messages(response, silence)) {
          if (event?.event === GAP) onGap?.(JSON.parse(event.data))
          else if (event !== undefined)
            yield { event: JSON.parse(event.data), body: event.data, position: id }
          if (signal.aborted) return
          position = id
        }
      } else {
        if (!wasOpen || position === '' || !isTemporary(response.error)) throw response.error
        failure = response.error
        reason = response.error.message
        retryAfterMs = response.retryAfterMs
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ArdenError) throw error
      failure = error
      reason = error instanceof Error ? error.message : String(error)
    } finally {
      silence.stop()
    }
    // A stream that always ends at once is opened less and less often: each connection counts as a request.
    if (performance.now() - openedAt > LONGEST_DELAY_MS) failures = 0
    if (signal.aborted) return
    const delayMs = Math.max(
      Math.min(FIRST_DELAY_MS * 2 ** failures++, LONGEST_DELAY_MS),
      retryAfterMs,
    )
    onDisconnect?.(reason, delayMs, failure)
    await sleep(delayMs, signal).catch(() => {})
  }
}

type Refusal = { error: ArdenError; retryAfterMs: number }

/** @throws the reason of `signal`. */
const open = async (
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response | Refusal> => {
  const response = await fetch(url, { headers, signal, redirect: 'manual' }).catch(cause => {
    if (signal.aborted) throw cause
    return noResponseError(url, cause)
  })
  if (!(response instanceof Response)) return { error: response, retryAfterMs: 0 }
  const { ok, headers: received } = response
  if (ok && received.get('content-type')?.startsWith('text/event-stream')) return response
  const body: unknown = await response.json().catch(() => undefined)
  return { error: toArdenError(response, body), retryAfterMs: retryAfterMs(received) ?? 0 }
}

/** For a stream that was open before. A 409 is temporary, too: the server may still count the lost connection. */
const isTemporary = ({ status = 503 }: ArdenError) =>
  status < 400 || status >= 500 || status === 429 || status === 409

type Message = { id: string | undefined; event?: EventSourceMessage }

/**
 * The messages of the stream, in order; a message without an event has only a position. Not the library's own
 * stream, which reports positions before the events in front of them are consumed.
 */
async function* messages(response: Response, silence: Silence): AsyncGenerator<Message> {
  let parsed: Message[] = []
  const parser = createParser({
    onId: id => parsed.push({ id }),
    onEvent: event => {
      if (parsed.at(-1)?.id === event.id) parsed.pop()
      parsed.push({ id: event.id, event })
    },
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) return
      // The consumer of an event may take longer than the connection may be silent.
      silence.stop()
      parser.feed(decoder.decode(chunk.value, { stream: true }))
      yield* parsed
      parsed = []
      silence.start()
    }
  } finally {
    // Closes the connection when the consumer ends the iteration.
    await reader?.cancel().catch(() => {})
  }
}

type Silence = ReturnType<typeof createSilence>

/** Aborts its signal `ms` after it was created or started, unless it is stopped before. */
const createSilence = (ms: number) => {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error(`nothing came for ${ms / 1000} s`))
  let timer = setTimeout(abort, ms)
  return {
    signal: controller.signal,
    start: () => {
      timer = setTimeout(abort, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
