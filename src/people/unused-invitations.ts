import { recordAudit } from '../accounts/audit'
import type { Db, Tx } from '../db/connect'

/** People who were invited and never joined: they chose no password and have no session (contract 3.14). */

/**
 * Removes the person with this address from another account when they never joined, so that an invitation does not
 * keep an address from the accounts of others. The audit history of that account says so.
 */
export const endInvitationElsewhere = async (
  tx: Tx,
  accountId: string,
  email: string,
): Promise<void> => {
  // After a concurrent use of the invitation, which locks the person too and sets the password.
  const [person] = await tx<{ id: string; account_id: string; role: string }[]>`
    SELECT p.id, p.account_id, p.role FROM people p
    WHERE p.email = ${email} AND p.account_id <> ${accountId} AND ${neverJoined(tx)} FOR UPDATE OF p`
  if (person === undefined) return
  await deletePeople(tx, [person.id])
  const by = {
    accountId: person.account_id,
    actor: { type: 'system', id: 'arden', name: 'Arden' },
    address: null,
  } as const
  await recordAudit(tx, by, 'person.link_revoked', person.id, { email, role: person.role })
}

/** Removes the people of an account who never joined and have no pending invitation. */
export const deleteLapsedPeople = async (tx: Tx, accountId: string): Promise<void> => {
  // Not those whom this transaction creates: now() is its begin, and their `created_at`.
  const lapsed = await tx<{ id: string }[]>`
    SELECT p.id FROM people p
    WHERE p.account_id = ${accountId} AND p.created_at < now() AND ${neverJoined(tx)} AND NOT EXISTS (
      SELECT FROM sign_in_links l WHERE l.person_id = p.id AND l.expires_at > clock_timestamp()
    ) FOR UPDATE OF p SKIP LOCKED`
  await deletePeople(
    tx,
    lapsed.map(({ id }) => id),
  )
}

const neverJoined = (db: Db) =>
  db`p.password IS NULL AND NOT EXISTS (SELECT FROM sessions s WHERE s.person_id = p.id)`

const deletePeople = async (tx: Tx, ids: string[]): Promise<void> => {
  await tx`DELETE FROM sign_in_links WHERE person_id = ANY(${ids})`
  await tx`DELETE FROM person_windows WHERE person_id = ANY(${ids})`
  await tx`DELETE FROM people WHERE id = ANY(${ids})`
}
