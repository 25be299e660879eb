import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { EXIT, StartError } from '../errors'
import { GAP, type Gap } from '../webhooks/event-stream/gap'
import type { EventType } from '../webhooks/events/types'
import { type Api, refusal } from './api'

/** Pauses before a lost stream is opened again, in ms: the first, and the longest. */
const RETRY_MS = 250
const RETRY_MAX_MS = 10_000
/** Longest time without a byte, in ms: the server sends one each 15 s. */
const SILENCE_MS = 40_000

/** One event, and the very text of its envelope, as webhooks get it. */
export type Followed = { body: string; envelope: Envelope }
export type Envelope = { id: string; event: EventType; created_at: string; data: Data }
export type Data = { [member: string]: unknown }

type Options = {
  /** Types, separated by commas; all when absent. */
  events?: string | undefined
  signal: AbortSignal
  opened?: () => void
  /** The stream was lost, and is opened again in `ms`. */
  lost?: (why: string, ms: number) => void
  /** It went on, but some events before the next one are not kept any more. */
  missed?: (gap: Gap) => void
}

/**
 * Events as they happen, until `signal`. A stream that is lost goes on behind the last event received.
 * @throws {StartError} when the first one cannot be opened, or one is refused for good.
 */
export async function* follow(
  api: Api,
  { events, signal, opened, lost, missed }: Options,
  silenceMs = SILENCE_MS,
): AsyncGenerator<Followed> {
  const path = `/events/stream${events === undefined ? '' : `?events=${encodeURIComponent(events)}`}`
  let lastId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    const silence = createSilence(silenceMs)
    const end = AbortSignal.any([signal, silence.signal])
    const began = performance.now()
    let why = 'the server ended the stream'
    let ms = Math.min(RETRY_MS * 2 ** failures++, RETRY_MAX_MS)
    try {
      const headers = lastId === undefined ? undefined : { 'last-event-id': lastId }
      const response = await api.open(path, headers ?? {}, end)
      if (response.ok) {
        opened?.()
        for await (const { id, event } of messages(response, silence)) {
          if (event?.event === GAP) missed?.(JSON.parse(event.data))
          else if (event !== undefined) yield { body: event.data, envelope: JSON.parse(event.data) }
          if (signal.aborted) return
          lastId = id ?? lastId
        }
      } else {
        const refused = await refusal(response)
        if (lastId === undefined || !isPassing(response.status)) throw refused
        why = refused.message
        ms = Math.max(ms, (Number(response.headers.get('retry-after')) || 0) * 1000)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof StartError && (lastId === undefined || error.exitCode === EXIT.refused))
        throw error
      why = error instanceof Error ? error.message : String(error)
    } finally {
      silence.stop()
    }
    // One that ends at once each time is not opened at once each time: every one counts as a request.
    if (performance.now() - began > RETRY_MAX_MS) failures = 0
    if (signal.aborted) return
    lost?.(why, ms)
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}

/** For a stream that was open before: the limit, or the server's still counting it as open, pass. */
const isPassing = (status: number) => status >= 500 || status === 429 || status === 409

type Message = { id: string | undefined; event?: EventSourceMessage }

/**
 * What comes, in order; an id alone is the place to go on from. Not by the library's stream, which tells of
 * ids before the events in front of them are taken.
 */
async function* messages(response: Response, silence: Silence): AsyncGenerator<Message> {
  let read: Message[] = []
  const parser = createParser({
    onId: id => read.push({ id }),
    onEvent: event => {
      if (read.at(-1)?.id === event.id) read.pop()
      read.push({ id: event.id, event })
    },
  })
  const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? []
  for await (const chunk of chunks) {
    // What is done with an event may take longer than any silence.
    silence.stop()
    parser.feed(chunk)
    yield* read
    read = []
    silence.start()
  }
}

type Silence = ReturnType<typeof createSilence>

/** Aborts when nothing came for `ms` between a start and the next stop; it is started. */
const createSilence = (ms: number) => {
  const controller = new AbortController()
  const silent = () => controller.abort(new Error(`nothing came for ${ms / 1000} s`))
  let timer = setTimeout(silent, ms)
  return {
    signal: controller.signal,
    start: () => {
      timer = setTimeout(silent, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
