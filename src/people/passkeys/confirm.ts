import type { Sql } from '../../db/connect'
import { invalid } from '../../errors'
import { verifyPassword } from '../password'
import { isRecent, signInAgain } from '../recent-sign-in'
import type { Session } from '../sessions'
import type { LimitAttempts } from '../sign-in-throttle'

/**
 * Confirms that the person uses the session: a stolen one must not become a way to sign in that lasts, nor guess the
 * password without limit. Only a password is an attempt: whatever else succeeds would clear the wrong ones.
 * @throws {DomainError} VALIDATION_ERROR for a missing or wrong password; CONFLICT when the person has none;
 * TOO_MANY_REQUESTS.
 */
export const confirmPerson = async (
  sql: Sql,
  limitAttempts: LimitAttempts,
  { id, personId, email }: Session,
  current: string | undefined,
): Promise<void> => {
  if (await isRecent(sql, id)) return
  const [row] = await sql<{ password: string | null }[]>`
    SELECT password FROM people WHERE id = ${personId}`
  const password = row?.password ?? null
  if (password === null) throw signInAgain(email, 'add the passkey')
  if (current === undefined) throw invalid('current', 'is required: enter your password')
  await limitAttempts({ personId }, async () => {
    if (!(await verifyPassword(current, password))) throw invalid('current', 'is not your password')
  })
}
