import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { EXIT, StartError } from '../errors'
import type { EventType } from '../webhooks/event-types'
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
}

/**
 * Events as they happen, until `signal`. A stream that is lost goes on behind the last event received.
 * @throws {StartError} when the first one cannot be opened, or one is refused.
 */
export async function* follow(
  api: Api,
  { events, signal, opened, lost }: Options,
): AsyncGenerator<Followed> {
  const path = `/events/stream${events === undefined ? '' : `?events=${encodeURIComponent(events)}`}`
  let lastId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    const silence = createSilence()
    const end = AbortSignal.any([signal, silence.signal])
    let why = 'the server ended the stream'
    try {
      const headers = lastId === undefined ? undefined : { 'last-event-id': lastId }
      const response = await api.open(path, headers ?? {}, end)
      if (!response.ok) throw await refusal(response)
      opened?.()
      failures = 0
      for await (const { id, event } of messages(response, silence.heard)) {
        if (event !== undefined) yield { body: event.data, envelope: JSON.parse(event.data) }
        lastId = id ?? lastId
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error) || (lastId === undefined && error instanceof StartError)) throw error
      why = error instanceof Error ? error.message : String(error)
    } finally {
      silence.stop()
    }
    const ms = Math.min(RETRY_MS * 2 ** failures++, RETRY_MAX_MS)
    if (signal.aborted) return
    lost?.(why, ms)
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}

/** The API said no: asking again changes nothing. */
const isFinal = (error: unknown) => error instanceof StartError && error.exitCode === EXIT.refused

type Message = { id: string | undefined; event?: EventSourceMessage }

/**
 * What comes, in order; an id alone is the place to go on from. Not by the library's stream, which tells of
 * ids before the events in front of them are taken.
 */
async function* messages(response: Response, heard: () => void): AsyncGenerator<Message> {
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
    heard()
    parser.feed(chunk)
    yield* read
    read = []
  }
}

const createSilence = () => {
  const controller = new AbortController()
  const silent = () => controller.abort(new Error(`nothing came for ${SILENCE_MS / 1000} s`))
  let timer = setTimeout(silent, SILENCE_MS)
  return {
    signal: controller.signal,
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(silent, SILENCE_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
