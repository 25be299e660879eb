import type { Db, Sql, Tx } from '../db/connect'
import { notFoundWithoutMode } from '../errors'
import type { Allowance } from '../http/request/admission'
import { networkOf } from '../http/request/client-address'
import { isId, lowestIdAt, newId } from '../ids'
import type { RequiredSignIn, Role, SessionRecord, SignInMethod } from './schema'
import { hashToken, newToken } from './token'

/** Sessions of the dashboard. They are in PostgreSQL, so the end of a session applies to the next request everywhere. */

/** A session expires after this many days without a request, and this many days after the sign-in. */
const IDLE_DAYS = 7
export const SESSION_DAYS = 30
/** Sessions of one person; one more ends the oldest (contract 3.15). */
const SESSIONS_MAX = 50
/** Expired sessions of all people that each sign-in deletes: more than it creates, so the table stays small. */
const DELETED_PER_SIGN_IN = 100
const DAY_MS = 86_400_000

/** Window of the rate limit of a person, in seconds (contract 3.18). */
export const REQUEST_WINDOW_S = 60
/**
 * Requests of a person in a window. While records change all the time, a page that is open refreshes up to 5 lists 2.5
 * times a second: 750 requests. This is enough for four such pages.
 */
const REQUESTS_MAX = 3_000

/** A session with the person's current role: a change of role applies to the next request. */
export type Session = {
  id: string
  personId: string
  email: string
  role: Role
  accountId: string
  hasPassword: boolean
  method: SignInMethod
  /** What the account requires and this session did not begin with: it may only do that. */
  neededSignIn: RequiredSignIn | null
}

export type ClientInfo = { address: string; userAgent: string | null }

/**
 * Creates a session and returns the token for its cookie. Ends the person's oldest session beyond `SESSIONS_MAX`: lock
 * the person before, so that concurrent sign-ins do not exceed it.
 */
export const createSession = async (
  tx: Tx,
  personId: string,
  client: ClientInfo,
  method: SignInMethod,
): Promise<string> => {
  const token = newToken()
  await tx`
    INSERT INTO sessions ${tx({
      id: newId('ses'),
      person_id: personId,
      hash: hashToken(token),
      method,
      address: client.address,
      user_agent: client.userAgent,
    })}`
  await deleteSurplusSessions(tx, personId)
  await deleteExpiredSessions(tx)
  return token
}

/** Deletes the expired sessions of a person, and the oldest beyond `SESSIONS_MAX`. */
const deleteSurplusSessions = async (tx: Tx, personId: string): Promise<void> => {
  await tx`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM (
        SELECT s.id, ${isActive(tx)} AS is_active,
          count(*) FILTER (WHERE ${isActive(tx)}) OVER (ORDER BY s.created_at DESC, s.id DESC) AS place
        FROM sessions s WHERE s.person_id = ${personId}
      ) own
      WHERE NOT is_active OR place > ${SESSIONS_MAX}
    )`
}

/** Deletes expired sessions of all people, oldest first. The primary key finds them: ids begin with the time. */
const deleteExpiredSessions = async (tx: Tx): Promise<void> => {
  const end = lowestIdAt('ses', new Date(Date.now() - SESSION_DAYS * DAY_MS))
  await tx`
    DELETE FROM sessions WHERE id IN (
      SELECT s.id FROM sessions s WHERE s.id < ${end} AND NOT ${isActive(tx)}
      ORDER BY s.id LIMIT ${DELETED_PER_SIGN_IN} FOR UPDATE SKIP LOCKED
    )`
}

/** The session of a cookie's token; undefined when it has expired or its person is disabled. */
export const findSession = async (sql: Sql, token: string): Promise<Session | undefined> => {
  const [found] = await sql<Session[]>`
    WITH ${foundSession(sql, token)} SELECT ${sessionColumns(sql)} FROM found`
  return found
}

type SessionAdmission = { session: Session; allowance: Allowance; isAccepted: boolean }

/** The same for a request, which counts against the rate limit of the person (contract 3.18). */
export const admitSession = async (
  sql: Sql,
  token: string,
): Promise<SessionAdmission | undefined> => {
  const [row] = await sql<(Session & { accepted: boolean; free: number; free_in: number })[]>`
    WITH ${foundSession(sql, token)}
    SELECT ${sessionColumns(sql)}, accepted, free, free_in
    FROM found, count_person_request("personId", ${REQUESTS_MAX}, make_interval(secs => ${REQUEST_WINDOW_S}))`
  if (row === undefined) return undefined
  const { accepted, free, free_in, ...session } = row
  const allowance = { limit: REQUESTS_MAX, left: free, resetSeconds: free_in }
  return { session, allowance, isAccepted: accepted }
}

const sessionColumns = (sql: Sql) =>
  sql`id, "personId", email, role, "accountId", "hasPassword", method, "neededSignIn"`

/** `found`, the session of a token. Also writes `seen_at`, at most once a minute. */
const foundSession = (sql: Sql, token: string) => sql`
  found AS (
    SELECT s.id, s.seen_at, p.id AS "personId", p.email, p.role, p.account_id AS "accountId",
      p.password IS NOT NULL AS "hasPassword", s.method,
      nullif(a.required_sign_in, s.method) AS "neededSignIn"
    FROM sessions s JOIN people p ON p.id = s.person_id JOIN accounts a ON a.id = p.account_id
    WHERE s.hash = ${hashToken(token)} AND p.disabled_at IS NULL AND ${isActive(sql)}
  ),
  seen AS (
    UPDATE sessions s SET seen_at = clock_timestamp() FROM found
    WHERE s.id = found.id AND found.seen_at < clock_timestamp() - interval '1 minute'
  )`

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

/** Whether the person with this email address has a session that was created from the network. */
export const hasSessionFrom = async (db: Db, email: string, network: string): Promise<boolean> => {
  const rows = await db<{ address: string }[]>`
    SELECT s.address FROM sessions s JOIN people p ON p.id = s.person_id
    WHERE p.email = ${email} AND ${isActive(db)}`
  return rows.some(({ address }) => networkOf(address) === network)
}

/** Ends one session of a person, and returns where and when it began. @throws {DomainError} NOT_FOUND */
export const endSession = async (
  tx: Tx,
  personId: string,
  id: string,
): Promise<{ address: string; created_at: Date }> => {
  const [ended] = isId('ses', id)
    ? await tx<{ address: string; created_at: Date }[]>`
        DELETE FROM sessions WHERE person_id = ${personId} AND id = ${id} RETURNING address, created_at`
    : []
  if (ended === undefined) throw notFoundWithoutMode('session', id)
  return ended
}

/**
 * Ends all sessions of a person except the one with the id `except`, and the sign-ins of command lines that they have
 * approved and that wait for their keys (contract 3.23).
 */
export const endSessions = async (tx: Tx, personId: string, except?: string): Promise<void> => {
  await tx`
    DELETE FROM sessions
    WHERE person_id = ${personId} ${except === undefined ? tx`` : tx`AND id <> ${except}`}`
  await tx`
    UPDATE cli_sign_ins SET expires_at = clock_timestamp()
    WHERE person_id = ${personId} AND expires_at > clock_timestamp()`
}

type SessionTimes = { seen_at: Date; created_at: Date }

const isActive = (db: Db) => db`(
  s.seen_at > clock_timestamp() - make_interval(days => ${IDLE_DAYS})
  AND s.created_at > clock_timestamp() - make_interval(days => ${SESSION_DAYS}))`
