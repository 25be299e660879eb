import type { Db, Sql, Tx } from '../db/connect'
import { notFound } from '../errors'
import { isId, newId } from '../ids'
import type { Role, SessionRecord } from './schema'
import { hashToken, newToken } from './token'

/** Sessions of the dashboard. They are in PostgreSQL, so the end of a session applies to the next request everywhere. */

/** A session expires after this many days without a request, and this many days after the sign-in. */
const IDLE_DAYS = 7
export const SESSION_DAYS = 30

/** A session with the person's current role: a change of role applies to the next request. */
export type Session = {
  id: string
  personId: string
  email: string
  role: Role
  accountId: string
}

export type ClientInfo = { address: string; userAgent: string | null }

/** Creates a session and returns the token for its cookie. Also deletes expired sessions. */
export const createSession = async (
  tx: Tx,
  personId: string,
  client: ClientInfo,
): Promise<string> => {
  const token = newToken()
  await tx`DELETE FROM sessions s WHERE NOT ${isActive(tx)}`
  await tx`
    INSERT INTO sessions ${tx({
      id: newId('ses'),
      person_id: personId,
      hash: hashToken(token),
      address: client.address,
      user_agent: client.userAgent,
    })}`
  return token
}

/** The session of a cookie's token; undefined when it has expired or its person is disabled. */
export const findSession = async (sql: Sql, token: string): Promise<Session | undefined> => {
  // `seen_at` is written at most once a minute.
  const [found] = await sql<Session[]>`
    WITH found AS (
      SELECT s.id, s.seen_at, p.id AS "personId", p.email, p.role, p.account_id AS "accountId"
      FROM sessions s JOIN people p ON p.id = s.person_id
      WHERE s.hash = ${hashToken(token)} AND p.disabled_at IS NULL AND ${isActive(sql)}
    ),
    seen AS (
      UPDATE sessions s SET seen_at = clock_timestamp() FROM found
      WHERE s.id = found.id AND found.seen_at < clock_timestamp() - interval '1 minute'
    )
    SELECT id, "personId", email, role, "accountId" FROM found`
  return found
}

/** The active sessions of the person, newest first. */
export const listSessions = async (db: Db, { personId, id }: Session): Promise<SessionRecord[]> => {
  const rows = await db<(Omit<SessionRecord, 'seen_at' | 'created_at'> & SessionTimes)[]>`
    SELECT s.id, s.address, s.user_agent, s.id = ${id} AS current, s.seen_at, s.created_at
    FROM sessions s WHERE s.person_id = ${personId} AND ${isActive(db)} ORDER BY s.id DESC`
  return rows.map(row => ({
    ...row,
    seen_at: row.seen_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }))
}

/** Ends one session of a person. @throws {DomainError} NOT_FOUND */
export const endSession = async (tx: Tx, personId: string, id: string): Promise<void> => {
  const { count } = isId('ses', id)
    ? await tx`DELETE FROM sessions WHERE person_id = ${personId} AND id = ${id}`
    : { count: 0 }
  if (count === 0) throw notFound('session', id)
}

/** Ends all sessions of a person except the one with the id `except`. */
export const endSessions = async (tx: Tx, personId: string, except?: string): Promise<void> => {
  await tx`
    DELETE FROM sessions
    WHERE person_id = ${personId} ${except === undefined ? tx`` : tx`AND id <> ${except}`}`
}

type SessionTimes = { seen_at: Date; created_at: Date }

const isActive = (db: Db) => db`(
  s.seen_at > clock_timestamp() - make_interval(days => ${IDLE_DAYS})
  AND s.created_at > clock_timestamp() - make_interval(days => ${SESSION_DAYS}))`
