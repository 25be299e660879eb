/** What a fair queue knows of a webhook. */
import type { Capacity } from './capacity'
import { KIND, type Position } from './entry'
import type { Positions } from './positions'

/** What a claim reports of an entry: see claim_deliveries.sql. */
export type Outcome = 'claimed' | 'unordered' | 'paused' | 'blocked' | 'gone' | 'refused'

/** Attempts of a webhook in progress that this claimer did not start. */
export type Outside = { count: number; isLate: boolean }

export type Webhook = {
  id: string
  accountId: string
  lists: Positions[]
  /** Deliveries in progress with the time of the claim, the earliest first. */
  inProgress: Map<string, { kind: number; at: number }>
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

/** How long a claimer leaves a webhook to the one that others prefer for it, in ms. */
export const DEFER_MS = 500
/** One turn in so many belongs to slow webhooks. */
export const SLOW_EVERY = 10
/** An order whose first delivery is in progress elsewhere is announced when it ends. It is tried again all the same. */
export const BLOCKED_MIN_MS = 1_000
export const BLOCKED_MAX_MS = 60_000

export type FairQueueOptions = {
  /** Undefined: no webhook is limited. */
  capacity?: Capacity
  /** Whether other claimers leave the webhook to this one. */
  isPreferred?: (webhookId: string) => boolean
}

export type Turn = { accountId: string; webhook: Webhook; ticket: number }

export const createWebhook = (accountId: string, id: string): Webhook => ({
  id,
  accountId,
  lists: Array.from({ length: KIND.owned }, () => ({ known: [], from: undefined })),
  inProgress: new Map(),
  isOrdered: true,
  floor: 0,
  blockedUntil: 0,
  blockedMs: BLOCKED_MIN_MS,
  isPaused: false,
  place: 'nowhere',
  ticket: 0,
})
