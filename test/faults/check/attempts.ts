import { RETRY_DELAYS_MS } from '../../../src/webhooks/retry-schedule'
import type { Arrival, CheckedDelivery, Disturbance, History, Verdict } from './history'

/**
 * An attempt is under way from a little before its request, when the worker has loaded it, until a little after
 * its response, when it is recorded. In ms. Kills are some seconds apart: with much more, all would be near one.
 */
const AROUND_MS = 2_000
/** Timers of the receivers' process. */
const EARLY_MS = 50
/** What a busy machine adds. Less than the difference between two steps of the schedule. */
const LATE_MS = 15_000
/** How long after a disturbance lost workflows are found and started again. */
const RECOVERY_MS = 150_000

/** What is recorded was sent once; what was sent without a record was under way at a disturbance. */
export const checkAttempts = (history: History): Verdict => {
  const { deliveries, disturbances, failover } = history
  const arrived = Map.groupBy(history.arrivals, one => one.deliveryId)
  const broken: string[] = []
  let cases = 0
  let repeated = 0
  for (const { id, attempts } of deliveries) {
    const requests = arrived.get(id) ?? []
    cases += attempts.length
    for (const { started_at, number } of attempts) {
      const sent = requests.filter(one => one.attemptAt === started_at).length
      if (sent !== 1)
        broken.push(`attempt ${number} of ${id} is recorded, and was sent ${sent} times`)
    }
    for (const request of requests) {
      if (attempts.some(one => one.started_at === request.attemptAt)) continue
      repeated++
      if (!wasDisturbed(request, requests, disturbances))
        broken.push(`${id} was sent without a record at ${inSeconds(request.at)}, undisturbed`)
    }
  }
  if (failover !== 'asynchronous')
    for (const id of arrived.keys())
      if (!deliveries.some(one => one.id === id)) broken.push(`${id} arrived, and does not exist`)
  return {
    promise: `each attempt is recorded, but ${repeated} that a fault interrupted`,
    contract: '5.4',
    cases,
    broken,
  }
}

/**
 * Of two requests for one attempt, either may be the one that is recorded: what was under way when PostgreSQL died is
 * recorded when it is back, if its worker comes before the one that sends it again.
 */
const wasDisturbed = (one: Arrival, requests: Arrival[], disturbances: Disturbance[]) => {
  const before = requests[requests.indexOf(one) - 1]
  return [one, before].some(
    request =>
      request !== undefined &&
      disturbances.some(
        ({ at, repeatsUntil }) =>
          request.at - AROUND_MS <= repeatsUntil &&
          (request.endedAt ?? Number.POSITIVE_INFINITY) + AROUND_MS >= at,
      ),
  )
}

/** The second attempt 5 s after the first, the third 25 s after the second: never earlier, and later only by a fault. */
export const checkSchedule = (history: History): Verdict => {
  const arrived = Map.groupBy(history.arrivals, one => one.deliveryId)
  const broken: string[] = []
  let cases = 0
  for (const delivery of history.deliveries) {
    const requests = recordedRequests(delivery, arrived.get(delivery.id) ?? [])
    for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
      const from = requests[index]?.endedAt
      const next = requests[index + 1]?.at
      if (from === undefined || next === undefined) continue
      cases++
      const what = `attempt ${index + 2} of ${delivery.id} came ${inSeconds(next - from)} after the one before`
      if (next - from < delay - EARLY_MS) broken.push(`${what}, too early`)
      const mayBeLate = history.disturbances.some(
        ({ at, until }) => at <= next && until + RECOVERY_MS >= from,
      )
      if (next - from > delay + LATE_MS && !mayBeLate) broken.push(`${what}, too late`)
    }
  }
  return { promise: 'retries after 5 s and 25 s', contract: '5.3', cases, broken }
}

/** The request of each recorded attempt, oldest first. */
const recordedRequests = ({ attempts }: CheckedDelivery, requests: Arrival[]) =>
  attempts
    .toSorted((one, other) => one.number - other.number)
    .map(({ started_at }) => requests.find(one => one.attemptAt === started_at))

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
