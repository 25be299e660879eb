import type { Caller } from '../../caller'
import type { Db, Tx } from '../../db/connect'
import { conflict } from '../../errors'
import type { NewApiKey } from '../../keys/schema'
import type { Role } from '../../people/schema'
import { hashToken } from '../../people/token'

/**
 * Sign-in of a command line (contract 3.23). Threats: a key that is read from a URL, a log or the database, and a
 * stranger who fetches it. So the command line makes a secret and shows its hash, the challenge, to a signed-in user;
 * what the user approves is stored under the challenge, without a key; and the key is made in the response to the one
 * call that has the secret.
 */

/** How long an approval waits for its command line, in minutes. */
const APPROVAL_MINUTES = 10
/** How long it is known after that, or after its use, that a challenge was approved, in minutes. */
const KNOWN_MINUTES = 60
/** Old approvals that each one deletes: more than it inserts, so the table stays small. */
const DELETED_PER_APPROVAL = 5

type KeyToCreate = Required<Pick<NewApiKey, 'name' | 'mode' | 'scopes'>>

/**
 * Stores what a user approved. Until its command line has the key, the same user can approve it again, with another key.
 * @throws {DomainError} CONFLICT when another user approved it, when it was used and when it has expired.
 */
export const approve = async (
  tx: Tx,
  { actor }: Pick<Caller, 'actor'>,
  challenge: string,
  { name, mode, scopes }: KeyToCreate,
): Promise<void> => {
  await tx`
    DELETE FROM cli_sign_ins WHERE challenge IN (
      SELECT challenge FROM cli_sign_ins WHERE expires_at < clock_timestamp() - make_interval(mins => ${KNOWN_MINUTES})
      ORDER BY expires_at LIMIT ${DELETED_PER_APPROVAL} FOR UPDATE SKIP LOCKED
    )`
  const stored = Buffer.from(challenge, 'base64url')
  const { count } = await tx`
    INSERT INTO cli_sign_ins AS old (challenge, person_id, name, mode, scopes, expires_at)
    VALUES (${stored}, ${actor.id}, ${name}, ${mode}, ${scopes},
      clock_timestamp() + make_interval(mins => ${APPROVAL_MINUTES}))
    ON CONFLICT (challenge) DO UPDATE SET name = excluded.name, mode = excluded.mode, scopes = excluded.scopes
    WHERE old.person_id = excluded.person_id AND old.expires_at > clock_timestamp()`
  if (count > 0) return
  const [found] = await tx`
    SELECT FROM cli_sign_ins
    WHERE challenge = ${stored} AND person_id = ${actor.id}`
  throw conflict(
    `${found === undefined ? 'Another user has' : 'You have already'} approved this sign-in. If your terminal has no key, run \`arden login\` again and open its new link.`,
  )
}

export type Approval = KeyToCreate & {
  person_id: string
  email: string
  account_id: string
  role: Role
}

/** The approval of the command line with this secret; undefined before it, after its use and after its time. */
export const findApproval = async (db: Db, secret: string): Promise<Approval | undefined> => {
  const [found] = await db<Approval[]>`
    SELECT s.name, s.mode, s.scopes, s.person_id, p.email, p.account_id, p.role
    FROM cli_sign_ins s JOIN people p ON p.id = s.person_id
    WHERE s.challenge = ${hashToken(secret)} AND s.expires_at > clock_timestamp()
      AND p.disabled_at IS NULL`
  return found
}

/** Ends the approval. Of concurrent calls one gets true. */
export const consumeApproval = async (tx: Tx, secret: string): Promise<boolean> => {
  const { count } = await tx`
    UPDATE cli_sign_ins SET expires_at = clock_timestamp()
    WHERE challenge = ${hashToken(secret)} AND expires_at > clock_timestamp()`
  return count > 0
}
