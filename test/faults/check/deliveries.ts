import { MAX_ATTEMPTS } from '../../../src/webhooks/retry-schedule'
import type { CheckedDelivery, History, Verdict } from './history'

/**
 * Every change with a 2xx response fired its event, once. What an asynchronous standby has lost is no violation, if the
 * stream reported a gap.
 */
export const checkEvents = ({ expected, events, streamed, failover }: History): Verdict => {
  const fired = Map.groupBy(events, ({ article, type }) => `${type} of ${article}`)
  const lost = expected
    .map(({ article, type }) => `${type} of ${article}`)
    .filter(change => !fired.has(change))
  const losesCommits = failover === 'asynchronous'
  const isReported = losesCommits && streamed.some(one => 'gap' in one)
  const twice = [...fired].filter(([, all]) => all.length > 1 && all[0]?.article !== null)
  return {
    promise:
      losesCommits && lost.length > 0
        ? `every committed event exists, but ${lost.length} whose commit was lost${isReported ? ', as the stream reported' : ''}`
        : 'every committed event exists, once',
    contract: '5.8',
    cases: expected.length - (isReported ? lost.length : 0),
    broken: [
      ...(isReported ? [] : lost.map(change => `there is no event ${change}`)),
      ...twice.map(([change, all]) => `${all.length} events ${change}`),
    ],
  }
}

/** Every event has one delivery to each webhook that is subscribed to it, and none to any other. */
export const checkDeliveries = ({ events, deliveries, webhooks }: History): Verdict => {
  const byEvent = Map.groupBy(deliveries, one => one.event_id)
  const broken: string[] = []
  let cases = 0
  for (const { id, type } of events)
    for (const webhook of webhooks) {
      const wanted = webhook.events.some(one => one === type) ? 1 : 0
      const found = byEvent.get(id)?.filter(one => one.webhook_id === webhook.id).length ?? 0
      cases += wanted
      if (found !== wanted)
        broken.push(
          `${found} deliveries of ${id} (${type}) to ${webhook.name} instead of ${wanted}`,
        )
    }
  return { promise: 'one delivery to each subscribed webhook', contract: '4.6', cases, broken }
}

/** Every delivery became final: DELIVERED and a receiver responded with 2xx, or FAILED after three attempts. */
export const checkAtLeastOnce = ({ deliveries, arrivals }: History): Verdict => {
  const arrived = Map.groupBy(arrivals, one => one.deliveryId)
  return {
    promise: 'at least once',
    contract: '5.8',
    cases: deliveries.length,
    broken: deliveries.flatMap(({ id, status, attempt_count }) => {
      if (status === 'RETRYING') return [`${id} is not final`]
      const isReceived = arrived.get(id)?.some(one => isSuccess(one.status))
      if (status === 'DELIVERED' && !isReceived)
        return [`${id} is DELIVERED but no receiver responded to it with 2xx`]
      if (status === 'FAILED' && attempt_count !== MAX_ATTEMPTS)
        return [`${id} is FAILED after ${attempt_count} attempts`]
      return []
    }),
  }
}

/** The status agrees with the rest of the record and its attempts, and a final one was never taken back. */
export const checkStates = ({ deliveries, observed, failover }: History): Verdict => {
  const broken = deliveries.flatMap(delivery =>
    contradictionsOf(delivery).map(text => `${delivery.id} is ${delivery.status}, ${text}`),
  )
  const last = new Map<string, string>()
  const final = deliveries.map(({ id, status }) => ({ id, status }))
  for (const { id, status } of [...observed, ...final]) {
    const before = last.get(id)
    // A 2xx that is recorded late makes a FAILED delivery DELIVERED.
    const isTakenBack =
      (before === 'DELIVERED' && status !== 'DELIVERED') ||
      (before === 'FAILED' && status === 'RETRYING')
    if (isTakenBack && failover !== 'asynchronous')
      broken.push(`${id} was ${before} and then ${status}`)
    last.set(id, status)
  }
  return {
    promise: 'states agree with attempts, and final ones stay',
    contract: '5.2',
    cases: deliveries.length + observed.length,
    broken,
  }
}

const contradictionsOf = (delivery: CheckedDelivery): string[] => {
  const { status, attempts, delivered_at, next_attempt_at, error } = delivery
  if (status === 'RETRYING') return []
  const succeeded = attempts.some(one => isSuccess(one.http_status ?? undefined))
  const isDelivered = status === 'DELIVERED'
  return [
    ...(succeeded === isDelivered ? [] : [`with ${succeeded ? 'a' : 'no'} successful attempt`]),
    ...((delivered_at !== null) === isDelivered ? [] : [`with delivered_at ${delivered_at}`]),
    ...((error === null) === isDelivered ? [] : [`with the error ${error}`]),
    ...(next_attempt_at === null ? [] : [`with a next attempt at ${next_attempt_at}`]),
  ]
}

export const isSuccess = (status: number | undefined) =>
  status !== undefined && status >= 200 && status < 300
