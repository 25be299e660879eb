import { createHash } from 'node:crypto'
import type { Db, Sql, Tx } from '../db/connect'
import { DomainError, type ErrorCode, TooManyRequests } from '../errors'
import { networkOf, siteOf } from '../http/request/client-address'
import type { Log } from '../log'
import { createBlockedNetworks } from './blocked-networks'
import { hasSessionFrom } from './sessions'

/** How many attempts of each kind a window permits (contract 3.15). */
const MAX = {
  /** Failed ones for one email address from one network. */
  pair: 10,
  /** Failed ones for one email address from all networks where the person has no session. */
  email: 100,
  /** Failed ones from one network. */
  from: 50,
  /** Failed ones from the IPv6 /48 of a network. */
  site: 200,
  /** Wrong current passwords of a signed-in person. */
  check: 10,
  /** Sign-ins and password changes of one person. Each adds an entry to the audit history. */
  person: 50,
  /** Requests for a link that resets the password of one email address. */
  reset: 5,
  /** The same from one network, and from the IPv6 /48 of a network. */
  resets: 30,
  resetsOfSite: 120,
  /** Challenges for passkeys that are created for one network, and for its /48. */
  challenges: 300,
  challengesOfSite: 1_200,
  /** Sign-ins with a provider that are begun from one network, and from its /48. */
  oidc: 300,
  oidcOfSite: 1_200,
  /** Emails with invitations of one account to one email address: no account limits another one. */
  invite: 5,
  /** The same to all addresses. */
  invites: 100,
  /** Sign-ins of command lines that one person approves. */
  approval: 20,
  /** Calls of waiting command lines from one network, and from its /48: each calls 200 times in its 10 minutes. */
  claim: 1_000,
  claimsOfSite: 4_000,
}
export type LimitKind = keyof typeof MAX
const WINDOW_MINUTES = 15
/** Expired rows that each attempt deletes: more than it inserts, so the table stays small. */
const DELETED_PER_ATTEMPT = 5

/**
 * An attempt to sign in with a password or a link, or to confirm the current password. A link is used without an
 * email address, so only its network counts. A signed-in person is not limited by what strangers try.
 */
type SignInAttempt = { email?: string; address: string } | { personId: string }

/** Runs `work` as an attempt. */
export type LimitAttempts = <T>(attempt: SignInAttempt, work: () => Promise<T>) => Promise<T>

/**
 * Returns a function that counts an attempt, then runs it. Counted before any password is hashed: then concurrent
 * attempts in all processes never exceed the limits. One that succeeds no longer counts. Known and unknown email
 * addresses count alike. While this process knows that a network is blocked, its attempts cost no query, and are not
 * logged. Others that are refused are, with the address of the client, for programs that block addresses.
 * The function throws {DomainError} TOO_MANY_REQUESTS.
 */
export const createLimitAttempts = (sql: Sql, log: Log): LimitAttempts => {
  const blocked = createBlockedNetworks()
  const limitAttempts: LimitAttempts = async (attempt, work) => {
    const network = 'address' in attempt ? networkOf(attempt.address) : ''
    const exceeded = await countAttempt(sql, attempt)
    const blockedNetwork = exceeded.find(({ kind }) => kind === 'from')
    if (blockedNetwork !== undefined) blocked.block(network, blockedNetwork.seconds)
    if (exceeded.length > 0)
      throw tooManyAttempts(attempt, Math.max(...exceeded.map(({ seconds }) => seconds)))
    const result = await work()
    await resetAttempt(sql, attempt)
    blocked.unblock(network)
    return result
  }
  return async (attempt, work) => {
    if (!('address' in attempt)) return limitAttempts(attempt, work)
    const { address } = attempt
    const knownSeconds = blocked.secondsLeft(networkOf(address))
    if (knownSeconds > 0) throw tooManyAttempts(attempt, knownSeconds)
    try {
      return await limitAttempts(attempt, work)
    } catch (error) {
      // No message: it can have what was typed, and people type their password into the field for the address.
      if (error instanceof DomainError && REFUSALS.has(error.code))
        log.warn({ address, code: error.code }, 'Sign-in refused')
      throw error
    }
  }
}

/**
 * Counts a sign-in or a password change that succeeds, in its transaction.
 * @throws {DomainError} TOO_MANY_REQUESTS
 */
export const countSignIn = async (tx: Tx, personId: string): Promise<void> => {
  const [exceeded] = await countTries(tx, [`person:${personId}`])
  if (exceeded !== undefined)
    throw new TooManyRequests(
      `This user signed in or changed the password ${MAX.person} times within ${WINDOW_MINUTES} minutes. Try again in ${minutes(exceeded.seconds)}.`,
      exceeded.seconds,
    )
}

/** What a request for a link that resets the password of an address counts against, beside its network. */
export const triesForReset = (email: string): string => `reset:${hashOf(email)}`

/** Counts an email with an invitation. @throws {DomainError} TOO_MANY_REQUESTS */
export const countInvitationMail = async (
  tx: Tx,
  { email, accountId }: { email: string; accountId: string },
): Promise<void> => {
  const [exceeded] = await countTries(tx, [
    `invite:${accountId}:${hashOf(email)}`,
    `invites:${accountId}`,
  ])
  if (exceeded !== undefined) throw tooManyMails(exceeded.seconds)
}

