import { MAX_RETRY_AFTER_MS } from '../../http/response/retry-after'
import type { Quota, QuotaKind } from './quotas'

/** What one request takes of each quota. */
export type Costs = Partial<Record<QuotaKind, number>>

/** The pause after a 429 that asks for none, in ms. */
const DEFAULT_PAUSE_MS = 2_000
/** The time between two requests after the first 429, in ms. Each later 429 doubles it. */
const FIRST_SPACING_MS = 1_000
const MAX_SPACING_MS = 60_000
/** Each accepted request permits this many more a second; beyond the second value there is no limit. */
const RATE_STEP = 0.2
const UNLIMITED_RATE = 10

type Bucket = { remaining: number; capacity: number; perMs: number; at: number }

/**
 * A token bucket for the requests to one provider. After a 429 requests pause, as long as the provider asks for and at
 * most five minutes; then they go out one by one, faster with each that is accepted. Quotas in the headers of responses
 * limit requests as well, before a 429. All times are in ms, of a clock that never steps.
 */
export const createPace = (costs: Costs) => {
  let pausedUntil = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let slowedAt = Number.NEGATIVE_INFINITY
  let spacingMs = 0
  const buckets = new Map<QuotaKind, Bucket>()
  const costOf = (kind: QuotaKind) => costs[kind] ?? 0
  return {
    /** The time until the next request may be sent; 0 for now. */
    delayMs: (now: number): number => {
      let at = Math.max(pausedUntil, lastAt + spacingMs)
      for (const [kind, bucket] of buckets) at = Math.max(at, availableAt(bucket, costOf(kind)))
      return Math.max(0, at - now)
    },
    spacingMs: () => spacingMs,
    isSlowed: () => spacingMs > 0,
    take: (now: number): void => {
      lastAt = now
      for (const [kind, bucket] of buckets) {
        refill(bucket, now)
        bucket.remaining -= costOf(kind)
      }
    },
    /** A request that was sent at `sentAt` got a 429. `requestedMs`: the pause that it asks for. */
    onRateLimited: (now: number, sentAt: number, requestedMs: number | undefined): void => {
      const pauseMs = Math.min(requestedMs ?? DEFAULT_PAUSE_MS, MAX_RETRY_AFTER_MS)
      pausedUntil = Math.max(pausedUntil, now + pauseMs)
      // Requests that were sent at the same time get a 429 each, for the same reason.
      if (sentAt < slowedAt) return
      slowedAt = now
      spacingMs = Math.min(MAX_SPACING_MS, Math.max(FIRST_SPACING_MS, 2 * spacingMs))
    },
    onAccepted: (sentAt: number): void => {
      if (spacingMs === 0 || sentAt < slowedAt) return
      const rate = 1000 / spacingMs + RATE_STEP
      spacingMs = rate > UNLIMITED_RATE ? 0 : 1000 / rate
    },
    /** Applies the quotas of a response; `pending`: requests that have none yet. */
    setQuotas: (now: number, quotas: Map<QuotaKind, Quota>, pending: number): void => {
      for (const [kind, quota] of quotas) {
        const bucket = toBucket(quota, costOf(kind), now)
        bucket.remaining -= pending * costOf(kind)
        buckets.set(kind, bucket)
      }
    },
    /** Ends every limit. */
    clear: (): void => {
      pausedUntil = Number.NEGATIVE_INFINITY
      spacingMs = 0
      buckets.clear()
    },
  }
}

const toBucket = ({ remaining, limit, resetMs }: Quota, cost: number, at: number): Bucket => {
  const capacity = limit ?? Math.max(remaining, cost)
  // Without a limit, one request is possible after the reset.
  const missing = limit === undefined ? cost - remaining : capacity - remaining
  const perMs = resetMs > 0 ? Math.max(0, missing) / resetMs : Number.POSITIVE_INFINITY
  return { remaining, capacity, perMs, at }
}

const refill = (bucket: Bucket, now: number): void => {
  const added = now > bucket.at ? (now - bucket.at) * bucket.perMs : 0
  bucket.remaining = Math.min(bucket.capacity, bucket.remaining + added)
  bucket.at = now
}

/** At most five minutes after the response: then a request shows whether the quota is still used up. */
const availableAt = ({ remaining, capacity, perMs, at }: Bucket, cost: number): number => {
  // A request that costs more than the provider ever permits at a time is for the provider to refuse.
  const missing = Math.min(cost, capacity) - remaining
  if (missing <= 0) return Number.NEGATIVE_INFINITY
  const waitMs = perMs > 0 ? missing / perMs : 0
  return at + Math.min(waitMs, MAX_RETRY_AFTER_MS)
}
