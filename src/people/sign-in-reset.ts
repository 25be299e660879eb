import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Tx } from '../db/connect'
import { notFoundWithoutMode } from '../errors'
import { isId } from '../ids'
import { endSessions } from './sessions'

/**
 * Removes the passkeys of a person and the links to users of a provider, and ends the person's sessions: for a lost
 * device, or an address that someone else has now. The password stays.
 * @throws {DomainError} NOT_FOUND
 */
export const resetSignIn = async (
  tx: Tx,
  audit: AuditContext,
  personId: string,
): Promise<{ id: string; passkeys: number; identities: number }> => {
  const [person] = isId('usr', personId)
    ? await tx<{ email: string }[]>`
        SELECT email FROM people WHERE id = ${personId} AND account_id = ${audit.accountId}
        FOR NO KEY UPDATE`
    : []
  if (person === undefined) throw notFoundWithoutMode('person', personId)
  const { count: passkeys } = await tx`DELETE FROM passkeys WHERE person_id = ${personId}`
  const { count: identities } = await tx`
    DELETE FROM person_identities WHERE person_id = ${personId}`
  await endSessions(tx, personId)
  const { email } = person
  await recordAudit(tx, audit, 'person.sign_in_reset', personId, { email, passkeys, identities })
  return { id: personId, passkeys, identities }
}
