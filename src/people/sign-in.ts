import { type By, recordAudit } from '../accounts/audit'
import type { Sql, Tx } from '../db/connect'
import { conflict, DomainError, invalid } from '../errors'
import { hashPassword, isPassword } from './password'
import { beginSession, endSessions, type From, type Session } from './sessions'
import { type LinkHolder, useLink } from './sign-in-links'
import { forgetTries } from './sign-in-tries'
import { createPerson, foldEmail } from './store'

/** The ways in and out of the dashboard. Each is an entry of the audit history. */

type Found = { id: string; account_id: string; email: string; password: string | null }

/**
 * A session for whoever knows the password; answers the token of its cookie. Count the try first
 * (`countTry`). Nobody learns from the answer or its time whether an address is known.
 * @throws {DomainError} UNAUTHORIZED
 */
export const signIn = async (
  sql: Sql,
  input: { email: string; password: string },
  from: From,
): Promise<string> => {
  const email = foldEmail(input.email)
  const [person] = await sql<Found[]>`
    SELECT id, account_id, email, password FROM people
    WHERE email = ${email} AND disabled_at IS NULL`
  const isRight = await isPassword(input.password, person?.password ?? null)
  if (person === undefined || !isRight)
    throw new DomainError(
      'UNAUTHORIZED',
      'The email address or the password is wrong. Try again, or ask an owner of the account for a link that sets a new password.',
    )
  await forgetTries(sql, email, from.address)
  return sql.begin(tx => enter(tx, person, from, 'password'))
}

/** What someone says who uses a link; the password and the address where the link asks for them. */
export type LinkUse = { token: string; email?: string; password?: string }

/**
 * A session for whoever has a one-time link; an invitation also sets the password, and ends the sessions
 * made with the one before. Answers the token of its cookie.
 * @throws {DomainError} NOT_FOUND when the link is used up; VALIDATION_ERROR for what it asks for;
 * CONFLICT for an address that somebody has.
 */
export const signInByLink = async (sql: Sql, input: LinkUse, from: From): Promise<string> => {
  // Hashed before the transaction: it takes long.
  const hash = input.password === undefined ? undefined : await hashPassword(input.password)
  return sql.begin(async tx => {
    const holder = await useLink(tx, input.token)
    const person =
      holder.person_id === null
        ? await join(tx, holder, input.email)
        : { id: holder.person_id, account_id: holder.account_id, email: holder.email }
    if (holder.purpose === 'invitation') {
      if (hash === undefined) throw invalid('password', 'is required: choose one')
      await setPassword(tx, by(person, from), person.id, hash)
    }
    return enter(tx, person, from, 'link')
  })
}

/** Never as somebody who is there already: the link would be a way into their place. */
const join = async (
  tx: Tx,
  { account_id, role }: Extract<LinkHolder, { person_id: null }>,
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
  from: From,
): Promise<void> => {
  const [row] = await sql<{ password: string | null }[]>`
    SELECT password FROM people WHERE id = ${session.personId}`
  // Who came by the link of `dev` has none yet.
  const hasOne = row?.password !== null
  if (hasOne && !(await isPassword(input.current, row?.password ?? null)))
    throw invalid('current', 'is not your password')
  const hash = await hashPassword(input.password)
  await sql.begin(tx =>
    setPassword(tx, byPerson(session, from), session.personId, hash, session.id),
  )
}

const setPassword = async (tx: Tx, by: By, id: string, hash: string, except?: string) => {
  await tx`UPDATE people SET password = ${hash} WHERE id = ${id}`
  await endSessions(tx, id, except)
  await recordAudit(tx, by, 'person.password_changed', id)
}

const enter = async (
  tx: Tx,
  person: Omit<Found, 'password'>,
  from: From,
  way: 'password' | 'link',
): Promise<string> => {
  const token = await beginSession(tx, person.id, from)
  await recordAudit(tx, by(person, from), 'person.signed_in', person.id, { with: way })
  return token
}

/** Someone who is signed in, for the audit history. */
export const byPerson = (session: Session, from: From): By =>
  by({ id: session.personId, account_id: session.accountId, email: session.email }, from)

const by = ({ id, account_id, email }: Omit<Found, 'password'>, { address }: From): By => ({
  accountId: account_id,
  actor: { type: 'user', id, name: email },
  address,
})
