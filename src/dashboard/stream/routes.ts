import { Elysia } from 'elysia'
import { type Sql, withTimeout } from '../../db/connect'
import { withCaller } from '../../http/request/caller'
import { toEventStream, toEventStreamHead } from '../../http/response/event-stream'
import type { Subscribe } from '../../notifications/fan-out'
import type { ChangedTopic } from '../../notifications/topics'
import { createWakeSignal } from '../../notifications/wake-signal'
import { findSession } from '../../people/sessions'
import { readToken } from '../access/cookie'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'
import { createPageStreamLimit } from './limit'

/** One server-sent event: what has changed, so that pages read again what they show of it. */
export type TopicsMessage = { topics: ChangedTopic[] }

/** Between pings, in ms: proxies close idle connections after 60 s. The session is checked as often. */
const PING_MS = 10_000

export type Streams = { routes: ReturnType<typeof streamRoutes>; stop: () => void }

/** The live updates of open pages (contract 3.17). `stop` ends all streams, which would otherwise block a drain. */
export const createStreams = (sql: Sql, subscribe: Subscribe): Streams => {
  const stopping = new AbortController()
  return {
    routes: streamRoutes(sql, subscribe, stopping.signal),
    stop: () => stopping.abort(),
  }
}

const streamRoutes = (sql: Sql, subscribe: Subscribe, stopping: AbortSignal) => {
  const openStream = createPageStreamLimit()
  return new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/stream',
      ({ request, caller }) => {
        if (request.method === 'HEAD') return toEventStreamHead()
        const closeStream = openStream(caller)
        const isSignedIn = async () =>
          (await withTimeout(findSession(sql, readToken(request) ?? ''))) !== undefined
        const end = AbortSignal.any([stopping, request.signal])
        const wakeSignal = createWakeSignal(end)
        const changed = new Set<ChangedTopic>()
        const unsubscribe = subscribe(caller, topics => {
          for (const topic of topics) changed.add(topic)
          wakeSignal.notify()
        })
        let checkedAt = performance.now()
        const next = async () => {
          await wakeSignal.wait(PING_MS)
          if (end.aborted) return undefined
          if (performance.now() - checkedAt >= PING_MS) {
            checkedAt = performance.now()
            // The session may have ended, or the database be unavailable: the page then finds out which.
            if (!(await isSignedIn().catch(() => false))) return undefined
          }
          if (changed.size > 0) {
            const message: TopicsMessage = { topics: [...changed] }
            changed.clear()
            return `data: ${JSON.stringify(message)}\n\n`
          }
          return ': ping\n\n'
        }
        const onEnd = () => {
          unsubscribe()
          closeStream()
        }
        return toEventStream({ opening: ': open\n\n', next, onEnd })
      },
      { role: 'viewer' },
    )
}
