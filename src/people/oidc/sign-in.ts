import { recordAudit } from '../../accounts/audit'
import type { Sql, Tx } from '../../db/connect'
import { conflict, DomainError } from '../../errors'
import type { ClientInfo } from '../sessions'
import {
  auditContextOfPerson,
  checkEnabled,
  type PersonRef,
  recordJoin,
  type SignedIn,
  startSession,
  transactionOf,
} from '../sign-in'
import {
  consumeLink,
  endInvitations,
  findLink,
  isInvited,
  type LinkRecipient,
} from '../sign-in-links'
import { checkEmail, createPerson } from '../store'
import type { Identity } from './provider'

/**
 * Signs in the person of an identity (contract 3.21): the person it was linked to before, else the one with its
 * verified address, else one who joins by `invitation`, the token of the invitation that the person has opened.
 * @throws {DomainError} FORBIDDEN when there is none, or it may not sign in; CONFLICT for an invitation of another
 * account; NOT_FOUND for one that has ended; TOO_MANY_REQUESTS.
 */
export const signInByIdentity = (
  sql: Sql,
  { invitation, ...given }: Identity & { invitation?: string | undefined },
  client: ClientInfo,
): Promise<SignedIn> => {
  const identity = { ...given, email: checkEmail(given.email) }
  return transactionOf(sql, `${identity.issuer} ${identity.subject}`, async tx => {
    const known = (await findLinked(tx, identity)) ?? (await linkByEmail(tx, identity, client))
    if (known !== undefined && invitation !== undefined)
      await checkSameAccount(tx, known, invitation)
    const person = known ?? (await createInvited(tx, identity, client, invitation))
    return startSession(tx, person, client, 'oidc')
  })
}

type PersonRow = PersonRef & { disabled_at: Date | null }

const findLinked = async (tx: Tx, { issuer, subject }: Identity) => {
  const [person] = await tx<PersonRow[]>`
    SELECT p.id, p.account_id, p.email, p.disabled_at
    FROM person_identities i JOIN people p ON p.id = i.person_id
    WHERE i.issuer = ${issuer} AND i.subject = ${subject} FOR NO KEY UPDATE OF p`
  if (person !== undefined) checkEnabled(person)
  return person
}

const linkByEmail = async (tx: Tx, identity: Identity, client: ClientInfo) => {
  const [person] = await tx<PersonRow[]>`
    SELECT id, account_id, email, disabled_at FROM people WHERE email = ${identity.email} FOR NO KEY UPDATE`
  if (person === undefined) return undefined
  checkEnabled(person)
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

/** Who accepts the invitation of one account must not find themselves in another, which took their address before. */
const checkSameAccount = async (tx: Tx, person: PersonRef, token: string): Promise<void> => {
  const { account_id, account_name } = await findLink(tx, token)
  if (account_id !== person.account_id)
    throw conflict(
      `${person.email} is a user of another account, so it cannot join ${account_name}. Open the invitation again to join with another address, or sign in without it.`,
    )
}

/** Only by the link: every account can invite an address, and its person chooses which one gets it. */
const createInvited = async (
  tx: Tx,
  identity: Identity,
  client: ClientInfo,
  token: string | undefined,
): Promise<PersonRef> => {
  if (token === undefined)
    throw (await isInvited(tx, identity.email))
      ? linkNeeded(identity.email)
      : notInvited(identity.email)
  const recipient = checkRecipient(await consumeLink(tx, token), identity.email)
  const { account_id, role } = recipient
  const id = await createPerson(tx, account_id, identity.email, role)
  if (id === undefined) throw conflict('This user was created at the same time. Sign in again.')
  await endInvitations(tx, account_id, identity.email)
  const person = { id, account_id, email: identity.email }
  await recordJoin(tx, person, recipient, client)
  await link(tx, identity, person, client)
  return person
}

/** An invitation for an address is for that one only. */
const checkRecipient = (recipient: LinkRecipient, email: string) => {
  const isOther = recipient.email !== null && recipient.email !== email
  if (recipient.person_id !== null || isOther) throw notInvited(email)
  return recipient
}

const linkNeeded = (email: string) =>
  new DomainError(
    'FORBIDDEN',
    `${email} is invited. Open the link of the invitation, and continue with single sign-on there.`,
  )

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
