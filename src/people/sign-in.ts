import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Sql, Tx } from '../db/connect'
import { conflict, DomainError, invalid } from '../errors'
import { hashPassword, verifyPassword } from './password'
import { type ClientInfo, createSession, endSessions, type Session } from './sessions'
import { consumeLink, endLinksFor, findLink, type LinkRecipient } from './sign-in-links'
import { resetSignInAttempts } from './sign-in-throttle'
import { createPerson, foldEmail } from './store'

/** Sign-in to the dashboard. Each sign-in writes an audit entry. */

type PersonRow = { id: string; account_id: string; email: string; password: string | null }

/**
 * Signs in with a password and returns the token of the session cookie. Call `countSignInAttempt` first. Neither the
 * error nor the response time reveals whether the email address is known.
 * @throws {DomainError} UNAUTHORIZED
 */
export const signIn = async (
  sql: Sql,
  input: { email: string; password: string },
  client: ClientInfo,
): Promise<string> => {
  const email = foldEmail(input.email)
  const [person] = await sql<PersonRow[]>`
    SELECT id, account_id, email, password FROM people
    WHERE email = ${email} AND disabled_at IS NULL`
  const isMatch = await verifyPassword(input.password, person?.password ?? null)
  if (person === undefined || !isMatch)
    throw new DomainError(
      'UNAUTHORIZED',
      'The email address or the password is wrong. Try again, or ask an owner of the account for a link that sets a new password.',
    )
  await resetSignInAttempts(sql, { email, address: client.address })
  return sql.begin(tx => startSession(tx, person, client, 'password'))
}

/** The token of a link, and the email address and the password where the link requires them. */
export type LinkSignIn = { token: string; email?: string; password?: string }

/**
 * Signs in with a one-time link and returns the token of the session cookie. Call `countSignInAttempt` first. An invitation also sets the password,
 * which ends the person's other sessions.
 * @throws {DomainError} NOT_FOUND when the link is used or expired; VALIDATION_ERROR for a missing password or email
 * address; CONFLICT when a person with the email address exists.
 */
export const signInByLink = async (
  sql: Sql,
  input: LinkSignIn,
  client: ClientInfo,
): Promise<string> => {
  // Looked up first, so that only a valid link makes this process hash. Hashed before the transaction: it takes 40 ms.
  const { purpose } = await findLink(sql, input.token)
  const hash = purpose === 'invitation' ? await hashChosenPassword(input.password) : undefined
  return sql.begin(async tx => {
    const recipient = await consumeLink(tx, input.token)
    const person =
      recipient.person_id === null
        ? await createInvitedPerson(tx, recipient, input.email)
        : { id: recipient.person_id, account_id: recipient.account_id, email: recipient.email }
    if (hash !== undefined)
      await setPassword(tx, auditContextOfPerson(person, client), person.id, hash)
    return startSession(tx, person, client, 'link')
  })
}

const hashChosenPassword = (password: string | undefined): Promise<string> => {
  if (password === undefined) throw invalid('password', 'is required: choose a password')
  return hashPassword(password)
}

/** Never signs in as an existing person: a link without a person would take over that person's access. */
const createInvitedPerson = async (
  tx: Tx,
  { account_id, role }: Extract<LinkRecipient, { person_id: null }>,
  address: string | undefined,
) => {
  if (address === undefined) throw invalid('email', 'is required: you sign in with it from now on')
  const id = await createPerson(tx, account_id, address, role)
  if (id === undefined)
    throw conflict(
      `A person with the address ${foldEmail(address)} exists. Use another address, or sign in.`,
    )
  return { id, account_id, email: foldEmail(address) }
}

/**
 * Sets a new password for a signed-in person and ends the person's other sessions and links. Call `countSignInAttempt` first.
 * @throws {DomainError} VALIDATION_ERROR for a wrong current password, or a new one that is too short or too long.
 */
export const changePassword = async (
  sql: Sql,
  session: Session,
  input: { current: string; password: string },
  client: ClientInfo,
): Promise<void> => {
  const [row] = await sql<{ password: string | null }[]>`
    SELECT password FROM people WHERE id = ${session.personId}`
  // A person who signed in with the link of `dev` has no password yet.
  const hasPassword = row?.password !== null
  if (hasPassword && !(await verifyPassword(input.current, row?.password ?? null)))
    throw invalid('current', 'is not your password')
  const hash = await hashPassword(input.password)
  await sql.begin(tx =>
    setPassword(tx, auditContextOfSession(session, client), session.personId, hash, session.id),
  )
}

const setPassword = async (
  tx: Tx,
  audit: AuditContext,
  id: string,
  hash: string,
  except?: string,
) => {
  await tx`UPDATE people SET password = ${hash} WHERE id = ${id}`
  await endSessions(tx, id, except)
  await endLinksFor(tx, id)
  await recordAudit(tx, audit, 'person.password_changed', id)
}

const startSession = async (
  tx: Tx,
  person: Omit<PersonRow, 'password'>,
  client: ClientInfo,
  method: 'password' | 'link',
): Promise<string> => {
  const token = await createSession(tx, person.id, client)
  await recordAudit(tx, auditContextOfPerson(person, client), 'person.signed_in', person.id, {
    with: method,
  })
  return token
}

/** The audit context of a signed-in person. */
export const auditContextOfSession = (session: Session, client: ClientInfo): AuditContext =>
  auditContextOfPerson(
    { id: session.personId, account_id: session.accountId, email: session.email },
    client,
  )

const auditContextOfPerson = (
  { id, account_id, email }: Omit<PersonRow, 'password'>,
  { address }: ClientInfo,
): AuditContext => ({
  accountId: account_id,
  actor: { type: 'user', id, name: email },
  address,
})
