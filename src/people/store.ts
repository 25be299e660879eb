import { type AuditContext, recordAudit } from '../accounts/audit'
import { lockAccount } from '../accounts/store'
import type { Db, Fragment, Tx } from '../db/connect'
import { readableDomain, toDomain } from '../domain-name'
import { conflict, DomainError, invalid, notFoundWithoutMode } from '../errors'
import { isId, newId } from '../ids'
import { checkPeopleLimit } from './people-limit'
import type { Invitation, Person, PersonChanges, Role } from './schema'
import { endSessions } from './sessions'
import {
  createLink,
  endInvitations,
  endLinksBy,
  endLinksFor,
  INVITATION_HOURS,
  type SignInLink,
} from './sign-in-links'

/** Users of the dashboard. Each belongs to one account and has one email address. */

const EMAIL_MAX = 254

/** The form of an email address that is stored and compared: its domain in its own letters, not as `xn--...`. */
export const foldEmail = (email: string): string => {
  const folded = email.trim().toLowerCase()
  const domainAt = folded.lastIndexOf('@') + 1
  return folded.slice(0, domainAt) + readableDomain(toDomain(folded.slice(domainAt)))
}

/** The folded email address. @throws {DomainError} VALIDATION_ERROR */
export const checkEmail = (address: string): string => {
  const email = foldEmail(address)
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > EMAIL_MAX)
    throw invalid('email', 'must be an email address, such as ada@example.com')
  return email
}

/** All people of an account, newest first. */
export const listPeople = async (db: Db, accountId: string): Promise<Person[]> =>
  (
    await db<PersonRow[]>`${selectPeople(db)} WHERE p.account_id = ${accountId} ORDER BY p.id DESC`
  ).map(toPerson)

/**
 * Creates an invitation link to the account. The person is created when the link is used, so that an invitation takes
 * no address from other accounts, and theirs does not end it. A person who is already in the account gets a password
 * reset. Earlier links for the address in the account end. Without `role`, the person keeps the role, or that of the
 * pending invitation, or becomes a member.
 * @throws {DomainError} VALIDATION_ERROR for an invalid email address; CONFLICT when the person has another role, is
 * disabled or joined another account, or the account has too many people.
 */
export const invitePerson = async (
  tx: Tx,
  audit: AuditContext,
  { email: address, role: given }: Partial<Invitation>,
): Promise<SignInLink> => {
  const { accountId } = audit
  const email = address === undefined ? undefined : checkEmail(address)
  const known = email === undefined ? undefined : await lockInvited(tx, audit, email)
  if (known !== undefined) {
    if (given !== undefined && given !== known.role) throw otherRole(known)
    return resetPassword(tx, audit, known)
  }
  let invitedAs: Role | undefined
  if (email !== undefined) {
    // Concurrent invitations of the address end each other.
    await lockAccount(tx, accountId)
    invitedAs = await endInvitations(tx, accountId, email)
  }
  const invitation = {
    role: given ?? invitedAs ?? 'member',
    ...(email !== undefined && { email }),
  }
  const link = await createLink(tx, audit, invitation, 'invitation', INVITATION_HOURS)
  await checkPeopleLimit(tx, accountId)
  await recordAudit(tx, audit, 'person.invited', accountId, { ...invitation, link_id: link.id })
  return link
}

type KnownPerson = { id: string; email: string; role: Role }

const otherRole = ({ email, role }: KnownPerson) =>
  conflict(
    `${email} is already ${role === 'owner' ? 'an' : 'a'} ${role} of this account. An invitation does not change the role: an owner does in the settings, and an operator with \`arden users set-role\`.`,
  )

const resetPassword = async (
  tx: Tx,
  audit: AuditContext,
  { id, email, role }: KnownPerson,
): Promise<SignInLink> => {
  await endLinksFor(tx, id)
  const link = await createLink(tx, audit, { personId: id }, 'invitation', INVITATION_HOURS)
  await recordAudit(tx, audit, 'person.invited', id, { email, role, link_id: link.id })
  return link
}

