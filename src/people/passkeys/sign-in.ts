import type { Sql } from '../../db/connect'
import type { ClientInfo } from '../sessions'
import { type PersonRef, type SignedIn, startSession, transactionOf } from '../sign-in'
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
 * @throws {DomainError} UNAUTHORIZED; TOO_MANY_REQUESTS as `countSignIn`.
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
    WHERE k.credential_id = ${assertion.id} AND p.disabled_at IS NULL`
  if (key === undefined) throw notVerified()
  const counter = await verifyAssertion(relyingParty, assertion, key, challenge =>
    consumeChallenge(sql, challenge, null),
  )
  return transactionOf(sql, key.id, async tx => {
    // The person may have been disabled, or the passkey removed, while it was verified.
    const { count } = await tx`
      SELECT FROM people WHERE id = ${key.id} AND disabled_at IS NULL FOR NO KEY UPDATE`
    const used = await tx`
      UPDATE passkeys SET counter = ${counter}, last_used_at = clock_timestamp() WHERE id = ${key.passkey_id}`
    if (count === 0 || used.count === 0) throw notVerified()
    return startSession(tx, key, client, 'passkey')
  })
}