export const tooManyMails = (seconds: number) =>
  new TooManyRequests(
    `Too many emails were sent. Look for those that have arrived, or try again in ${minutes(seconds)}.`,
    seconds,
  )

/** Counts the approval of a command line by a person (contract 3.23). @throws {DomainError} TOO_MANY_REQUESTS */
export const countApproval = async (tx: Tx, personId: string): Promise<void> => {
  const [exceeded] = await countTries(tx, [`approval:${personId}`])
  if (exceeded !== undefined)
    throw new TooManyRequests(
      `Too many sign-ins of command lines. Try again in ${minutes(exceeded.seconds)}.`,
      exceeded.seconds,
    )
}

/** Not a password that is too short, an address that is taken, or a process that has no room. */
const REFUSALS = new Set<ErrorCode>(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_REQUESTS'])

type ExceededLimit = { kind: LimitKind; seconds: number }

/** The limits that the attempt exceeds, each with the seconds to wait. */
const countAttempt = async (sql: Sql, attempt: SignInAttempt): Promise<ExceededLimit[]> => {
  const exceeded = await countTries(sql, subjectsOf(attempt))
  // Many networks can guess for one address, and strangers can have networks of the same site. The person keeps the
  // networks that they have a session from.
  const isKnown =
    exceeded.length > 0 &&
    exceeded.every(({ kind }) => kind === 'email' || kind === 'site') &&
    'email' in attempt &&
    attempt.email !== undefined &&
    (await hasSessionFrom(sql, attempt.email, networkOf(attempt.address)))
  return isKnown ? [] : exceeded
}

/** Counts a try of each subject, `kind:...`, and returns the limits that they exceed now. */
export const countTries = async (db: Db, subjects: string[]): Promise<ExceededLimit[]> => {
  const rows = await db<{ subject: string; count: number; seconds: number }[]>`
    WITH old AS (
      DELETE FROM sign_in_tries WHERE subject IN (
        SELECT subject FROM sign_in_tries WHERE since < ${windowStart(db)}
          AND subject <> ALL (${subjects})
        ORDER BY since LIMIT ${DELETED_PER_ATTEMPT} FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO sign_in_tries AS attempts (subject, count, since)
    SELECT subject, 1, clock_timestamp() FROM unnest(${subjects}::text[]) AS subject
    ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET
      count = CASE WHEN attempts.since < ${windowStart(db)} THEN 1 ELSE attempts.count + 1 END,
      since = CASE WHEN attempts.since < ${windowStart(db)} THEN excluded.since ELSE attempts.since END
    RETURNING subject, count,
      greatest(1, ceil(extract(epoch FROM since - ${windowStart(db)})))::int AS seconds`
  return rows.flatMap(({ subject, count, seconds }) => {
    const kind = subject.slice(0, subject.indexOf(':')) as LimitKind
    return count > MAX[kind] ? [{ kind, seconds }] : []
  })
}

/**
 * After a success: clears the failed attempts of the person there, and subtracts the attempt from the others. Locks in
 * the order in which `countTries` does.
 */
const resetAttempt = async (sql: Sql, attempt: SignInAttempt): Promise<void> => {
  await sql`
    WITH locked AS (
      SELECT subject FROM sign_in_tries WHERE subject = ANY (${subjectsOf(attempt)})
      ORDER BY subject FOR UPDATE
    )
    UPDATE sign_in_tries t
    SET count = CASE WHEN split_part(t.subject, ':', 1) IN ('pair', 'check') THEN 0
      ELSE greatest(t.count - 1, 0) END
    FROM locked WHERE t.subject = locked.subject`
}

const subjectsOf = (attempt: SignInAttempt): string[] => {
  if ('personId' in attempt) return [`check:${attempt.personId}`]
  const network = networkOf(attempt.address)
  const site = siteOf(attempt.address)
  const origins = [`from:${network}`, ...(site === undefined ? [] : [`site:${site}`])]
  if (attempt.email === undefined) return origins
  const email = hashOf(attempt.email)
  return [`pair:${email}:${network}`, `email:${email}`, ...origins]
}

/** Hashed, because users sometimes type their password into the field for the address. */
const hashOf = (email: string): string => createHash('sha256').update(email).digest('hex')

const tooManyAttempts = (attempt: SignInAttempt, seconds: number) => {
  // A new link would not help a client whose network is refused.
  const alternative =
    'email' in attempt && attempt.email !== undefined
      ? ', or ask an owner of the account for a sign-in link'
      : ''
  const what = 'personId' in attempt ? 'wrong passwords' : 'attempts to sign in'
  return new TooManyRequests(
    `Too many ${what}. Try again in ${minutes(seconds)}${alternative}.`,
    seconds,
  )
}

export const minutes = (seconds: number): string => {
  const count = Math.ceil(seconds / 60)
  return `${count} ${count === 1 ? 'minute' : 'minutes'}`
}

const windowStart = (db: Db) => db`(now() - make_interval(mins => ${WINDOW_MINUTES}))`
