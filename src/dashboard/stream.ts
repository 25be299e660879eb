import { Elysia } from 'elysia'
import { findSession } from '../accounts/sessions'
import type { Tenant } from '../caller'
import { answered, type Sql } from '../db/connect'
import { withCaller } from '../http/caller'
import { type Heard, listenForHints } from '../outbox/hints'
import { readToken } from './cookie'
import { DASHBOARD_API } from './paths'

/**
 * Server-sent events: which kinds of records have changed, so that pages ask again for what they show.
 * One LISTEN for all streams of a process.
 */
export type Hint = {
  /** Names of the API's collections, such as `deliveries`; `*` is all. */
  kinds: string[]
}

/** A sign of life, in ms: idle connections are closed after 60 s. The session is looked at as well. */
const PING_MS = 10_000

type Subscriber = { tenant: Tenant; tell: (hint: Hint) => void; end: () => void }

export type Streams = { routes: ReturnType<typeof streamRoutes>; stop: () => void }

/** `stop` ends all streams: a server that drains would wait for them. */
export const createStreams = (sql: Sql): Streams => {
  const subscribers = new Set<Subscriber>()
  const tellAll = ({ tenant, kinds }: Heard) => {
    for (const one of subscribers)
      if (tenant === undefined || isSame(tenant, one.tenant)) one.tell({ kinds })
  }
  let isListening = false
  const add = (one: Subscriber) => {
    subscribers.add(one)
    // Begins with the first who looks. Where it is refused, pages ask when one comes back to them.
    if (!isListening)
      listenForHints(sql, tellAll).catch(() => {
        isListening = false
      })
    isListening = true
    return () => subscribers.delete(one)
  }
  return {
    routes: streamRoutes(sql, add),
    stop: () => {
      for (const { end } of subscribers) end()
    },
  }
}

const isSame = (a: Tenant, b: Tenant) => a.accountId === b.accountId && a.mode === b.mode

type Add = (one: Subscriber) => () => void

const streamRoutes = (sql: Sql, add: Add) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .get('/stream', ({ request, caller }) => {
      const isSignedIn = async () =>
        (await answered(findSession(sql, readToken(request) ?? ''))) !== undefined
      return new Response(eventStream(caller, add, isSignedIn, request.signal), {
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      })
    })

const eventStream = (
  tenant: Tenant,
  add: Add,
  isSignedIn: () => Promise<boolean>,
  gone: AbortSignal,
): ReadableStream<Uint8Array> => {
  let end = () => {}
  return new ReadableStream({
    start: controller => {
      const write = (text: string) => controller.enqueue(new TextEncoder().encode(text))
      const remove = add({
        tenant,
        tell: hint => write(`data: ${JSON.stringify(hint)}\n\n`),
        end: () => end(),
      })
      const pings = setInterval(async () => {
        // A session may end while its pages are open. While the database is away nobody is signed out.
        if (await isSignedIn().catch(() => true)) write(': ping\n\n')
        else end()
      }, PING_MS)
      end = () => {
        clearInterval(pings)
        remove()
        end = () => {}
        try {
          controller.close()
        } catch {
          // The browser has closed it.
        }
      }
      gone.addEventListener('abort', () => end())
      write(': open\n\n')
    },
    cancel: () => end(),
  })
}
