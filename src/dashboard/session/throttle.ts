import type { Context } from 'elysia'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { countSignInAttempt, type SignInAttempt } from '../../people/sign-in-throttle'

/**
 * Counts an attempt to sign in. Call it before the password is verified or the link is looked up.
 * @throws {DomainError} TOO_MANY_REQUESTS, with Retry-After.
 */
export const throttleSignIn = async (
  sql: Sql,
  attempt: SignInAttempt,
  set: Context['set'],
): Promise<void> => {
  const seconds = await countSignInAttempt(sql, attempt)
  if (seconds === 0) return
  set.headers['retry-after'] = String(seconds)
  const minutes = Math.ceil(seconds / 60)
  // A new link would not help a client whose network is refused.
  const alternative =
    attempt.email === undefined ? '' : ', or ask an owner of the account for a sign-in link'
  throw new DomainError(
    'TOO_MANY_REQUESTS',
    `Too many attempts to sign in. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}${alternative}.`,
  )
}
