import { createHash } from 'node:crypto'
import type { Sql } from '../db/connect'
import { networkOf } from '../http/request/client-address'

/** Sign-in attempts in a window, for one email address and from one network (contract 3.15). */
const MAX_PER_EMAIL = 10
const MAX_PER_ADDRESS = 50
const WINDOW_MINUTES = 15
/** Expired rows that each attempt deletes: more than it inserts, so the table stays small. */
const DELETED_PER_ATTEMPT = 5

/** An attempt to sign in. A link is used without an email address, so only its network counts. */
export type SignInAttempt = { email?: string; address: string }

/**
 * Counts an attempt and returns the seconds to wait, 0 when it is permitted. Call it before the password is verified:
 * then concurrent attempts in all processes never exceed the limit. Known and unknown email addresses count alike.
 */
export const countSignInAttempt = async (sql: Sql, attempt: SignInAttempt): Promise<number> => {
  const subjects = subjectsOf(attempt)
  const rows = await sql<{ subject: string; count: number; left: number }[]>`
    WITH old AS (
      DELETE FROM sign_in_tries WHERE subject IN (
        SELECT subject FROM sign_in_tries WHERE since < ${windowStart(sql)}
          AND subject <> ALL (${subjects})
        ORDER BY since LIMIT ${DELETED_PER_ATTEMPT} FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO sign_in_tries AS attempts (subject, count, since)
    SELECT subject, 1, clock_timestamp() FROM unnest(${subjects}::text[]) AS subject
    ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET
      count = CASE WHEN attempts.since < ${windowStart(sql)} THEN 1 ELSE attempts.count + 1 END,
      since = CASE WHEN attempts.since < ${windowStart(sql)} THEN excluded.since ELSE attempts.since END
    RETURNING subject, count,
      ceil(extract(epoch FROM since - ${windowStart(sql)}))::int AS left`
  const exceeded = rows.filter(
    ({ subject, count }) =>
      count > (subject.startsWith('email:') ? MAX_PER_EMAIL : MAX_PER_ADDRESS),
  )
  return Math.max(0, ...exceeded.map(({ left }) => Math.max(1, left)))
}

/** After a successful sign-in: clears the count of the email address, and subtracts the attempt from the network. */
export const resetSignInAttempts = async (
  sql: Sql,
  { email, address }: SignInAttempt,
): Promise<void> => {
  await sql`
    WITH cleared AS (
      DELETE FROM sign_in_tries WHERE subject = ${email === undefined ? null : emailSubject(email)}
    )
    UPDATE sign_in_tries SET count = count - 1 WHERE subject = ${networkSubject(address)}`
}

const subjectsOf = ({ email, address }: SignInAttempt): string[] => [
  ...(email === undefined ? [] : [emailSubject(email)]),
  networkSubject(address),
]

/** The email address is hashed, because users sometimes type their password into that field. */
const emailSubject = (email: string) => `email:${createHash('sha256').update(email).digest('hex')}`

const networkSubject = (address: string) => `from:${networkOf(address)}`

const windowStart = (sql: Sql) => sql`(now() - make_interval(mins => ${WINDOW_MINUTES}))`
