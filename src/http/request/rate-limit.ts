import type { Context } from 'elysia'
import { TooManyRequests } from '../../errors'
import type { Allowance } from './admission'

/** The window of a rate limit; `name` is for messages. */
type RateLimitWindow = { seconds: number; name: string }

/**
 * Sets the headers of a rate limit (contract 1.9).
 * @throws {DomainError} TOO_MANY_REQUESTS for a request that is not accepted.
 */
export const applyRateLimit = (
  { limit, left, resetSeconds }: Allowance,
  isAccepted: boolean,
  { seconds, name }: RateLimitWindow,
  set: Context['set'],
): void => {
  set.headers['ratelimit-policy'] = `"default";q=${limit};w=${seconds}`
  set.headers.ratelimit = `"default";r=${left};t=${resetSeconds}`
  if (!isAccepted)
    throw new TooManyRequests(
      `Rate limit of ${limit} requests per ${name} exceeded. Try again in ${resetSeconds} seconds.`,
      resetSeconds,
    )
}