/**
 * The account's person with an address; undefined when no account has one. Locked, so that concurrent invitations end
 * each other's links.
 */
const lockInvited = async (
  tx: Tx,
  { accountId, actor }: Pick<AuditContext, 'accountId'> & Partial<AuditContext>,
  email: string,
): Promise<KnownPerson | undefined> => {
  const [found] = await tx<(KnownPerson & { disabled_at: Date | null })[]>`
    SELECT id, email, role, disabled_at FROM people WHERE email = ${email} AND account_id = ${accountId}
    FOR NO KEY UPDATE`
  if (found === undefined) {
    const [elsewhere] = await tx<{ accountId: string }[]>`
      SELECT account_id AS "accountId" FROM people WHERE email = ${email}`
    if (elsewhere === undefined) return undefined
    if (actor?.type === 'cli')
      throw conflict(
        `${email} is a user of the account ${elsewhere.accountId}, and a user belongs to one account. Use another address.`,
      )
    // Does not say why to an owner: that would disclose a user of another account.
    throw conflict(`${email} cannot be invited. Use another address.`)
  }
  if (found.disabled_at !== null)
    throw conflict(`${email} is disabled. Enable this user instead of inviting them.`)
  return found
}

/**
 * The id of the account's person with this address, who is created without a password when there is none.
 * @throws {DomainError} VALIDATION_ERROR and CONFLICT as `invitePerson`.
 */
export const ensurePerson = async (
  tx: Tx,
  accountId: string,
  address: string,
  role: Role,
): Promise<string> => {
  const createdId = await createPerson(tx, accountId, address, role)
  if (createdId !== undefined) return createdId
  const known = await lockInvited(tx, { accountId }, foldEmail(address))
  if (known === undefined) throw new Error('The user was deleted at the same time.')
  return known.id
}

/**
 * Creates a person without a password and returns the id; undefined when the address is taken.
 * @throws {DomainError} VALIDATION_ERROR for an invalid email address.
 */
export const createPerson = async (
  tx: Tx,
  accountId: string,
  address: string,
  role: Role,
): Promise<string | undefined> => {
  const [created] = await tx<{ id: string }[]>`
    INSERT INTO people (id, account_id, email, role)
    VALUES (${newId('usr')}, ${accountId}, ${checkEmail(address)}, ${role})
    ON CONFLICT (email) DO NOTHING RETURNING id`
  return created?.id
}

/**
 * Changes the role, or disables or enables the person, with effect on the person's next request. Disabling ends the
 * person's sessions and links. The links that an owner created end when that owner is disabled or gets another role.
 * @throws {DomainError} NOT_FOUND; CONFLICT when the account would have no active owner left, unless the operator
 * disables the last one, which stops an account and is undone by enabling.
 */
export const updatePerson = async (
  tx: Tx,
  audit: AuditContext,
  id: string,
  changes: PersonChanges,
): Promise<Person> => {
  // The person before the account, in the order of a change that this person makes.
  const before = await getPerson(tx, audit.accountId, id, tx`FOR NO KEY UPDATE OF p`)
  // So that two concurrent changes cannot remove the last two owners.
  await lockAccount(tx, audit.accountId)
  const { role = before.role, disabled = before.status === 'disabled' } = changes
  const isStop = audit.actor.type === 'cli' && disabled && role === 'owner'
  if (
    before.role === 'owner' &&
    before.status !== 'disabled' &&
    (role !== 'owner' || disabled) &&
    !isStop
  )
    await checkOtherOwner(tx, audit.accountId, id)
  await tx`
    UPDATE people SET role = ${role},
      disabled_at = ${disabled ? tx`coalesce(disabled_at, clock_timestamp())` : null}
    WHERE id = ${id}`
  if (disabled || role !== 'owner')
    await endLinksBy(tx, { accountId: audit.accountId, personId: id })
  const subject = { email: before.email }
  if (role !== before.role)
    await recordAudit(tx, audit, 'person.role_changed', id, {
      ...subject,
      role: { from: before.role, to: role },
    })
  if (disabled && before.status !== 'disabled') {
    await endSessions(tx, id)
    await endLinksFor(tx, id)
    await recordAudit(tx, audit, 'person.disabled', id, subject)
  }
  if (!disabled && before.status === 'disabled')
    await recordAudit(tx, audit, 'person.enabled', id, subject)
  return getPerson(tx, audit.accountId, id)
}

