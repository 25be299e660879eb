import type { AuditContext } from '../accounts/audit'
import type { Db, Tx } from '../db/connect'
import { DomainError } from '../errors'
import { lowestIdAt, newId } from '../ids'
import type { LinkPurpose, RequiredSignIn, Role } from './schema'
import { hashToken, newToken } from './token'

/**
 * One-time sign-in links (contract 3.14): invitations, resets of a password, and the link that `dev` prints at each start.
 */

export const INVITATION_HOURS = 24
export const RESET_HOURS = 1
export const DEV_LINK_HOURS = 1
const HOUR_MS = 3_600_000
/** Expired links that are deleted at a time: more than are created, so the table stays small. */
const DELETED_PER_CALL = 100

export type SignInLink = { id: string; token: string; expires_at: string }

/** A link signs in a known person, or creates a person with a role, and with `email` unless that is entered on use. */
type LinkTarget =
  | { personId: string; role?: never; email?: never }
  | { role: Role; email?: string; personId?: never }

/**
 * The stored target of a link. Without a person, the link creates one with `role`; `email` is then the address that was
 * invited.
 */
export type LinkRecipient = {
  /** The id of the link. */
  id: string
  account_id: string
  account_name: string
  required_sign_in: RequiredSignIn | null
  purpose: LinkPurpose
} & (
  | { person_id: string; email: string; role: null }
  | { person_id: null; email: string | null; role: Role }
)

/** Creates a link. Its token is stored as a hash only, so no later call returns it. */
export const createLink = async (
  tx: Tx,
  { accountId, actor }: Pick<AuditContext, 'accountId' | 'actor'>,
  { personId, role, email }: LinkTarget,
  purpose: LinkPurpose,
  hours: number,
): Promise<SignInLink> => {
  const token = newToken()
  const id = newId('lnk')
  const [{ expires_at }] = await tx<[{ expires_at: Date }]>`
    INSERT INTO sign_in_links (id, hash, account_id, creator_type, creator_id, creator_name, person_id, role,
      email, purpose, expires_at)
    VALUES (${id}, ${hashToken(token)}, ${accountId}, ${actor.type}, ${actor.id}, ${actor.name},
      ${personId ?? null}, ${role ?? null}, ${email ?? null}, ${purpose},
      clock_timestamp() + make_interval(hours => ${hours}))
    RETURNING expires_at`
  return { id, token, expires_at: expires_at.toISOString() }
}

/**
 * Gives a link another token and returns it; undefined when it was used, has ended or has expired. For an email that is
 * sent again: a link that an earlier try has sent works no longer.
 */
export const renewLink = async (tx: Tx, id: string): Promise<SignInLink | undefined> => {
  const token = newToken()
  const [renewed] = await tx<{ expires_at: Date }[]>`
    UPDATE sign_in_links SET hash = ${hashToken(token)}, email_error = NULL
    WHERE id = ${id} AND expires_at > clock_timestamp()
    RETURNING expires_at`
  return renewed && { id, token, expires_at: renewed.expires_at.toISOString() }
}

/** Stores why the email with a link was not sent, for the owners. Returns the account; undefined when the link has ended. */
export const recordEmailError = async (
  db: Db,
  id: string,
  error: string,
): Promise<string | undefined> => {
  const [link] = await db<{ account_id: string }[]>`
    UPDATE sign_in_links SET email_error = ${error} WHERE id = ${id} RETURNING account_id`
  return link?.account_id
}

/** The URL of a link. The token is in the fragment, which browsers do not send to the server. */
export const linkUrl = (base: string, { token }: Pick<SignInLink, 'token'>): string =>
  `${base.replace(/\/$/, '')}/dashboard/sign-in/link#${token}`

/**
 * The target of a link, which remains valid: link scanners of mail programs must not consume it.
 * @throws {DomainError} NOT_FOUND, the same for an unknown, a used and an expired link.
 */
