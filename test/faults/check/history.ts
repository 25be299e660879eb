import type { Attempt, Delivery } from '../../../src/webhooks/deliveries/schema'
import type { EventType } from '../../../src/webhooks/events/types'
import type { ReceivedRequest } from '../../support/receiver'

/** An event that a change with a 2xx response must have fired. */
export type ExpectedEvent = {
  article: string
  type: EventType
  /** When the change was requested, and when its response came; as the times of arrivals. */
  change?: { from: number; to: number }
}

/** A request that arrived, and its outcome. Times are of `performance.now()` in the process of the receivers. */
export type Arrival = ReceivedRequest & {
  deliveryId: string
  /** X-Webhook-Timestamp: of the attempt. */
  attemptAt: string
  status?: number
  endedAt?: number
}

/** Something that a run did to Arden's parts. Times as those of arrivals. */
export type Disturbance = {
  name: string
  at: number
  /** When all parts worked again. */
  until: number
  /** The last time of an attempt that could not be recorded; before `at` where none could be affected. */
  repeatsUntil: number
}

export type CheckedWebhook = {
  id: string
  name: string
  events: readonly EventType[]
  ordered: boolean
  secret: string
}
export type WrongResponse = { request: string; status: number; text: string }
type CheckedEvent = { id: string; type: string; article: string | null }
export type CheckedDelivery = Pick<
  Delivery,
  | 'id'
  | 'webhook_id'
  | 'event_id'
  | 'status'
  | 'attempt_count'
  | 'next_attempt_at'
  | 'delivered_at'
  | 'error'
  | 'sequence'
> & { attempts: Pick<Attempt, 'number' | 'started_at' | 'http_status'>[] }

/** A message of the event stream: an event, or a gap. */
export type Streamed = { event: string } | { gap: string }

/** What clients and receivers saw: all that the check knows. Nothing of it is read from the database. */
export type History = {
  expected: ExpectedEvent[]
  /** The number of changes, and the responses that were neither 2xx nor 503. */
  responses: number
  wrongResponses: WrongResponse[]
  webhooks: CheckedWebhook[]
  arrivals: Arrival[]
  disturbances: Disturbance[]
  /** PostgreSQL was replaced by a standby, which an asynchronous one does with a loss of commits. */
  failover: 'synchronous' | 'asynchronous' | undefined
  /** `GET /events` and the deliveries with their attempts, when nothing happened any more. */
  events: CheckedEvent[]
  deliveries: CheckedDelivery[]
  /** The status of deliveries as it was read meanwhile, in the order of the reads. */
  observed: { id: string; status: Delivery['status'] }[]
  /** What one reader of `GET /events/stream` received, reconnections included. */
  streamed: Streamed[]
}

/** The result for one promise of the contract: how many cases there were, and each that broke it. */
export type Verdict = {
  promise: string
  /** Headings of docs/contract.md. */
  contract: string
  cases: number
  broken: string[]
}
