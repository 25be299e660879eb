import type { Caller } from '../../caller'

/** What the limit says of one request: the numbers of the RateLimit headers (contract 1.9, 3.8). */
export type Allowance = {
  /** Requests per hour of this key. */
  limit: number
  /** Requests left now, after this one. */
  left: number
  /** Whole seconds, rounded up, until one more request becomes free. */
  resetSeconds: number
}

/** The answer to "may this key make this request now?", looked up and counted in one go. */
export type Admission =
  | { outcome: 'accepted'; caller: Omit<Caller, 'address'>; allowance: Allowance }
  /** Known and valid, but over its limit: nothing was counted. */
  | { outcome: 'limited'; caller: Omit<Caller, 'address'>; allowance: Allowance }
  | { outcome: 'malformed' | 'unknown' | 'revoked' | 'expired' }

/** `value` is what stood behind `Bearer `. Rejects only when the database is away. */
export type Admit = (value: string) => Promise<Admission>
