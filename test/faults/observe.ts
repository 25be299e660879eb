import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { streamEvents } from '../../packages/sdk/src/stream'
import type { Attempt, Delivery } from '../../src/webhooks/deliveries/schema'
import type { Event } from '../../src/webhooks/event-log/schema'
import { until } from '../support/until'
import type { CheckedDelivery, History, Streamed } from './check/history'

type Api = { url: string; key: string }

/** Interval of reads, in ms. */
const LOOK_MS = 500
/** Longest wait for one response, in ms. */
const RESPONSE_MS = 20_000
/** Time for the stream to reconnect and catch up, in seconds. */
const STREAM_S = 30
/** Longer than the sweep takes to notice what is overdue. */
const STUCK_MS = 150_000
/** The API makes three reads of an account at a time. */
const READS = 3
const PAGE = 100

const get = async <T>({ url, key }: Api, path: string): Promise<T> => {
  const response = await fetch(`${url}/api/public/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(RESPONSE_MS),
  })
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

type List<T> = { data: T[]; next_cursor: string | null }

/** What a reader of the API saw from the first change on. */
type Records = Pick<History, 'events' | 'deliveries' | 'observed' | 'streamed'>

/**
 * Opens the event stream and reads the status of the newest deliveries again and again, while parts are away too.
 * `finish` ends both, and returns what they saw and all records: call it when no delivery is open.
 */
export const startObserver = async (api: Api): Promise<{ finish: () => Promise<Records> }> => {
  const observed: History['observed'] = []
  const streamed: Streamed[] = []
  const stop = new AbortController()
  const opened = Promise.withResolvers<void>()
  const ended = Promise.all([
    observeStates(api, observed, stop.signal),
    observeStream(api, streamed, stop.signal, opened.resolve),
  ])
  await Promise.race([opened.promise, ended])
  return {
    finish: async () => {
      const records = await readRecords(api)
      const isComplete = () => {
        const seen = new Set(streamed.map(one => ('event' in one ? one.event : '')))
        return records.events.every(one => seen.has(one.id))
      }
      // What does not come is a verdict of the check, not an error here.
      await until('the stream has every event', isComplete, STREAM_S).catch(() => {})
      stop.abort()
      await ended
      return { ...records, observed, streamed }
    },
  }
}

const observeStates = async (api: Api, observed: History['observed'], signal: AbortSignal) => {
  while (!signal.aborted) {
    const page = await get<List<Delivery>>(api, `/deliveries?limit=${PAGE}`).catch(() => undefined)
    observed.push(...(page?.data ?? []).map(({ id, status }) => ({ id, status })))
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

/** With the SDK, which reconnects by itself. */
const observeStream = async (
  { url, key }: Api,
  streamed: Streamed[],
  signal: AbortSignal,
  onOpen: () => void,
) => {
  const onGap = ({ message }: { message: string }) => void streamed.push({ gap: message })
  const stream = streamEvents({ url, apiKey: key }, { signal, onOpen, onGap })
  for await (const { event } of stream) streamed.push({ event: event.id })
}

/** Waits until no delivery is open, or until the same ones have been open for so long that they count as lost. */
export const waitForFinalDeliveries = async (
  api: Api,
  log: (line: string) => void,
): Promise<void> => {
  let before = ''
  for (let changedAt = performance.now(); ; await sleep(LOOK_MS)) {
    const open = await get<List<Delivery>>(api, `/deliveries?status=RETRYING&limit=${PAGE}`).catch(
      () => undefined,
    )
    if (open?.data.length === 0) return
    const now = JSON.stringify(open?.data.map(one => [one.id, one.attempt_count]))
    if (now !== before) changedAt = performance.now()
    before = now
    if (performance.now() - changedAt > STUCK_MS) {
      log(`${open?.data.length ?? 'unknown'} deliveries stay open`)
      return
    }
  }
}

/** All events, and all deliveries with their attempts, as the API has them. */
const readRecords = async (api: Api): Promise<Pick<History, 'events' | 'deliveries'>> => {
  const events = await readAll<Event>(api, '/events')
  const inTurn = pLimit(READS)
  const deliveries = await Promise.all(
    (await readAll<Delivery>(api, '/deliveries')).map(({ webhook_id, id }) =>
      inTurn(async () => {
        const path = `/webhooks/${webhook_id}/deliveries/${id}`
        const { data } = await get<{ data: CheckedDelivery & { attempts: Attempt[] } }>(api, path)
        return data
      }),
    ),
  )
  return {
    events: events.map(({ id, event, data }) => ({
      id,
      type: event,
      article: typeof data.article_id === 'string' ? data.article_id : null,
    })),
    deliveries,
  }
}

const readAll = async <T>(api: Api, path: string): Promise<T[]> => {
  const all: T[] = []
  for (let cursor = ''; ; ) {
    const page: List<T> = await get(api, `${path}?limit=${PAGE}${cursor}`)
    all.push(...page.data)
    if (page.next_cursor === null) return all
    cursor = `&cursor=${page.next_cursor}`
  }
}
