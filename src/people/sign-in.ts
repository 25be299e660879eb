import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Sql, Tx } from '../db/connect'
import { conflict, DomainError, invalid } from '../errors'
import { hashPassword, verifyPassword } from './password'
import { type ClientInfo, createSession, endSessions, type Session } from './sessions'
import { consumeLink, type LinkRecipient } from './sign-in-links'
import { resetSignInAttempts } from './sign-in-throttle'
import { createPerson, foldEmail } from './store'

/** The ways in and out of the dashboard. Each is an entry of the audit history. */

type PersonRow = { id: string; account_id: string; email: string; password: string | null }

/**
 * A session for whoever knows the password; answers the token of its cookie. Count the try first
 * (`countTry`). Nobody learns from the answer or its time whether an address is known.
 * @throws {DomainError} UNAUTHORIZED
 */
export const signIn = async (
  sql: Sql,
  input: { email: string; password: string },
  from: ClientInfo,
): Promise<string> => {
  const email = foldEmail(input.email)
  const [person] = await sql<PersonRow[]>`
    SELECT id, account_id, email, password FROM people
    WHERE email = ${email} AND disabled_at IS NULL`
  const isRight = await verifyPassword(input.password, person?.password ?? null)
  if (person === undefined || !isRight)
    throw new DomainError(
      'UNAUTHORIZED',
      'The email address or the password is wrong. Try again, or ask an owner of the account for a link that sets a new password.',
    )
  await resetSignInAttempts(sql, email, from.address)
  return sql.begin(tx => startSession(tx, person, from, 'password'))
}

/** What someone says who uses a link; the password and the address where the link asks for them. */
export type LinkSignIn = { token: string; email?: string; password?: string }

/**
 * A session for whoever has a one-time link; an invitation also sets the password, and ends the sessions
 * made with the one before. Answers the token of its cookie.
 * @throws {DomainError} NOT_FOUND when the link is used up; VALIDATION_ERROR for what it asks for;
 * CONFLICT for an address that somebody has.
 */
export const signInByLink = async (
  sql: Sql,
  input: LinkSignIn,
  from: ClientInfo,
): Promise<string> => {
  // Hashed before the transaction: it takes long.
  const hash = input.password === undefined ? undefined : await hashPassword(input.password)
  return sql.begin(async tx => {
    const holder = await consumeLink(tx, input.token)
    const person =
      holder.person_id === null
        ? await createInvitedPerson(tx, holder, input.email)
        : { id: holder.person_id, account_id: holder.account_id, email: holder.email }
    if (holder.purpose === 'invitation') {
      if (hash === undefined) throw invalid('password', 'is required: choose one')
      await setPassword(tx, auditContextOfPerson(person, from), person.id, hash)
    }
    return startSession(tx, person, from, 'link')
  })
}

/** Never as somebody who is there already: the link would be a way into their place. */
const createInvitedPerson = async (
  tx: Tx,
  { account_id, role }: Extract<LinkRecipient, { person_id: null }>,
  address: string | undefined,
) => {
  if (address === undefined) throw invalid('email', 'is required: you sign in with it from now on')
  const id = await createPerson(tx, account_id, address, role)
  if (id === undefined)
    throw conflict(`${foldEmail(address)} signs in already. Use another address, or sign in.`)
  return { id, account_id, email: foldEmail(address) }
}

/**
 * Sets a new password for someone who knows the old one, and ends their other sessions. Count the try
 * first. @throws {DomainError} VALIDATION_ERROR for a wrong or a bad password.
 */
export const changePassword = async (
  sql: Sql,
  session: Session,
  input: { current: string; password: string },
  from: ClientInfo,
): Promise<void> => {
  const [row] = await sql<{ password: string | null }[]>`
    SELECT password FROM people WHERE id = ${session.personId}`
  // Who came by the link of `dev` has none yet.
  const hasOne = row?.password !== null
  if (hasOne && !(await verifyPassword(input.current, row?.password ?? null)))
    throw invalid('current', 'is not your password')
  const hash = await hashPassword(input.password)
  await sql.begin(tx =>
    setPassword(tx, auditContextOfSession(session, from), session.personId, hash, session.id),
  )
}

const setPassword = async (tx: Tx, by: AuditContext, id: string, hash: string, except?: string) => {
  await tx`UPDATE people SET password = ${hash} WHERE id = ${id}`
  await endSessions(tx, id, except)
  await recordAudit(tx, by, 'person.password_changed', id)
}

const startSession = async (
  tx: Tx,
  person: Omit<PersonRow, 'password'>,
  from: ClientInfo,
  way: 'password' | 'link',
): Promise<string> => {
  const token = await createSession(tx, person.id, from)
  await recordAudit(tx, auditContextOfPerson(person, from), 'person.signed_in', person.id, {
    with: way,
  })
  return token
}

/** Someone who is signed in, for the audit history. */
export const auditContextOfSession = (session: Session, from: ClientInfo): AuditContext =>
  auditContextOfPerson(
    { id: session.personId, account_id: session.accountId, email: session.email },
    from,
  )

const auditContextOfPerson = (
  { id, account_id, email }: Omit<PersonRow, 'password'>,
  { address }: ClientInfo,
): AuditContext => ({
  accountId: account_id,
  actor: { type: 'user', id, name: email },
  address,
})
