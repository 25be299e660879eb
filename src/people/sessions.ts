import { t } from 'elysia'
import type { Db, Sql, Tx } from '../db/connect'
import { notFound } from '../errors'
import { Id, Nullable, Timestamp, type TypeOf } from '../http/schema'
import { isId, newId } from '../ids'
import type { Role } from './schema'
import { hashToken, newToken } from './token'

/** Who is signed in, kept in Postgres: any process knows it, and an end holds for the next request. */

/** Days without a request, and days since signing in, after which a session is over. */
const IDLE_DAYS = 7
export const SESSION_DAYS = 30

/** A session as its own person sees it. */
export const SessionRecord = t.Object({
  id: Id('ses'),
  address: t.String({ examples: ['203.0.113.7'] }),
  user_agent: Nullable(t.String()),
  current: t.Boolean(),
  seen_at: Timestamp,
  created_at: Timestamp,
})
export type SessionRecord = TypeOf<typeof SessionRecord>

/** Someone who is signed in, as they are now: a change of role holds for the next request. */
export type Session = {
  id: string
  personId: string
  email: string
  role: Role
  accountId: string
}

export type ClientInfo = { address: string; userAgent: string | null }

/** A new session; answers the token for its cookie. Sessions that are over are removed on the way. */
export const createSession = async (
  tx: Tx,
  personId: string,
  from: ClientInfo,
): Promise<string> => {
  const token = newToken()
  await tx`DELETE FROM sessions s WHERE NOT ${isOpen(tx)}`
  await tx`
    INSERT INTO sessions ${tx({
      id: newId('ses'),
      person_id: personId,
      hash: hashToken(token),
      address: from.address,
      user_agent: from.userAgent,
    })}`
  return token
}

/** The session of a cookie's token; undefined when it is over or its person is disabled. */
export const findSession = async (sql: Sql, token: string): Promise<Session | undefined> => {
  // `seen_at` is written once a minute, not with each request.
  const [found] = await sql<Session[]>`
    WITH found AS (
      SELECT s.id, s.seen_at, p.id AS "personId", p.email, p.role, p.account_id AS "accountId"
      FROM sessions s JOIN people p ON p.id = s.person_id
      WHERE s.hash = ${hashToken(token)} AND p.disabled_at IS NULL AND ${isOpen(sql)}
    ),
    seen AS (
      UPDATE sessions s SET seen_at = clock_timestamp() FROM found
      WHERE s.id = found.id AND found.seen_at < clock_timestamp() - interval '1 minute'
    )
    SELECT id, "personId", email, role, "accountId" FROM found`
  return found
}

/** The open sessions of a person, newest first. */
export const listSessions = async (db: Db, { personId, id }: Session): Promise<SessionRecord[]> => {
  const rows = await db<(Omit<SessionRecord, 'seen_at' | 'created_at'> & Times)[]>`
    SELECT s.id, s.address, s.user_agent, s.id = ${id} AS current, s.seen_at, s.created_at
    FROM sessions s WHERE s.person_id = ${personId} AND ${isOpen(db)} ORDER BY s.id DESC`
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

/** Ends all sessions of a person, but for `except`. */
export const endSessions = async (tx: Tx, personId: string, except?: string): Promise<void> => {
  await tx`
    DELETE FROM sessions
    WHERE person_id = ${personId} ${except === undefined ? tx`` : tx`AND id <> ${except}`}`
}

type Times = { seen_at: Date; created_at: Date }

const isOpen = (db: Db) => db`(
  s.seen_at > clock_timestamp() - make_interval(days => ${IDLE_DAYS})
  AND s.created_at > clock_timestamp() - make_interval(days => ${SESSION_DAYS}))`
