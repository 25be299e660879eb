import { EVENT_TYPES, type EventType } from '../../src/webhooks/events/types'
import { startReceiver } from '../support/receiver'
import type { Arrival } from './check/history'
import type { Random } from './random'

export type Endpoint = { name: string; url: string; events: EventType[]; ordered: boolean }

export type Receivers = { endpoints: Endpoint[]; arrivals: Arrival[]; stop: () => void }

type Responder = (count: number) => { status: number; afterMs?: number }

/** Real endpoints of every kind, or of those named; their arrivals in the order they came. `address` is of this machine. */
export const startReceivers = (random: Random, names?: string[], address?: string): Receivers => {
  const kinds: Record<string, { events: EventType[]; ordered?: true; respond: Responder }> = {
    fast: { events: [...EVENT_TYPES], respond: () => ({ status: 200 }) },
    slow: {
      events: ['article.created', 'article.published'],
      respond: () => ({ status: 200, afterMs: random.between(100, 6_000) }),
    },
    flaky: {
      events: ['article.created', 'article.updated'],
      respond: () => ({
        status: random.next() < 0.3 ? 503 : 200,
        afterMs: random.between(0, 1_000),
      }),
    },
    recovers: {
      events: ['article.published'],
      respond: count => ({ status: count === 1 ? 500 : 200 }),
    },
    ordered: {
      events: ['article.published'],
      ordered: true,
      // One in many fails, because all others wait for its retry.
      respond: () => ({ status: random.next() < 0.005 ? 500 : 200 }),
    },
    broken: { events: ['article.deleted'], respond: () => ({ status: 500 }) },
  }
  const arrivals: Arrival[] = []
  const { url, stop } = startReceiver(async (received, count) => {
    const { headers, path } = received
    const arrival: Arrival = {
      ...received,
      deliveryId: headers['x-webhook-delivery-id'] ?? '',
      attemptAt: headers['x-webhook-timestamp'] ?? '',
    }
    arrivals.push(arrival)
    const { status, afterMs = 0 } = kinds[path.slice(1)]?.respond(count) ?? { status: 404 }
    await Bun.sleep(afterMs)
    arrival.status = status
    arrival.endedAt = performance.now()
    return new Response(null, { status })
  }, address)
  return {
    endpoints: Object.entries(kinds)
      .filter(([name]) => names?.includes(name) ?? true)
      .map(([name, { events, ordered = false }]) => ({
        name,
        url: `${url}/${name}`,
        events,
        ordered,
      })),
    arrivals,
    stop,
  }
}
