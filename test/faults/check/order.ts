import { changesByEvent } from './changes'
import { isSuccess } from './deliveries'
import type { Arrival, CheckedDelivery, History, Verdict } from './history'

/** Attempts are numbered from 1 without gaps, and so are the deliveries of an ordered webhook. */
export const checkNumbering = ({ deliveries, webhooks }: History): Verdict => {
  const broken = deliveries.flatMap(({ id, attempts, attempt_count }) => {
    const numbers = attempts.map(one => one.number).sort((one, other) => one - other)
    return isSeries(numbers) && numbers.length === attempt_count
      ? []
      : [`${id} has the attempts ${numbers.join(', ')} and an attempt_count of ${attempt_count}`]
  })
  for (const { id, name, ordered } of webhooks) {
    const numbers = deliveries
      .filter(one => one.webhook_id === id)
      .map(one => one.sequence)
      .sort((one, other) => (one ?? 0) - (other ?? 0))
    if (ordered && !isSeries(numbers)) broken.push(`${name} has the sequence ${numbers.join(', ')}`)
    if (!ordered && numbers.some(one => one !== null))
      broken.push(`${name} is not ordered and has a sequence`)
  }
  return {
    promise: 'attempts and sequences are numbered without gaps',
    contract: '5.1, 5.12',
    cases: deliveries.length,
    broken,
  }
}

const isSeries = (numbers: (number | null)[]) => numbers.every((one, index) => one === index + 1)

/**
 * A delivery of an ordered webhook is first sent when the one before it has got its last response, and their order is
 * that of the changes.
 */
export const checkOrder = (history: History): Verdict => {
  const { deliveries, webhooks, arrivals } = history
  const arrived = Map.groupBy(arrivals, one => one.deliveryId)
  const broken: string[] = []
  let cases = 0
  for (const { id, ordered } of webhooks) {
    const inOrder = deliveries
      .filter(one => ordered && one.webhook_id === id)
      .sort((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0))
    for (const [index, delivery] of inOrder.entries()) {
      const before = inOrder[index - 1]
      if (before === undefined) continue
      cases++
      const first = firstOf(arrived.get(delivery.id))
      const finalAt = firstFinal(before, arrived.get(before.id) ?? [])
      if (first !== undefined && finalAt > first.at)
        broken.push(`${delivery.id} (${delivery.sequence}) was sent before ${before.id} was final`)
    }
    const events = inOrder.map(one => one.event_id)
    broken.push(...outOfOrder(history, events).map(event => `${event} has too high a sequence`))
  }
  return { promise: 'ordered webhooks get one after the other', contract: '5.12', cases, broken }
}

/** The events that come behind one whose change was requested after their change had its response. */
const outOfOrder = (history: History, order: string[]): string[] => {
  const changes = changesByEvent(history)
  let latest = Number.NEGATIVE_INFINITY
  return order.filter(event => {
    const change = changes.get(event)
    if (change === undefined) return false
    const isBehind = change.to < latest
    latest = Math.max(latest, change.from)
    return isBehind
  })
}

const firstOf = (requests: Arrival[] = []) =>
  requests.toSorted((one, other) => one.at - other.at)[0]

/** When a receiver had sent the last response: after a crash, the same attempt may come again behind later ones. */
const firstFinal = ({ attempts }: CheckedDelivery, requests: Arrival[]) => {
  const last = attempts.toSorted((one, other) => one.number - other.number).at(-1)
  const final = requests.filter(
    ({ attemptAt, status }) => attemptAt === last?.started_at || isSuccess(status),
  )
  return Math.min(...final.map(one => one.endedAt ?? Number.POSITIVE_INFINITY))
}

/** A reader that reconnects gets every event once, unless a gap was reported, in the order of the changes. */
export const checkStream = (history: History): Verdict => {
  const { events, streamed, failover } = history
  const times = new Map<string, number>()
  for (const one of streamed)
    if ('event' in one) times.set(one.event, (times.get(one.event) ?? 0) + 1)
  const hasGap = streamed.some(one => 'gap' in one)
  const broken = events.flatMap(({ id, type }) => {
    const count = times.get(id) ?? 0
    if (count === 0) return [`${id} (${type}) is not in the stream`]
    return count > 1 && !hasGap ? [`${id} (${type}) was streamed ${count} times`] : []
  })
  if (hasGap && failover === undefined) broken.push('a gap was reported, and nothing was lost')
  // As they first came: after a gap some come again.
  broken.push(...outOfOrder(history, [...times.keys()]).map(event => `${event} was streamed late`))
  return {
    promise: 'the stream has every event, once, in order',
    contract: '5.16',
    cases: events.length,
    broken,
  }
}
