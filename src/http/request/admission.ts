import type { Caller } from '../../caller'

/** Window of the rate limit, in seconds (contract 3.8). */
export const RATE_LIMIT_WINDOW_S = 3600

/**
 * The state of a key's rate limit after a request: the values of the RateLimit headers (contract 1.9).
 */
export type Allowance = {
  /** Requests per hour of this key. */
  limit: number
  /** Requests that remain after this one. */
  left: number
  /** Whole seconds, rounded up, until one more request becomes free. */
  resetSeconds: number
}

/** Whether a key may make a request now. Verified and counted in one step. */
export type Admission =
  | { outcome: 'accepted'; caller: Omit<Caller, 'address'>; allowance: Allowance }
  /** The key is valid and over its limit. Nothing was counted. */
  | { outcome: 'limited'; caller: Omit<Caller, 'address'>; allowance: Allowance }
  | { outcome: 'malformed' | 'unknown' | 'revoked' | 'expired' }

/** `value` is the token after `Bearer `. Rejects only when the database is unavailable. */
export type Admit = (value: string) => Promise<Admission>
