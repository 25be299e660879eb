import type { Context } from 'elysia'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { countSignInAttempt } from '../../people/sign-in-throttle'

/**
 * Counts an attempt to sign in. Call it before the password is checked.
 * @throws {DomainError} TOO_MANY_REQUESTS, with Retry-After.
 */
export const throttleSignIn = async (
  sql: Sql,
  email: string,
  address: string,
  set: Context['set'],
): Promise<void> => {
  const seconds = await countSignInAttempt(sql, email, address)
  if (seconds === 0) return
  set.headers['retry-after'] = String(seconds)
  const minutes = Math.ceil(seconds / 60)
  throw new DomainError(
    'TOO_MANY_REQUESTS',
    `Too many attempts to sign in. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, or ask an owner of the account for a sign-in link.`,
  )
}
