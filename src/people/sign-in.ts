import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Sql, Tx } from '../db/connect'
import { limitConcurrencyPerKey } from '../db/limit-concurrency'
import { conflict, DomainError, invalid } from '../errors'
import { hashPassword, verifyPassword } from './password'
import { isRecent, signInAgain } from './recent-sign-in'
import type { SignInMethod } from './schema'
import { type ClientInfo, createSession, endSessions, type Session } from './sessions'
import { consumeLink, endLinksFor, findLink, type LinkRecipient } from './sign-in-links'
import { countSignIn } from './sign-in-throttle'
import { checkEmail, createPerson, foldEmail, lockPerson } from './store'

/** Sign-in to the dashboard (contract 3.15). Each sign-in writes an audit entry. */

/**
 * Transactions of one person in each process. All lock the row of the person, which a change of that person has locked
 * until it is committed: ten that waited for it took all connections.
 */
const limit = limitConcurrencyPerKey(1)
export const transactionOf = <T>(sql: Sql, key: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  limit(key, () => sql.begin(tx => work(tx as Tx)) as Promise<T>)

/** A new session: the token of its cookie, and its account. */
export type SignedIn = { token: string; accountId: string }

/** A person who signs in. */
export type PersonRef = { id: string; account_id: string; email: string }
type PersonRow = PersonRef & { password: string | null; disabled_at: Date | null }

/**
 * Signs in with a password. Call it as a limited attempt (sign-in-throttle.ts). Neither the error nor the response
 * time reveals whether the email address is known; only the right password reveals that its user is disabled.
 * @throws {DomainError} UNAUTHORIZED; FORBIDDEN as `checkEnabled`; TOO_MANY_REQUESTS as `countSignIn`.
 */
export const signIn = async (
  sql: Sql,
  input: { email: string; password: string },
  client: ClientInfo,
): Promise<SignedIn> => {
  const [person] = await sql<PersonRow[]>`
    SELECT id, account_id, email, password, disabled_at FROM people
    WHERE email = ${foldEmail(input.email)}`
  const isMatch = await verifyPassword(input.password, person?.password ?? null)
  if (person === undefined || !isMatch) throw wrongCredentials()
  checkEnabled(person)
  return transactionOf(sql, person.id, async tx => {
    // The password may have changed while it was verified.
    if (!(await lockPerson(tx, person.id, person.password))) throw wrongCredentials()
    return startSession(tx, person, client, 'password')
  })
}

/** For a person who has proved who they are. @throws {DomainError} FORBIDDEN for a disabled one. */
export const checkEnabled = (person: { email: string; disabled_at: Date | null }): void => {
  if (person.disabled_at !== null)
    throw new DomainError('FORBIDDEN', `${person.email} is disabled. Ask an owner of the account.`)
}

const wrongCredentials = () =>
  new DomainError(
    'UNAUTHORIZED',
    'The email address or the password is wrong. Try again, or get a link that sets a new password.',
  )

/** The token of a link, and the email address and the password where the link requires them. */
type LinkSignIn = { token: string; email?: string; password?: string }

/**
 * Signs in with a one-time link. Call it as a limited attempt (sign-in-throttle.ts). An invitation and a reset also
 * set the password, which ends the person's other sessions.
 * @throws {DomainError} NOT_FOUND when the link is used or expired; VALIDATION_ERROR for a missing or invalid password
 * or email address; CONFLICT when a person with the email address exists, only for a valid link; TOO_MANY_REQUESTS as
 * `countSignIn`.
 */
export const signInByLink = async (
  sql: Sql,
  input: LinkSignIn,
  client: ClientInfo,
): Promise<SignedIn> => {
  // Looked up first, so that only a valid link makes this process hash. Hashed before the transaction: it takes 40 ms.
  const { person_id, email, purpose } = await findLink(sql, input.token)
  if (person_id === null) checkNewEmail(input.email ?? email)
  const hash = purpose === 'dev' ? undefined : await hashChosenPassword(input.password)
  return transactionOf(sql, person_id ?? input.token, async tx => {
    const recipient = await consumeLink(tx, input.token)
    const person =
      recipient.person_id === null
        ? await createInvitedPerson(tx, recipient, input.email)
        : { id: recipient.person_id, account_id: recipient.account_id, email: recipient.email }
    if (hash !== undefined) await setPassword(tx, person.id, hash)
    if (recipient.person_id === null) await recordJoin(tx, person, recipient, client)
    else if (hash !== undefined)
      await recordPasswordChange(tx, auditContextOfPerson(person, client), person.id)
    return startSession(tx, person, client, 'link')
  })
}

const checkNewEmail = (address: string | null): void => {
  if (address === null) throw invalid('email', 'is required: you sign in with it from now on')
  checkEmail(address)
}

const hashChosenPassword = (password: string | undefined): Promise<string> => {
  if (password === undefined) throw invalid('password', 'is required: choose a password')
  return hashPassword(password)
}

/**
 * Creates the person with the invited address, or with `entered` where none was invited or a person has it by now, also
 * of another account. Never signs in as an existing person: a link would take over that person's access.
 */
const createInvitedPerson = async (
  tx: Tx,
  { account_id, role, email: invited }: Extract<LinkRecipient, { person_id: null }>,
  entered: string | undefined,
) => {
  const addresses = [invited, entered].flatMap(address => address ?? []).map(checkEmail)
  for (const email of addresses) {
    const id = await createPerson(tx, account_id, email, role)
    if (id !== undefined) return { id, account_id, email }
  }
  throw conflict(
    `A user with the email address ${addresses.at(-1)} already exists. Enter another address, or sign in.`,
  )
}

/**
 * Sets a new password for a signed-in person and ends the person's other sessions and links. Call it as a limited
 * attempt (sign-in-throttle.ts).
 * @throws {DomainError} VALIDATION_ERROR for a wrong current password, or a new one that is too short or too long;
 * CONFLICT for a first password long after the sign-in;
 * TOO_MANY_REQUESTS as `countSignIn`.
 */
export const changePassword = async (
  sql: Sql,
  session: Session,
  input: { current: string; password: string },
  client: ClientInfo,
): Promise<void> => {
  const [row] = await sql<{ password: string | null }[]>`
    SELECT password FROM people WHERE id = ${session.personId}`
  const before = row?.password ?? null
  // A person who signs in with a provider, or has signed in with the link of `dev`, has no password yet.
  if (before === null) {
    if (!(await isRecent(sql, session.id))) throw signInAgain(session.email, 'choose a password')
  } else if (!(await verifyPassword(input.current, before))) throw wrongCurrentPassword()
  const hash = await hashPassword(input.password)
  await transactionOf(sql, session.personId, async tx => {
    if (!(await lockPerson(tx, session.personId, before))) throw wrongCurrentPassword()
    await countSignIn(tx, session.personId)
    await setPassword(tx, session.personId, hash, session.id)
    await recordPasswordChange(tx, auditContextOfSession(session, client), session.personId)
  })
}

const wrongCurrentPassword = () => invalid('current', 'is not your password')

const setPassword = async (tx: Tx, id: string, hash: string, except?: string) => {
  await tx`UPDATE people SET password = ${hash} WHERE id = ${id}`
  await endSessions(tx, id, except)
  await endLinksFor(tx, id)
}

const recordPasswordChange = (tx: Tx, audit: AuditContext, id: string): Promise<void> =>
  recordAudit(tx, audit, 'person.password_changed', id)

/** Records that a person was created, by the link of an invitation. */
export const recordJoin = (
  tx: Tx,
  person: PersonRef,
  { id: link_id, role }: Pick<LinkRecipient, 'id' | 'role'>,
  client: ClientInfo,
): Promise<void> =>
  recordAudit(tx, auditContextOfPerson(person, client), 'person.joined', person.id, {
    role,
    link_id,
  })

/** Creates a session in the transaction that has locked its person. @throws {DomainError} as `countSignIn` */
export const startSession = async (
  tx: Tx,
  person: PersonRef,
  client: ClientInfo,
  method: SignInMethod,
): Promise<SignedIn> => {
  await countSignIn(tx, person.id)
  const token = await createSession(tx, person.id, client, method)
  await recordAudit(tx, auditContextOfPerson(person, client), 'person.signed_in', person.id, {
    with: method,
  })
  return { token, accountId: person.account_id }
}

/** The audit context of a signed-in person. */
export const auditContextOfSession = (session: Session, client: ClientInfo): AuditContext =>
  auditContextOfPerson(
    { id: session.personId, account_id: session.accountId, email: session.email },
    client,
  )

export const auditContextOfPerson = (
  { id, account_id, email }: PersonRef,
  { address }: ClientInfo,
): AuditContext => ({
  accountId: account_id,
  actor: { type: 'user', id, name: email },
  address,
})
