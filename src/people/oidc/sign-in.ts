import { recordAudit } from '../../accounts/audit'
import type { Sql, Tx } from '../../db/connect'
import { conflict, DomainError } from '../../errors'
import type { ClientInfo } from '../sessions'
import { auditContextOfPerson, type PersonRef, startSession, transactionOf } from '../sign-in'
import { consumeLink, endInvitations, findInvitations, type LinkRecipient } from '../sign-in-links'
import { checkEmail, createPerson } from '../store'
import type { Identity } from './provider'

/**
 * Signs in the person of an identity, and returns the token of the session cookie (contract 3.21): the person it was
 * linked to before, else the one with its verified address, else one who is invited with that address. `invitation` is
 * the token of the invitation that the person has opened.
 * @throws {DomainError} FORBIDDEN when there is none, or it may not sign in; CONFLICT; TOO_MANY_REQUESTS.
 */
export const signInByIdentity = (
  sql: Sql,
  { invitation, ...given }: Identity & { invitation?: string | undefined },
  client: ClientInfo,
): Promise<string> => {
  const identity = { ...given, email: checkEmail(given.email) }
  return transactionOf(sql, `${identity.issuer} ${identity.subject}`, async tx => {
    const person =
      (await findLinked(tx, identity)) ??
      (await linkByEmail(tx, identity, client)) ??
      (await createInvited(tx, identity, client, invitation))
    return startSession(tx, person, client, 'oidc')
  })
}

type PersonRow = PersonRef & { disabled_at: Date | null }

const findLinked = async (tx: Tx, { issuer, subject }: Identity) => {
  const [person] = await tx<PersonRow[]>`
    SELECT p.id, p.account_id, p.email, p.disabled_at
    FROM person_identities i JOIN people p ON p.id = i.person_id
    WHERE i.issuer = ${issuer} AND i.subject = ${subject} FOR NO KEY UPDATE OF p`
  return checkEnabled(person)
}

const linkByEmail = async (tx: Tx, identity: Identity, client: ClientInfo) => {
  const [found] = await tx<PersonRow[]>`
    SELECT id, account_id, email, disabled_at FROM people WHERE email = ${identity.email} FOR NO KEY UPDATE`
  const person = checkEnabled(found)
  if (person === undefined) return undefined
  const [linked] = await tx<{ subject: string }[]>`
    SELECT subject FROM person_identities WHERE person_id = ${person.id} AND issuer = ${identity.issuer}`
  // A concurrent sign-in has linked it.
  if (linked?.subject === identity.subject) return person
  // Providers can give an address to someone else. That person must not become this one.
  if (linked !== undefined)
    throw new DomainError(
      'FORBIDDEN',
      `${person.email} signs in with another user of the provider. Sign in with that one, or ask an owner of the account.`,
    )
  await link(tx, identity, person, client)
  return person
}

const checkEnabled = (person: PersonRow | undefined): PersonRef | undefined => {
  if (person !== undefined && person.disabled_at !== null)
    throw new DomainError('FORBIDDEN', `${person.email} is disabled. Ask an owner of the account.`)
  return person
}

const createInvited = async (
  tx: Tx,
  identity: Identity,
  client: ClientInfo,
  token: string | undefined,
): Promise<PersonRef> => {
  const { account_id, role } =
    token === undefined
      ? await findOnlyInvitation(tx, identity.email)
      : checkRecipient(await consumeLink(tx, token), identity.email)
  const id = await createPerson(tx, account_id, identity.email, role)
  if (id === undefined) throw conflict('This user was created at the same time. Sign in again.')
  await endInvitations(tx, account_id, identity.email)
  const person = { id, account_id, email: identity.email }
  await link(tx, identity, person, client)
  return person
}

const findOnlyInvitation = async (tx: Tx, email: string) => {
  const [invitation, other] = await findInvitations(tx, email)
  if (invitation === undefined) throw notInvited(email)
  if (other !== undefined)
    throw conflict(
      `Several accounts have invited ${email}. Open the link of the invitation that you want to accept.`,
    )
  return invitation
}

/** An invitation for an address is for that one only. */
const checkRecipient = (recipient: LinkRecipient, email: string) => {
  const isOther = recipient.email !== null && recipient.email !== email
  if (recipient.person_id !== null || isOther) throw notInvited(email)
  return recipient
}

const notInvited = (email: string) =>
  new DomainError(
    'FORBIDDEN',
    `${email} is no user here and is not invited. Ask an owner of the account for an invitation.`,
  )

const link = async (
  tx: Tx,
  { issuer, subject }: Identity,
  person: PersonRef,
  client: ClientInfo,
): Promise<void> => {
  await tx`
    INSERT INTO person_identities (issuer, subject, person_id) VALUES (${issuer}, ${subject}, ${person.id})`
  await recordAudit(tx, auditContextOfPerson(person, client), 'person.identity_linked', person.id, {
    issuer,
  })
}
