import { changesByEvent } from './check/changes'
import type { Disturbance, History } from './check/history'

export type Latency = { count: number; p50: number; p99: number; max: number }

/**
 * From the request for a change to the first request of its webhook, in ms, at receivers that respond at once: of
 * changes that were requested while a disturbance lasted, and of the others. No promise, but what a fault costs others.
 */
export const measureLatency = (history: History): Record<'disturbed' | 'undisturbed', Latency> => {
  const { deliveries, arrivals, disturbances } = history
  const eventOf = new Map(deliveries.map(one => [one.id, one.event_id]))
  const changes = changesByEvent(history)
  const disturbed: number[] = []
  const undisturbed: number[] = []
  for (const { path, deliveryId, at } of arrivals) {
    const event = eventOf.get(deliveryId) ?? ''
    const from = changes.get(event)?.from
    if (path !== '/fast' || from === undefined) continue
    changes.delete(event) // Later requests are retries.
    const values = disturbances.some(one => isDuring(one, from)) ? disturbed : undisturbed
    values.push(at - from)
  }
  return { disturbed: summarize(disturbed), undisturbed: summarize(undisturbed) }
}

const isDuring = ({ at, until }: Disturbance, time: number) => at <= time && time <= until

const summarize = (values: number[]): Latency => {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
