import type { Db, Sql, Tx } from '../../db/connect'
import { newToken } from '../token'

/** What an authenticator signs (contract 3.22): made here, valid once and for minutes, so that no response is replayed. */

const MINUTES = 5
/** Expired challenges that are deleted at a time: more than are created, so the table stays small. */
const DELETED_PER_CALL = 5

/** A challenge to add a passkey of a person, or without one to sign in. */
export const createChallenge = async (db: Db, personId: string | null): Promise<string> => {
  const challenge = newToken()
  await db`
    WITH expired AS (
      DELETE FROM passkey_challenges WHERE challenge IN (
        SELECT challenge FROM passkey_challenges WHERE expires_at < clock_timestamp()
        ORDER BY expires_at LIMIT ${DELETED_PER_CALL} FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO passkey_challenges (challenge, person_id, expires_at)
    VALUES (${challenge}, ${personId}, clock_timestamp() + make_interval(mins => ${MINUTES}))`
  return challenge
}

/** Whether it is one of Arden's for this purpose; it is then used up. */
export const consumeChallenge = async (
  db: Sql | Tx,
  challenge: string,
  personId: string | null,
): Promise<boolean> => {
  const { count } = await db`
    DELETE FROM passkey_challenges
    WHERE challenge = ${challenge} AND person_id IS NOT DISTINCT FROM ${personId}
      AND expires_at > clock_timestamp()`
  return count === 1
}
