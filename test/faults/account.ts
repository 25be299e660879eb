import type { Sql } from '../../src/db/connect'
import type { Kill } from './killer'
import type { ExpectedEvent } from './load'
import type { Arrival, Endpoint } from './receivers'

/** The outcome of all changes and deliveries. Each text in `lost` and `wrong` names one violation. */
export type Account = {
  events: number
  delivered: number
  failed: number
  /** Lost events of changes with a 2xx response, and lost deliveries. */
  lost: string[]
  /** Requests beyond the recorded attempts: sent by a process that could not record it. */
  sentTwice: number
  /** The number of those that were in progress at a kill. All must have been; the others are in `wrong`. */
  atKill: number
  wrong: string[]
}

/** `article`: of those that are about one. */
type EventRow = { id: string; type: string; article: string | null }
type DeliveryRow = {
  id: string
  event_id: string
  webhook_id: string
  status: string
  attempt_count: number
}
type AttemptRow = { delivery_id: string; http_status: number | null; sent_at: string }

/**
 * An attempt is under way from a little before its request, when the worker has loaded it, until a little after
 * its response, when it is recorded. In ms. Kills are some seconds apart: with much more, all would be near one.
 */
const AROUND_MS = 2_000

/** Compares the database with the changes that were requested and the requests that arrived. */
export const takeAccount = async (
  sql: Sql,
  saw: {
    expected: ExpectedEvent[]
    arrivals: Arrival[]
    kills: Kill[]
    webhooks: (Endpoint & { id: string })[]
  },
): Promise<Account> => {
  const events = await sql<EventRow[]>`
    SELECT id, type, body::jsonb #>> '{data,article_id}' AS article FROM events`
  const deliveries = await sql<DeliveryRow[]>`
    SELECT id, event_id, webhook_id, status, attempt_count FROM deliveries`
  const attempts = await sql<AttemptRow[]>`
    SELECT delivery_id, http_status, request_headers ->> 'X-Webhook-Timestamp' AS sent_at
    FROM attempts`
  const lost: string[] = []
  const wrong: string[] = []

  const byChange = Map.groupBy(events, ({ article, type }) => `${type} of ${article}`)
  for (const { article, type } of saw.expected)
    if (!byChange.has(`${type} of ${article}`)) lost.push(`the event ${type} of ${article}`)
  for (const [change, fired] of byChange)
    if (fired.length > 1 && fired[0]?.article !== null)
      wrong.push(`${fired.length} events ${change}`)

  const byEvent = Map.groupBy(deliveries, one => one.event_id)
  for (const { id, type } of events)
    for (const { id: webhook, events: types, name } of saw.webhooks) {
      const wanted = types.some(one => one === type) ? 1 : 0
      const found = byEvent.get(id)?.filter(one => one.webhook_id === webhook).length ?? 0
      if (found < wanted) lost.push(`the delivery of ${id} (${type}) to ${name}`)
      if (found > wanted) wrong.push(`${found} deliveries of ${id} (${type}) to ${name}`)
    }

  const arrived = Map.groupBy(saw.arrivals, one => one.deliveryId)
  const recorded = Map.groupBy(attempts, one => one.delivery_id)
  let sentTwice = 0
  let atKill = 0
  for (const { id, status, attempt_count } of deliveries) {
    const requests = arrived.get(id) ?? []
    const known = recorded.get(id) ?? []
    if (status === 'RETRYING') lost.push(`${id}, which is not final`)
    if (status === 'DELIVERED' && !requests.some(one => one.status === 200))
      lost.push(`${id}, which is DELIVERED but never arrived`)
    if (status === 'FAILED' && attempt_count !== 3)
      lost.push(`${id}, given up after ${attempt_count} attempts`)
    if (known.length !== attempt_count) wrong.push(`${id} has ${known.length} attempts recorded`)
    for (const { sent_at, http_status } of known) {
      const sent = requests.filter(one => one.attemptAt === sent_at).length
      if (sent !== 1)
        wrong.push(`an attempt of ${id} that is recorded (${http_status}) was sent ${sent} times`)
    }
    const extra = requests.filter(one => !known.some(({ sent_at }) => sent_at === one.attemptAt))
    sentTwice += extra.length
    for (const one of extra)
      if (isOfKill(one, requests, saw.kills)) atKill++
      else
        wrong.push(
          `${id} was sent without a record, but not at a kill: ${inWords(requests, known)}`,
        )
  }
  for (const id of arrived.keys())
    if (!deliveries.some(one => one.id === id)) wrong.push(`${id} arrived but is not recorded`)

  return {
    events: events.length,
    delivered: deliveries.filter(one => one.status === 'DELIVERED').length,
    failed: deliveries.filter(one => one.status === 'FAILED').length,
    lost,
    sentTwice,
    atKill,
    wrong,
  }
}

/**
 * Of two requests for one attempt, either may be the one that is recorded: what was under way when PostgreSQL died is
 * recorded when it is back, if its worker comes before the one that sends it again.
 */
const isOfKill = (one: Arrival, requests: Arrival[], kills: Kill[]) => {
  const before = requests[requests.indexOf(one) - 1]
  return [one, before].some(
    request => request !== undefined && kills.some(kill => wasUnderWay(request, kill)),
  )
}

/** `serve` has no part in sending. */
const wasUnderWay = ({ at, endedAt = Number.POSITIVE_INFINITY }: Arrival, kill: Kill) =>
  kill.part !== 'serve' &&
  at - AROUND_MS <= (kill.part === 'worker' ? kill.at : kill.backAt) &&
  endedAt + AROUND_MS >= kill.at

/** The requests of a delivery, for who looks why; times in seconds, as in the progress. */
const inWords = (requests: Arrival[], known: AttemptRow[]) =>
  requests
    .map(({ at, endedAt = Number.NaN, path, status, attemptAt }) => {
      const isKnown = known.some(({ sent_at }) => sent_at === attemptAt)
      return `${path} at ${(at / 1000).toFixed(1)} s, status ${status} after ${((endedAt - at) / 1000).toFixed(1)} s, ${isKnown ? '' : 'not '}recorded`
    })
    .join('; ')
