import { type AuditContext, recordAudit } from '../accounts/audit'
import { lockAccount } from '../accounts/store'
import type { Db, Tx } from '../db/connect'
import { conflict, invalid, notFound } from '../errors'
import { isId, newId } from '../ids'
import type { Invitation, Person, PersonChanges, Role } from './schema'
import { endSessions } from './sessions'
import { createLink, deleteLinks, INVITATION_HOURS, type SignInLink } from './sign-in-links'

/** People who sign in to the dashboard. Each belongs to one account, under one email address. */

const EMAIL_MAX = 254

/** One spelling of an email address, as it is stored and compared. */
export const foldEmail = (email: string): string => email.trim().toLowerCase()

/** All people of an account, newest first. */
export const listPeople = async (db: Db, accountId: string): Promise<Person[]> =>
  (
    await db<PersonRow[]>`${selectPeople(db)} WHERE p.account_id = ${accountId} ORDER BY p.id DESC`
  ).map(toPerson)

/**
 * Makes a link by which someone joins the account and chooses a password. For one who is in it already
 * it sets a new password, the role stays as it is, and links that were made before end. Without an email
 * address it lets in whoever has it.
 * @throws {DomainError} VALIDATION_ERROR for what is no email address; CONFLICT when the person is in
 * another account, or disabled.
 */
export const invitePerson = async (
  tx: Tx,
  by: AuditContext,
  { email, role }: Invitation,
): Promise<SignInLink> => {
  const { accountId } = by
  if (email === undefined) {
    await recordAudit(tx, by, 'person.invited', accountId, { role })
    return createLink(tx, { accountId, role }, 'invitation', INVITATION_HOURS)
  }
  const personId = await ensurePerson(tx, accountId, email, role)
  await deleteLinks(tx, personId)
  const person = await getPerson(tx, accountId, personId)
  await recordAudit(tx, by, 'person.invited', personId, { email: person.email, role: person.role })
  return createLink(tx, { accountId, personId }, 'invitation', INVITATION_HOURS)
}

/**
 * The id of the person with this address in the account, who is made if need be, without a password.
 * @throws {DomainError} VALIDATION_ERROR, CONFLICT as `invite`.
 */
export const ensurePerson = async (
  tx: Tx,
  accountId: string,
  address: string,
  role: Role,
): Promise<string> => {
  const made = await createPerson(tx, accountId, address, role)
  if (made !== undefined) return made
  const email = foldEmail(address)
  const [found] = await tx<[{ id: string; account_id: string; disabled_at: Date | null }]>`
    SELECT id, account_id, disabled_at FROM people WHERE email = ${email}`
  if (found.account_id !== accountId)
    throw conflict(`${email} signs in to another account. Use another address.`)
  if (found.disabled_at !== null)
    throw conflict(`${email} is disabled. Enable this person instead of inviting them.`)
  return found.id
}

/**
 * Someone new, without a password yet; undefined when the address is taken.
 * @throws {DomainError} VALIDATION_ERROR for what is no email address.
 */
export const createPerson = async (
  tx: Tx,
  accountId: string,
  address: string,
  role: Role,
): Promise<string | undefined> => {
  const email = foldEmail(address)
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > EMAIL_MAX)
    throw invalid('email', 'must be an email address, such as ada@example.com')
  const [made] = await tx<{ id: string }[]>`
    INSERT INTO people (id, account_id, email, role)
    VALUES (${newId('usr')}, ${accountId}, ${email}, ${role})
    ON CONFLICT (email) DO NOTHING RETURNING id`
  return made?.id
}

/**
 * Changes what someone may do. It holds for their very next request; disabling also ends their sessions.
 * @throws {DomainError} NOT_FOUND; CONFLICT when the account would have no owner left.
 */
export const updatePerson = async (
  tx: Tx,
  by: AuditContext,
  id: string,
  changes: PersonChanges,
): Promise<Person> => {
  // Two owners who take the role from each other: the second sees what the first did.
  await lockAccount(tx, by.accountId)
  const before = await getPerson(tx, by.accountId, id)
  const { role = before.role, disabled = before.status === 'disabled' } = changes
  if (before.role === 'owner' && before.status !== 'disabled' && (role !== 'owner' || disabled))
    await checkOtherOwner(tx, by.accountId, id)
  await tx`
    UPDATE people SET role = ${role},
      disabled_at = ${disabled ? tx`coalesce(disabled_at, clock_timestamp())` : null}
    WHERE id = ${id}`
  const about = { email: before.email }
  if (role !== before.role)
    await recordAudit(tx, by, 'person.role_changed', id, {
      ...about,
      role: { from: before.role, to: role },
    })
  if (disabled && before.status !== 'disabled') {
    await endSessions(tx, id)
    await deleteLinks(tx, id)
    await recordAudit(tx, by, 'person.disabled', id, about)
  }
  if (!disabled && before.status === 'disabled')
    await recordAudit(tx, by, 'person.enabled', id, about)
  return getPerson(tx, by.accountId, id)
}

/** @throws {DomainError} NOT_FOUND */
export const getPerson = async (db: Db, accountId: string, id: string): Promise<Person> => {
  const [row] = isId('usr', id)
    ? await db<PersonRow[]>`${selectPeople(db)} WHERE p.account_id = ${accountId} AND p.id = ${id}`
    : []
  if (row === undefined) throw notFound('person', id)
  return toPerson(row)
}

/** The id of the person with an email address, for the command line. @throws {DomainError} NOT_FOUND */
export const findPersonByEmail = async (
  db: Db,
  address: string,
): Promise<{ id: string; accountId: string }> => {
  const email = foldEmail(address)
  const [row] = await db<{ id: string; account_id: string }[]>`
    SELECT id, account_id FROM people WHERE email = ${email}`
  if (row === undefined) throw notFound('person', email)
  return { id: row.id, accountId: row.account_id }
}

const checkOtherOwner = async (tx: Tx, accountId: string, id: string): Promise<void> => {
  const [other] = await tx`
    SELECT 1 FROM people
    WHERE account_id = ${accountId} AND id <> ${id} AND role = 'owner' AND disabled_at IS NULL
    LIMIT 1`
  if (other === undefined)
    throw conflict('This is the only owner of the account. Make someone else an owner first.')
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
      WHEN p.password IS NULL THEN 'invited'
      ELSE 'active'
    END AS status,
    (SELECT max(s.seen_at) FROM sessions s WHERE s.person_id = p.id) AS last_seen_at
  FROM people p`

const toPerson = (row: PersonRow): Person => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
