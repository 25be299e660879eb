import { setTimeout as sleep } from 'node:timers/promises'
import { Elysia, t } from 'elysia'
import type { Tenant } from '../../caller'
import { isDatabaseUnavailable, type Sql, withTimeout } from '../../db/connect'
import { limitConcurrencyPerKey } from '../../db/limit-concurrency'
import { DomainError, invalid } from '../../errors'
import { streamOperation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { toEventStream, toEventStreamHead } from '../../http/response/event-stream'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { withRule } from '../../http/rule'
import type { Log } from '../../log'
import type { Subscribe } from '../../notifications/fan-out'
import { createWakeSignal } from '../../notifications/wake-signal'
import { EVENT_TYPES, type EventType } from '../events/types'
import { GAP, type Gap, resumeStream } from './gap'
import {
  createStreamLimit,
  type OpenStream,
  STREAMS_OF_ACCOUNT_MAX,
  STREAMS_OF_KEY_MAX,
} from './limit'
import {
  currentPosition,
  formatPosition,
  POSITION_PATTERN,
  parsePosition,
  readEvents,
  type StreamedEvent,
  type StreamPosition,
} from './store'

/** Interval of comments while no event is sent, in ms: proxies close idle connections after 60 s. */
const KEEP_ALIVE_MS = 15_000
/** Interval of reads without a notification, in ms: a notification can be lost. */
const READ_INTERVAL_MS = 2_000
/** Interval of reads while an older open transaction hides events, in ms. */
const HIDDEN_READ_INTERVAL_MS = 100
/**
 * Pause of an account before a stream that has found nothing to send on a page reads the next one, in ms: clients
 * choose how many events their streams skip.
 */
const SKIP_PAUSE_MS = 10
const LAST_EVENT_ID = 'Last-Event-ID'
/** Reconnection delay for clients, in ms. */
const RETRY_MS = 1_000

type Deps = {
  read: Read
  unread: UnreadLimit
  log: Log
  subscribe: Subscribe
  retentionDays: number
  /** Whether the key of the request is still active. */
  isAdmitted: (request: Request) => Promise<boolean>
}

/** `GET /events/stream`: contract 5.16. `stop` ends all streams, so that a draining server does not wait for them. */
export const createEventStreams = (deps: Deps) => {
  const stopping = new AbortController()
  return {
    routes: streamRoutes(deps, createStreamLimit(), stopping.signal),
    stop: () => stopping.abort(),
  }
}

const streamRoutes = (
  { read, unread, subscribe, retentionDays, isAdmitted, log }: Deps,
  openStream: OpenStream,
  stopping: AbortSignal,
) => {
  const pauseOneByOne = limitConcurrencyPerKey(1)
  const startOfStream = async (sql: Sql, tenant: Tenant, after: StreamPosition | undefined) =>
    after === undefined
      ? { position: await currentPosition(sql), gap: undefined }
      : await resumeStream(sql, tenant, after, retentionDays)
  return new Elysia().use(withCaller).get(
    '/events/stream',
    async ({ request, caller, query }) => {
      const types = typesOf(query.events)
      const resumeAfter = lastEventId(request)
      if (request.method === 'HEAD') return toEventStreamHead()
      const closeStream = openStream(caller)
      const end = AbortSignal.any([stopping, request.signal])
      const wakeSignal = createWakeSignal(end)
      let mayBeRevoked = false
      const unsubscribe = subscribe(caller, topics => {
        mayBeRevoked ||= topics.includes('api-keys') || topics.includes('*')
        wakeSignal.notify()
      })
      let onRead = () => {}
      const onEnd = (failure?: unknown) => {
        onRead()
        unsubscribe()
        closeStream()
        if (failure !== undefined && !isTemporary(failure))
          log.error({ err: failure, key_id: caller.actor.id }, 'an event stream failed')
      }
      try {
        const start = await read(caller, sql => startOfStream(sql, caller, resumeAfter))
        let { position } = start
        let writtenAt = performance.now()
        const next = async () => {
          onRead()
          while (!end.aborted) {
            const isQuiet = performance.now() - writtenAt >= KEEP_ALIVE_MS
            const page = await read(caller, sql =>
              withTimeout(readEvents(sql, caller, position, types)),
            )
            // The client reconnects, and gets a gap.
            if (page.end.epoch !== position.epoch) return undefined
            position = page.end
            if (page.events.length > 0 || isQuiet || mayBeRevoked) {
              mayBeRevoked = false
              // After the read: events that occurred after the key was revoked are not sent.
              if (!(await withTimeout(isAdmitted(request)))) return undefined
            }
            if (page.events.length > 0 || isQuiet) {
              writtenAt = performance.now()
              const text = page.events.map(message).join('') || keepAlive(position)
              onRead = unread.add(caller, Buffer.byteLength(text))
              return text
            }
            if (page.more) await pauseOneByOne(caller.accountId, () => sleep(SKIP_PAUSE_MS))
            else await wakeSignal.wait(page.hidden ? HIDDEN_READ_INTERVAL_MS : READ_INTERVAL_MS)
          }
          return undefined
        }
        const { gap } = start
        const opening = `retry: ${RETRY_MS}\n${keepAlive(position)}${gap ? gapMessage(gap) : ''}`
        return toEventStream({ opening, next, onEnd })
      } catch (error) {
        onEnd()
        throw error
      }
    },
    {
      query: t.Object({
        events: t.Optional(
          withRule(
            t.String({
              maxLength: 500,
              description: 'Event types, separated by commas. All when absent.',
              examples: ['article.published,article.deleted'],
            }),
            text => {
              const unknown = text.split(',').find(name => toEventType(name) === undefined)
              return unknown === undefined
                ? undefined
                : `contains "${unknown}", which is not an event type. The event types are: ${EVENT_TYPES.join(', ')}.`
            },
          ),
        ),
      }),
      detail: streamOperation({
        operationId: 'streamEvents',
        summary: 'Stream events',
        description: `Server-sent events in commit order: \`event\` is the type, \`data\` the envelope byte for byte as webhooks get it, \`id\` a position. Without \`Last-Event-ID\` the stream begins now; with the last \`id\` received it continues after that event and misses nothing that is still kept. Where events after the position may have been deleted, or lost by a failover of the database, the first message has the type \`${GAP}\`, with \`before\` (a time) and \`message\`. A comment is sent every ${KEEP_ALIVE_MS / 1000} s. A stream counts as one request. At most ${STREAMS_OF_KEY_MAX} streams per key and ${STREAMS_OF_ACCOUNT_MAX} per account in each process; one more is a 409. The page of this document cannot show a stream: try \`curl -N\` or \`arden listen\`.`,
        tags: ['Events'],
        requestHeaders: {
          [LAST_EVENT_ID]: {
            description: 'The last `id` received, unchanged. Omit it to begin now.',
            schema: t.String({
              pattern: POSITION_PATTERN,
              examples: [formatPosition(EXAMPLE_POSITION)],
            }),
          },
        },
        example: EXAMPLE,
        errors: ['CONFLICT'],
      }),
    },
  )
}

/** Failures after which the client reconnects: PostgreSQL is unavailable or busy, or the account has a limit. */
const isTemporary = (failure: unknown): boolean =>
  failure instanceof DomainError || isDatabaseUnavailable(failure)

/** Undefined for all types. */
const typesOf = (events: string | undefined): EventType[] | undefined =>
  events?.split(',').flatMap(name => toEventType(name) ?? [])

const toEventType = (name: string): EventType | undefined =>
  EVENT_TYPES.find(one => one === name.trim())

/** @throws {DomainError} VALIDATION_ERROR for a value that is not a position. */
const lastEventId = (request: Request): StreamPosition | undefined => {
  const text = request.headers.get(LAST_EVENT_ID)
  if (text === null || text === '') return undefined
  const position = parsePosition(text)
  if (position === undefined)
    throw invalid(
      LAST_EVENT_ID,
      'is not an id of this stream. Send the last "id" unchanged, or omit the header to begin now.',
    )
  return position
}

/** The envelope is one line: JSON escapes line breaks. */
const message = ({ position, type, body }: StreamedEvent) =>
  `id: ${formatPosition(position)}\nevent: ${type}\ndata: ${body}\n\n`

/** Without an `id`: a client cannot continue after it. */
const gapMessage = (gap: Gap) => `event: ${GAP}\ndata: ${JSON.stringify(gap)}\n\n`

/** With the position, so that a client that reconnects does not read the excluded events again. */
const keepAlive = (position: StreamPosition) => `: keep-alive\nid: ${formatPosition(position)}\n\n`

const EXAMPLE_POSITION = { epoch: '5f0c19ae', xid: '81234', id: 'evt_01kafz3v5tf4qrm8z3x9d2c7ne' }
const EXAMPLE = message({
  position: EXAMPLE_POSITION,
  type: 'article.deleted',
  body: JSON.stringify({
    id: 'evt_01kafz3v5tf4qrm8z3x9d2c7ne',
    event: 'article.deleted',
    created_at: '2026-01-31T12:00:00.000Z',
    data: {
      article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
      project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
    },
  }),
})
