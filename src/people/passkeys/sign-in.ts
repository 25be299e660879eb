import type { Sql } from '../../db/connect'
import type { ClientInfo } from '../sessions'
import {
  checkEnabled,
  type PersonRef,
  type SignedIn,
  startSession,
  transactionOf,
} from '../sign-in'
import { notVerified, type RelyingParty, verifyAssertion } from './ceremony'
import { consumeChallenge } from './challenges'
import type { Assertion } from './schema'

type KeyRow = PersonRef & {
  passkey_id: string
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
}

/**
 * Signs in with a passkey (contract 3.22). Call it as a limited attempt (sign-in-throttle.ts).
 * @throws {DomainError} UNAUTHORIZED; FORBIDDEN as `checkEnabled`; TOO_MANY_REQUESTS as `countSignIn`.
 */
export const signInByPasskey = async (
  sql: Sql,
  relyingParty: RelyingParty,
  assertion: Assertion,
  client: ClientInfo,
): Promise<SignedIn> => {
  const [key] = await sql<KeyRow[]>`
    SELECT k.id AS passkey_id, k.credential_id, k.public_key, k.counter, k.transports, p.id, p.account_id, p.email
    FROM passkeys k JOIN people p ON p.id = k.person_id
    WHERE k.credential_id = ${assertion.id}`
  if (key === undefined) throw notVerified()
  const counter = await verifyAssertion(relyingParty, assertion, key, challenge =>
    consumeChallenge(sql, challenge, null),
  )
  return transactionOf(sql, key.id, async tx => {
    const [person] = await tx<{ disabled_at: Date | null }[]>`
      SELECT disabled_at FROM people WHERE id = ${key.id} FOR NO KEY UPDATE`
    // The passkey may have been removed while it was verified.
    const used = await tx`
      UPDATE passkeys SET counter = ${counter}, last_used_at = clock_timestamp() WHERE id = ${key.passkey_id}`
    if (person === undefined || used.count === 0) throw notVerified()
    checkEnabled({ ...key, ...person })
    return startSession(tx, key, client, 'passkey')
  })
}
