import { Elysia, t } from 'elysia'
import { isDatabaseUnavailable, type Sql, withTimeout } from '../../db/connect'
import { invalid } from '../../errors'
import { streamOperation } from '../../http/openapi/operation'
import { withCaller } from '../../http/request/caller'
import { toEventStream, toEventStreamHead } from '../../http/response/event-stream'
import type { Log } from '../../log'
import type { Subscribe } from '../../notifications/fan-out'
import { createWakeSignal } from '../../notifications/wake-signal'
import { EVENT_TYPES, type EventType } from '../events/types'
import { GAP, type Gap, gapAfter } from './gap'
import {
  createStreamLimit,
  type OpenStream,
  STREAMS_OF_ACCOUNT_MAX,
  STREAMS_OF_KEY_MAX,
} from './limit'
import {
  currentPosition,
  formatPosition,
  type Position,
  parsePosition,
  readEvents,
  type StreamedEvent,
} from './store'

/** A comment is sent when nothing else was, in ms: what is in between closes idle connections after 60 s. */
const KEEP_ALIVE_MS = 15_000
/** A wake-up may be lost: new events are looked for this often, in ms. */
const SWEEP_MS = 2_000
/** How soon it is looked again for events that an older open transaction still hides, in ms. */
const HIDDEN_MS = 100
const LAST_EVENT_ID = 'Last-Event-ID'
/** What a client is told to wait before it comes again, in ms. */
const RETRY_MS = 1_000

type Deps = {
  sql: Sql
  log: Log
  subscribe: Subscribe
  /** For so many days events are kept. */
  retentionDays: number
  /** Whether the key of a request would still be let in. */
  isAdmitted: (request: Request) => Promise<boolean>
}

/** `stop` ends all streams: a server that drains would wait for them. */
export const createEventStreams = (deps: Deps) => {
  const stopping = new AbortController()
  return {
    routes: streamRoutes(deps, createStreamLimit(), stopping.signal),
    stop: () => stopping.abort(),
  }
}

const streamRoutes = (
  { sql, subscribe, retentionDays, isAdmitted, log }: Deps,
  takePlace: OpenStream,
  stopping: AbortSignal,
) =>
  new Elysia().use(withCaller).get(
    '/events/stream',
    async ({ request, caller, query }) => {
      const types = typesOf(query.events)
      const resumed = lastEventId(request)
      if (request.method === 'HEAD') return toEventStreamHead()
      const leave = takePlace(caller)
      const end = AbortSignal.any([stopping, request.signal])
      const wakeSignal = createWakeSignal(end)
      let mayBeRevoked = false
      const unsubscribe = subscribe(caller, topics => {
        mayBeRevoked ||= topics.includes('api-keys') || topics.includes('*')
        wakeSignal.notify()
      })
      const ended = (failure?: unknown) => {
        unsubscribe()
        leave()
        if (failure !== undefined && !isDatabaseUnavailable(failure))
          log.error({ err: failure, key_id: caller.actor.id }, 'an event stream failed')
      }
      try {
        let position = resumed ?? (await currentPosition(sql))
        let writtenAt = performance.now()
        const next = async () => {
          while (!end.aborted) {
            const isQuiet = performance.now() - writtenAt >= KEEP_ALIVE_MS
            const read = await withTimeout(readEvents(sql, caller, position, types))
            position = read.end
            if (read.events.length > 0 || isQuiet || mayBeRevoked) {
              mayBeRevoked = false
              // After they were read: what happened after the key's end finds it ended.
              if (!(await withTimeout(isAdmitted(request)))) return undefined
            }
            if (read.events.length > 0 || isQuiet) {
              writtenAt = performance.now()
              return read.events.map(message).join('') || keepAlive(position)
            }
            if (read.more) continue
            await wakeSignal.wait(read.hidden ? HIDDEN_MS : SWEEP_MS)
          }
          return undefined
        }
        const gap = resumed && gapAfter(resumed, retentionDays)
        const opening = `retry: ${RETRY_MS}\n${keepAlive(position)}${gap ? gapMessage(gap) : ''}`
        return toEventStream({ opening, next, onEnd: ended })
      } catch (error) {
        ended()
        throw error
      }
    },
    {
      query: t.Object({
        events: t.Optional(
          t.String({
            description: 'Of which types, separated by commas; all when absent.',
            examples: ['article.published,article.deleted'],
          }),
        ),
      }),
      detail: streamOperation({
        summary: 'Follow events as they happen',
        description: `Server-sent events: \`event\` is the type, \`data\` the envelope byte for byte as webhooks get it, \`id\` a place to go on from. Without \`Last-Event-ID\` it begins now; with the last \`id\` that was received, at the event after it, in the order of commits, so that nothing is missed in between that is still kept: where some may be gone, a message of the type \`${GAP}\` comes first, whose data has \`before\`, a time, and a \`message\`. A comment comes every ${KEEP_ALIVE_MS / 1000} s. It counts as one request. A key has at most ${STREAMS_OF_KEY_MAX} of these at a time in each process of the server, an account ${STREAMS_OF_ACCOUNT_MAX}: else 409.`,
        tags: ['Events'],
        requestHeaders: {
          [LAST_EVENT_ID]: {
            description: 'The last `id` that was received, as it came; left out to begin now.',
            schema: t.String({ examples: [formatPosition(EXAMPLE_POSITION)] }),
          },
        },
        example: EXAMPLE,
        errors: ['VALIDATION_ERROR', 'CONFLICT'],
      }),
    },
  )

/** Undefined for all. @throws {DomainError} VALIDATION_ERROR for a type that is none. */
const typesOf = (events: string | undefined): EventType[] | undefined =>
  events?.split(',').map(name => {
    const type = EVENT_TYPES.find(one => one === name.trim())
    if (type === undefined)
      throw invalid(
        'events',
        `has "${name}", which is no event type. There are: ${EVENT_TYPES.join(', ')}.`,
      )
    return type
  })

/** @throws {DomainError} VALIDATION_ERROR for one that no stream gave. */
const lastEventId = (request: Request): Position | undefined => {
  const text = request.headers.get(LAST_EVENT_ID)
  if (text === null || text === '') return undefined
  const position = parsePosition(text)
  if (position === undefined)
    throw invalid(
      LAST_EVENT_ID,
      'is no id that this stream gave. Send the last "id" as it came, or leave it out to begin now.',
    )
  return position
}

/** The envelope is one line: JSON has no line break outside of its escapes. */
const message = ({ position, type, body }: StreamedEvent) =>
  `id: ${formatPosition(position)}\nevent: ${type}\ndata: ${body}\n\n`

/** Without a place of its own: it is none to go on from. */
const gapMessage = (gap: Gap) => `event: ${GAP}\ndata: ${JSON.stringify(gap)}\n\n`

/** With the place: who comes again after a quiet time need not read all that was filtered out. */
const keepAlive = (position: Position) => `: keep-alive\nid: ${formatPosition(position)}\n\n`

const EXAMPLE_POSITION = { xid: '81234', id: 'evt_01kafz3v5tf4qrm8z3x9d2c7ne' }
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