/** @throws {DomainError} NOT_FOUND */
const getPerson = async (
  tx: Tx,
  accountId: string,
  id: string,
  lock: Fragment = tx``,
): Promise<Person> => {
  const [row] = isId('usr', id)
    ? await tx<PersonRow[]>`
        ${selectPeople(tx)} WHERE p.account_id = ${accountId} AND p.id = ${id} ${lock}`
    : []
  if (row === undefined) throw notFoundWithoutMode('person', id)
  return toPerson(row)
}

/**
 * Locks a person for a sign-in or a change of the password, after concurrent changes of that person. False when the
 * password is no longer the one with this hash, or the person was disabled: what was verified before is outdated.
 */
export const lockPerson = async (tx: Tx, id: string, hash: string | null): Promise<boolean> => {
  const { count } = await tx`
    SELECT FROM people
    WHERE id = ${id} AND password IS NOT DISTINCT FROM ${hash} AND disabled_at IS NULL
    FOR NO KEY UPDATE`
  return count === 1
}

/**
 * The role of a person who makes a change, locked until the change is committed; undefined when disabled. Exclusive,
 * because shared locks of many concurrent changes would keep a change of the role waiting.
 */
export const lockRole = async (tx: Tx, id: string): Promise<Role | undefined> => {
  const [person] = await tx<{ role: Role }[]>`
    SELECT role FROM people WHERE id = ${id} AND disabled_at IS NULL FOR NO KEY UPDATE`
  return person?.role
}

/** The id of the person with an email address, for the command line. @throws {DomainError} NOT_FOUND */
export const findPersonByEmail = async (
  db: Db,
  address: string,
): Promise<{ id: string; accountId: string }> => {
  const email = foldEmail(address)
  const [row] = await db<{ id: string; account_id: string }[]>`
    SELECT id, account_id FROM people WHERE email = ${email}`
  if (row === undefined)
    throw new DomainError(
      'NOT_FOUND',
      `No user has the email address ${email}. \`arden users list\` shows those of an account.`,
    )
  return { id: row.id, accountId: row.account_id }
}

/** Whether the account has an owner who is active, other than `except`. */
export const hasOwner = async (db: Db, accountId: string, except = ''): Promise<boolean> => {
  const [owner] = await db`
    SELECT FROM people
    WHERE account_id = ${accountId} AND id <> ${except} AND role = 'owner' AND disabled_at IS NULL
    LIMIT 1`
  return owner !== undefined
}

const checkOtherOwner = async (tx: Tx, accountId: string, id: string): Promise<void> => {
  if (!(await hasOwner(tx, accountId, id)))
    throw conflict(
      'This is the only owner of the account. Make another active user an owner first.',
    )
}

type PersonRow = {
  id: string
  email: string
  role: Role
  status: Person['status']
  last_seen_at: Date | null
  created_at: Date
}

const selectPeople = (db: Db) => db`
  SELECT p.id, p.email, p.role, p.created_at,
    CASE
      WHEN p.disabled_at IS NOT NULL THEN 'disabled'
      WHEN p.password IS NULL AND seen.at IS NULL THEN 'invited'
      ELSE 'active'
    END AS status,
    seen.at AS last_seen_at
  FROM people p CROSS JOIN LATERAL (
    -- Sessions are deleted when they end; the window of the last requests stays.
    SELECT greatest(
      (SELECT max(s.seen_at) FROM sessions s WHERE s.person_id = p.id),
      (SELECT w.began_at FROM person_windows w WHERE w.person_id = p.id)
    ) AS at
  ) seen`

const toPerson = (row: PersonRow): Person => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
