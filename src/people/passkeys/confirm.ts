import type { Sql } from '../../db/connect'
import { conflict, invalid } from '../../errors'
import { verifyPassword } from '../password'
import type { Session } from '../sessions'
import type { LimitAttempts } from '../sign-in-throttle'

/** Minutes after a sign-in in which a way to sign in can be added without the password. */
const RECENT_MINUTES = 15

/**
 * Confirms that the person uses the session: a stolen one must not become a way to sign in that lasts, nor guess the
 * password without limit. Only a password is an attempt: whatever else succeeds would clear the wrong ones.
 * @throws {DomainError} VALIDATION_ERROR for a missing or wrong password; CONFLICT when the person has none;
 * TOO_MANY_REQUESTS.
 */
export const confirmPerson = async (
  sql: Sql,
  limitAttempts: LimitAttempts,
  { id, personId }: Session,
  current: string | undefined,
): Promise<void> => {
  const [row] = await sql<{ password: string | null; is_recent: boolean }[]>`
    SELECT p.password, s.created_at > clock_timestamp() - make_interval(mins => ${RECENT_MINUTES}) AS is_recent
    FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.id = ${id}`
  if (row?.is_recent) return
  const password = row?.password ?? null
  if (password === null)
    throw conflict(
      `You signed in more than ${RECENT_MINUTES} minutes ago. Sign out and in again, then add the passkey.`,
    )
  if (current === undefined) throw invalid('current', 'is required: enter your password')
  await limitAttempts({ personId }, async () => {
    if (!(await verifyPassword(current, password))) throw invalid('current', 'is not your password')
  })
}
