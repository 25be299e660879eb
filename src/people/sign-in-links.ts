import type { AuditContext } from '../accounts/audit'
import type { Db, Tx } from '../db/connect'
import { DomainError } from '../errors'
import { newId } from '../ids'
import type { LinkPurpose, Role } from './schema'
import { hashToken, newToken } from './token'

/** One-time sign-in links: invitations, password resets, and the link that `dev` prints at each start. */

export const INVITATION_HOURS = 24
export const DEV_LINK_HOURS = 1

export type SignInLink = { id: string; token: string; expires_at: string }

/** A link signs in a known person, or creates a person with a role for the user who opens it. */
export type LinkTarget = { personId: string; role?: never } | { role: Role; personId?: never }

/** The stored target of a link. Without a person, the link creates one with `role`. */
export type LinkRecipient = {
  account_id: string
  account_name: string
  purpose: LinkPurpose
} & (
  | { person_id: string; email: string; role: null }
  | { person_id: null; email: null; role: Role }
)

/**
 * Creates a link. Its token is stored as a hash only, so no later call returns it.
 * @throws {DomainError} FORBIDDEN when a user creates it who is no longer an owner.
 */
export const createLink = async (
  tx: Tx,
  { accountId, actor }: Pick<AuditContext, 'accountId' | 'actor'>,
  { personId, role }: LinkTarget,
  purpose: LinkPurpose,
  hours: number,
): Promise<SignInLink> => {
  if (actor.type === 'user') await lockOwner(tx, actor.id)
  const token = newToken()
  const id = newId('lnk')
  const [{ expires_at }] = await tx<[{ expires_at: Date }]>`
    INSERT INTO sign_in_links (id, hash, account_id, creator_type, creator_id, creator_name, person_id, role,
      purpose, expires_at)
    VALUES (${id}, ${hashToken(token)}, ${accountId}, ${actor.type}, ${actor.id}, ${actor.name},
      ${personId ?? null}, ${role ?? null}, ${purpose},
      clock_timestamp() + make_interval(hours => ${hours}))
    RETURNING expires_at`
  return { id, token, expires_at: expires_at.toISOString() }
}

/** Locks the owner until the link is committed, so that a concurrent change of that person sees and ends the link. */
const lockOwner = async (tx: Tx, personId: string): Promise<void> => {
  const [owner] = await tx`
    SELECT 1 FROM people WHERE id = ${personId} AND role = 'owner' AND disabled_at IS NULL FOR SHARE`
  if (owner === undefined)
    throw new DomainError('FORBIDDEN', 'Only owners can create sign-in links. Ask an owner.')
}

/** The URL of a link. The token is in the fragment, which browsers do not send to the server. */
export const linkUrl = (base: string, { token }: SignInLink): string =>
  `${base.replace(/\/$/, '')}/dashboard/sign-in/link#${token}`

/**
 * The target of a link, which remains valid: link scanners of mail programs must not consume it.
 * @throws {DomainError} NOT_FOUND, the same for an unknown, a used and an expired link.
 */
export const findLink = async (db: Db, token: string): Promise<LinkRecipient> => {
  const [found] = await db<LinkRecipient[]>`
    SELECT p.id AS person_id, p.email, l.role, l.account_id, a.name AS account_name, l.purpose
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

/** Ends the links for a person, and deletes all expired links. */
export const endLinksFor = async (tx: Tx, personId: string): Promise<void> => {
  await tx`
    DELETE FROM sign_in_links WHERE person_id = ${personId} OR expires_at < clock_timestamp()`
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
    'This link was already used or has expired. Ask for a new one: an owner creates it in the settings, an operator with `arden users invite`.',
  )
