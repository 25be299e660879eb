import { createHash } from 'node:crypto'
import type { Sql } from '../db/connect'

/** How many passwords may be tried in a window, for one email address and from one network address. */
const PER_EMAIL = 10
const PER_ADDRESS = 50
const WINDOW_MINUTES = 15
/** Removed with each try, so that the old ones go faster than new ones come. */
const REMOVED_AT_ONCE = 5

/**
 * Counts a try before its password is checked, so that many at once, in however many processes, are never
 * more than the limit. Answers the seconds until another may be made; 0 when this one may. Whether
 * anybody has the email address makes no difference.
 */
export const countSignInAttempt = async (
  sql: Sql,
  email: string,
  address: string,
): Promise<number> => {
  const rows = await sql<{ subject: string; count: number; left: number }[]>`
    WITH old AS (
      DELETE FROM sign_in_tries WHERE subject IN (
        SELECT subject FROM sign_in_tries WHERE since < ${windowBegin(sql)}
          AND subject <> ALL (${subjects(email, address)})
        ORDER BY since LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO sign_in_tries AS tries (subject, count, since)
    SELECT subject, 1, clock_timestamp() FROM unnest(${subjects(email, address)}::text[]) AS subject
    ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET
      count = CASE WHEN tries.since < ${windowBegin(sql)} THEN 1 ELSE tries.count + 1 END,
      since = CASE WHEN tries.since < ${windowBegin(sql)} THEN excluded.since ELSE tries.since END
    RETURNING subject, count,
      ceil(extract(epoch FROM since - ${windowBegin(sql)}))::int AS left`
  const over = rows.filter(
    ({ subject, count }) => count > (subject.startsWith('email:') ? PER_EMAIL : PER_ADDRESS),
  )
  return Math.max(0, ...over.map(({ left }) => Math.max(1, left)))
}

/** After the right password: the tries before it are forgotten, and this one was none. */
export const resetSignInAttempts = async (
  sql: Sql,
  email: string,
  address: string,
): Promise<void> => {
  const [byEmail, byAddress] = subjects(email, address)
  await sql`
    WITH forgotten AS (DELETE FROM sign_in_tries WHERE subject = ${byEmail})
    UPDATE sign_in_tries SET count = count - 1 WHERE subject = ${byAddress}`
}

/** Hashed: what is typed into the field for an email address is sometimes a password. */
const subjects = (email: string, address: string): [string, string] => [
  `email:${createHash('sha256').update(email).digest('hex')}`,
  `from:${address}`,
]

const windowBegin = (sql: Sql) => sql`(now() - make_interval(mins => ${WINDOW_MINUTES}))`
