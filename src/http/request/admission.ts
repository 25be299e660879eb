import type { Caller } from '../../caller'
import { connect, type Sql } from '../../db/connect'

/** Connections of each process that only check keys and sessions: each of their statements takes milliseconds. */
const CONNECTIONS = 4

/**
 * The pool that checks the keys and sessions of requests. Of its own, so that no request waits to be authenticated
 * behind the transactions of other accounts, which can wait 10 s for a lock.
 */
export const connectForAdmission = (url: string, name: string): Sql =>
  connect(url, { name, max: CONNECTIONS })

/** Window of the rate limit, in seconds (contract 3.8). */
export const RATE_LIMIT_WINDOW_S = 3600

/**
 * The state of the rate limit of a key or a user after a request: the values of the RateLimit headers (contract 1.9).
 */
export type Allowance = {
  /** Requests in one window. */
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
