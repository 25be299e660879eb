import type { Db, Tx } from '../db/connect'
import { DomainError } from '../errors'
import type { Role } from './schema'
import { hashToken, newToken } from './token'

/** Links that let someone in once: invitations, new passwords, and the one that `dev` prints. */

/** An invitation is read within a day; `dev` prints a new link at each start. */
export const INVITATION_HOURS = 24
export const DEV_LINK_HOURS = 1

export type SignInLink = { token: string; expires_at: string }

/** Whom a link lets in: someone who is known, or whoever has it, in a role. */
export type LinkTarget = { accountId: string } & (
  | { personId: string; role?: never }
  | { role: Role; personId?: never }
)

/** An invitation asks for a password, that of `dev` does not. */
export type LinkPurpose = 'invitation' | 'dev'

/** Whom a link lets in, as it is found. Without a person, `role` is theirs to be. */
export type LinkRecipient = {
  account_id: string
  account_name: string
  purpose: LinkPurpose
} & (
  | { person_id: string; email: string; role: null }
  | { person_id: null; email: null; role: Role }
)

/** A new link; its token is in no later answer. */
export const createLink = async (
  tx: Tx,
  { accountId, personId, role }: LinkTarget,
  purpose: LinkPurpose,
  hours: number,
): Promise<SignInLink> => {
  const token = newToken()
  const [{ expires_at }] = await tx<[{ expires_at: Date }]>`
    INSERT INTO sign_in_links (hash, account_id, person_id, role, purpose, expires_at)
    VALUES (${hashToken(token)}, ${accountId}, ${personId ?? null}, ${role ?? null}, ${purpose},
      clock_timestamp() + make_interval(hours => ${hours}))
    RETURNING expires_at`
  return { token, expires_at: expires_at.toISOString() }
}

/** The page that a link opens. The token stands behind the #, which a browser sends to no server. */
export const linkUrl = (base: string, { token }: SignInLink): string =>
  `${base.replace(/\/$/, '')}/dashboard/sign-in/link#${token}`

/**
 * Who a link is for, without using it up: programs that look at links in mails must not end them.
 * @throws {DomainError} NOT_FOUND when it is unknown, was used, or is too old: the three look alike.
 */
export const findLink = async (db: Db, token: string): Promise<LinkRecipient> => {
  const [found] = await db<LinkRecipient[]>`
    SELECT p.id AS person_id, p.email, l.role, l.account_id, a.name AS account_name, l.purpose
    FROM sign_in_links l JOIN accounts a ON a.id = l.account_id LEFT JOIN people p ON p.id = l.person_id
    WHERE l.hash = ${hashToken(token)} AND l.expires_at > clock_timestamp()
      AND p.disabled_at IS NULL`
  if (found === undefined) throw usedUp()
  return found
}

/**
 * Uses a link up, in the transaction of what it lets someone do: of two at once, one finds it.
 * @throws {DomainError} NOT_FOUND as `findLink`.
 */
export const consumeLink = async (tx: Tx, token: string): Promise<LinkRecipient> => {
  const holder = await findLink(tx, token)
  const { count } = await tx`DELETE FROM sign_in_links WHERE hash = ${hashToken(token)}`
  if (count === 0) throw usedUp()
  return holder
}

/** Ends all links of someone, and those of everyone that are too old. */
export const deleteLinks = async (tx: Tx, personId: string): Promise<void> => {
  await tx`
    DELETE FROM sign_in_links WHERE person_id = ${personId} OR expires_at < clock_timestamp()`
}

const usedUp = () =>
  new DomainError(
    'NOT_FOUND',
    'This link was used already, or is too old. Ask for a new one: an owner makes it in the settings, an operator with `arden users invite`.',
  )
