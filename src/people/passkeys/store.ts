import { recordAudit } from '../../accounts/audit'
import type { Db, Sql, Tx } from '../../db/connect'
import { conflict, DomainError, notFoundWithoutMode } from '../../errors'
import { isId, newId } from '../../ids'
import type { ClientInfo, Session } from '../sessions'
import { auditContextOfSession } from '../sign-in'
import { type RelyingParty, verifyRegistration } from './ceremony'
import { consumeChallenge } from './challenges'
import type { Passkey, Registration } from './schema'

/** Passkeys of one person (contract 3.22). */
const PASSKEYS_MAX = 20

/** The passkeys of a person, newest first. */
export const listPasskeys = async (db: Db, personId: string): Promise<Passkey[]> => {
  const rows = await db<(Passkey & PasskeyTimes)[]>`
    SELECT id, name, created_at, last_used_at FROM passkeys WHERE person_id = ${personId}
    ORDER BY id DESC`
  return rows.map(toPasskey)
}

/** What a browser needs to not offer the same authenticator twice. */
export const listCredentials = (db: Db, personId: string) =>
  db<{ credential_id: string; transports: string[] }[]>`
    SELECT credential_id, transports FROM passkeys WHERE person_id = ${personId}`

/**
 * Adds a passkey after the checks of its response. The session then counts as begun with it.
 * @throws {DomainError} UNAUTHORIZED; CONFLICT when it exists, or the person has too many; FORBIDDEN when the account
 * requires a passkey, and the person has one that this session did not begin with.
 */
export const addPasskey = async (
  sql: Sql,
  session: Session,
  relyingParty: RelyingParty,
  registration: Registration,
  client: ClientInfo,
): Promise<Passkey> => {
  const { personId } = session
  const key = await verifyRegistration(relyingParty, registration, challenge =>
    consumeChallenge(sql, challenge, personId),
  )
  return sql.begin(async tx => {
    await tx`SELECT FROM people WHERE id = ${personId} FOR NO KEY UPDATE`
    const [added] = await tx<(Passkey & PasskeyTimes)[]>`
      INSERT INTO passkeys ${tx({ id: newId('psk'), person_id: personId, name: registration.name, ...key })}
      ON CONFLICT (credential_id) DO NOTHING
      RETURNING id, name, created_at, last_used_at`
    if (added === undefined) throw conflict('This passkey was already added.')
    const [{ count }] = await tx<[{ count: number }]>`
      SELECT count(*) FROM passkeys WHERE person_id = ${personId}`
    if (session.neededSignIn !== null && count > 1) throw ownPasskeyNeeded()
    if (count > PASSKEYS_MAX)
      throw conflict(`A user has at most ${PASSKEYS_MAX} passkeys. Remove one that is not needed.`)
    await record(tx, session, client, 'person.passkey_added', added)
    await confirmSession(tx, session)
    return toPasskey(added)
  })
}

/** The authenticator has verified the person, as it does when one signs in with it. */
const confirmSession = async (tx: Tx, { id, accountId }: Session): Promise<void> => {
  await tx`
    UPDATE sessions SET method = 'passkey'
    WHERE id = ${id} AND NOT EXISTS (
      SELECT FROM accounts WHERE id = ${accountId} AND required_sign_in = 'oidc'
    )`
}

/** A password that was stolen must not add a passkey beside that of the user. */
export const ownPasskeyNeeded = () =>
  new DomainError(
    'FORBIDDEN',
    'You have a passkey, and your account requires it. Sign out, and sign in with the passkey. If it is lost, ask an owner of the account or the operator to reset your sign-in.',
  )

/** @throws {DomainError} NOT_FOUND */
export const renamePasskey = async (
  sql: Sql,
  { personId }: Session,
  id: string,
  name: string,
): Promise<Passkey> => {
  const [renamed] = isId('psk', id)
    ? await sql<(Passkey & PasskeyTimes)[]>`
        UPDATE passkeys SET name = ${name} WHERE id = ${id} AND person_id = ${personId}
        RETURNING id, name, created_at, last_used_at`
    : []
  if (renamed === undefined) throw notFoundWithoutMode('passkey', id)
  return toPasskey(renamed)
}

/** @throws {DomainError} NOT_FOUND */
export const removePasskey = (
  sql: Sql,
  session: Session,
  id: string,
  client: ClientInfo,
): Promise<void> =>
  sql.begin(async tx => {
    const [removed] = isId('psk', id)
      ? await tx<{ id: string; name: string }[]>`
          DELETE FROM passkeys WHERE id = ${id} AND person_id = ${session.personId} RETURNING id, name`
      : []
    if (removed === undefined) throw notFoundWithoutMode('passkey', id)
    await record(tx, session, client, 'person.passkey_removed', removed)
  }) as Promise<void>

const record = (
  tx: Tx,
  session: Session,
  client: ClientInfo,
  action: 'person.passkey_added' | 'person.passkey_removed',
  { id, name }: { id: string; name: string },
): Promise<void> =>
  recordAudit(tx, auditContextOfSession(session, client), action, session.personId, {
    passkey_id: id,
    name,
  })

type PasskeyTimes = { created_at: Date; last_used_at: Date | null }

const toPasskey = ({ id, name, created_at, last_used_at }: Passkey & PasskeyTimes): Passkey => ({
  id,
  name,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})