export const findLink = async (db: Db, token: string): Promise<LinkRecipient> => {
  const [found] = await db<LinkRecipient[]>`
    SELECT l.id, p.id AS person_id, coalesce(p.email, l.email) AS email, l.role, l.account_id, a.name AS account_name,
      a.required_sign_in, l.purpose
    FROM sign_in_links l JOIN accounts a ON a.id = l.account_id LEFT JOIN people p ON p.id = l.person_id
    WHERE l.hash = ${hashToken(token)} AND l.expires_at > clock_timestamp()
      AND p.disabled_at IS NULL`
  if (found === undefined) throw linkExpired()
  return found
}

/**
 * Consumes a link in the transaction of the sign-in. Of concurrent calls one succeeds.
 * @throws {DomainError} NOT_FOUND as `findLink`.
 */
export const consumeLink = async (tx: Tx, token: string): Promise<LinkRecipient> => {
  const recipient = await findLink(tx, token)
  // In the order in which a change of a person locks: the person, then the links.
  if (recipient.person_id !== null)
    await tx`SELECT FROM people WHERE id = ${recipient.person_id} FOR NO KEY UPDATE`
  const { count } = await tx`DELETE FROM sign_in_links WHERE hash = ${hashToken(token)}`
  if (count === 0) throw linkExpired()
  return recipient
}

/** Whether an account has invited an address. */
export const isInvited = async (tx: Tx, email: string): Promise<boolean> => {
  const [invitation] = await tx`
    SELECT FROM sign_in_links
    WHERE email = ${email} AND person_id IS NULL AND expires_at > clock_timestamp() LIMIT 1`
  return invitation !== undefined
}

/** Ends the links for a person, and deletes the oldest expired links of all people. */
export const endLinksFor = async (tx: Tx, personId: string): Promise<void> => {
  await tx`DELETE FROM sign_in_links WHERE person_id = ${personId}`
  await deleteExpiredLinks(tx)
}

/** Ends the links that a person requested for a new password. Returns whether one of them was still valid. */
export const endResets = async (tx: Tx, personId: string): Promise<boolean> => {
  const ended = await tx<{ valid: boolean }[]>`
    DELETE FROM sign_in_links WHERE person_id = ${personId} AND purpose = 'reset'
    RETURNING expires_at > clock_timestamp() AS valid`
  await deleteExpiredLinks(tx)
  return ended.some(({ valid }) => valid)
}

/** Ends the invitations of an account for an address. Returns the role of one that was still valid. */
export const endInvitations = async (
  tx: Tx,
  accountId: string,
  email: string,
): Promise<Role | undefined> => {
  const ended = await tx<{ role: Role; valid: boolean }[]>`
    DELETE FROM sign_in_links WHERE account_id = ${accountId} AND email = ${email}
    RETURNING role, expires_at > clock_timestamp() AS valid`
  await deleteExpiredLinks(tx)
  return ended.find(({ valid }) => valid)?.role
}

const deleteExpiredLinks = async (tx: Tx): Promise<void> => {
  // The primary key finds them, because ids begin with the time.
  const end = lowestIdAt('lnk', new Date(Date.now() - INVITATION_HOURS * HOUR_MS))
  await tx`
    DELETE FROM sign_in_links WHERE id IN (
      SELECT id FROM sign_in_links WHERE id < ${end} AND expires_at < clock_timestamp()
      ORDER BY id LIMIT ${DELETED_PER_CALL} FOR UPDATE SKIP LOCKED
    )`
}

/** Ends the links that a person created. */
export const endLinksBy = async (
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> => {
  await tx`
    DELETE FROM sign_in_links
    WHERE account_id = ${accountId} AND creator_type = 'user' AND creator_id = ${personId}`
}

const linkExpired = () =>
  new DomainError(
    'NOT_FOUND',
    'This link was already used, has expired, was revoked or was replaced by a newer one. Open the newest one that you got, or ask for another: an owner creates it in the settings, an operator with `arden users invite`.',
  )
