/** What a fair queue knows of a webhook. */
import { type Capacity, LATE_MS } from './capacity'
import { type Entry, KIND, type Position } from './entry'
import { forgetKnown, isEmpty, type Positions } from './positions'

/** What a claim reports of an entry: see claim_deliveries.sql. */
export type Outcome = 'claimed' | 'unordered' | 'paused' | 'blocked' | 'gone' | 'refused'

/** Attempts of a webhook in progress that this claimer did not start. */
export type Outside = { count: number; isLate: boolean }

/** `again`: a row of it that was seen to wait meanwhile, which is tried when it ends. */
type InProgress = { kind: number; at: number; again?: Entry | undefined }

export type Webhook = {
  id: string
  accountId: string
  lists: Positions[]
  /** Deliveries in progress with the time of the claim, the earliest first. */
  inProgress: Map<string, InProgress>
  /** Events that were taken since the last redelivery. */
  sinceRedelivery: number
  /** Whether the rows of the order are tried one by one. */
  isOrdered: boolean
  /** Before this sequence number everything is final. */
  floor: number
  blockedUntil: number
  blockedMs: number
  isPaused: boolean
  place: 'nowhere' | 'rounds' | 'slow' | 'limit' | 'deferred' | 'blocked' | 'reading'
  /** Changes with the place: a turn with another one is void. */
  ticket: number
}

/** A webhook and kind of which more is to be read, and from where. */
export type Reading = { accountId: string; webhookId: string; kind: number; from: Position }

/** The first row of a webhook and kind, where the queue is read through. */
export type QueuedWebhook = Entry & { isPaused: boolean }

/** How long a claimer leaves a webhook to the one that others prefer for it, in ms. */
export const DEFER_MS = 500
/** One turn in so many belongs to slow webhooks. */
export const SLOW_EVERY = 10
/** Events come before redeliveries, but after so many events of a webhook a redelivery that waits has the turn. */
const EVENTS_PER_REDELIVERY = 3
/** An order whose first delivery is in progress elsewhere is announced when it ends. It is tried again all the same. */
const BLOCKED_MIN_MS = 1_000
const BLOCKED_MAX_MS = 60_000

export type FairQueueOptions = {
  /** Undefined: no webhook is limited. */
  capacity?: Capacity
  /** Whether other claimers leave the webhook to this one. */
  isPreferred?: (webhookId: string) => boolean
  /** Whether nothing more of the account may be taken until something of it is finished. */
  isFull?: (accountId: string) => boolean
}

/** Slow webhooks, and attempts that other claimers started, with the slots of all workers. */
export type State = {
  slow: ReadonlySet<string>
  outside?: ReadonlyMap<string, Outside>
  capacity?: Capacity
}

export type Turn = { accountId: string; webhook: Webhook; ticket: number }

export const createWebhook = (accountId: string, id: string, floor: number): Webhook => ({
  id,
  accountId,
  lists: Array.from({ length: KIND.owned }, () => ({ known: [], from: undefined })),
  inProgress: new Map(),
  sinceRedelivery: 0,
  isOrdered: true,
  floor,
  blockedUntil: 0,
  blockedMs: BLOCKED_MIN_MS,
  isPaused: false,
  place: 'nowhere',
  ticket: 0,
})

/** Moves the webhook to a place, and makes its turn there. */
export const turnAt = (webhook: Webhook, place: Webhook['place']): Turn => {
  webhook.place = place
  return { accountId: webhook.accountId, webhook, ticket: ++webhook.ticket }
}

/** Whether the webhook is still where the turn was made. */
export const isValid = ({ webhook, ticket }: Turn): boolean => webhook.ticket === ticket

/** Whether the webhook is in no place, or in one that it leaves when something happens. */
export const waits = ({ place }: Webhook): boolean =>
  place === 'nowhere' || place === 'limit' || place === 'blocked'

/** Whether rows of the kind need not wait for the one before them in the order. */
const canTry = (webhook: Webhook, kind: number, now: number): boolean =>
  kind !== KIND.inOrder || !webhook.isOrdered || webhook.blockedUntil <= now

/** The kind whose first row is tried next; undefined when no row can be tried now. */
export const nextKind = (webhook: Webhook, now: number): number | undefined => {
  const has = (kind: number) => {
    const list = webhook.lists[kind]
    return list !== undefined && !isEmpty(list) && canTry(webhook, kind, now)
  }
  if (webhook.sinceRedelivery >= EVENTS_PER_REDELIVERY && has(KIND.redelivery))
    return KIND.redelivery
  const found = webhook.lists.findIndex((_, kind) => has(kind))
  return found === -1 ? undefined : found
}

/** Whether an attempt in progress that this claimer started is late. */
export const hasLate = ({ inProgress }: Webhook, now: number): boolean => {
  const [oldest] = inProgress.values()
  return oldest !== undefined && now - oldest.at >= LATE_MS
}

/** Whether the delivery of a row that waits is in progress: then it remembers the row, to be tried when it ends. */
export const rememberIfInProgress = ({ inProgress }: Webhook, entry: Entry): boolean => {
  const present = inProgress.get(entry.id)
  if (present !== undefined) present.again = entry
  return present !== undefined
}

/** Leaves the webhook until a row of it is added. What it has is read again then. */
export const pause = (webhook: Webhook): void => {
  for (const list of webhook.lists) forgetKnown(list)
  webhook.isPaused = true
}

/** A delivery of the order was claimed: those before it are final, unless the webhook is not ordered any more. */
export const advance = (
  webhook: Webhook,
  { sequence }: Entry,
  outcome: 'claimed' | 'unordered',
): void => {
  webhook.isOrdered = outcome === 'claimed'
  if (webhook.isOrdered) webhook.floor = sequence
  else webhook.blockedUntil = 0
  webhook.blockedMs = BLOCKED_MIN_MS
}

/** Leaves the order for a while, each time for longer. */
export const block = (webhook: Webhook, now: number): void => {
  webhook.isOrdered = true
  webhook.blockedUntil = now + webhook.blockedMs
  webhook.blockedMs = Math.min(BLOCKED_MAX_MS, webhook.blockedMs * 2)
}
