import type { EncryptionKeys } from '../config/encryption-keys'
import type { Sql } from '../db/connect'
import { isWorkerAlive } from '../temporal/heartbeat'
import {
  type Cipher,
  createCipher,
  isUndecryptable,
  readCanary,
} from '../webhooks/signing/encryption'
import { andOthers, type Checks, type Finding, fail, ok, skipped, warn } from './check'

/**
 * Checks the encryption keys against the canary and the secrets in the database. Without a database, only
 * whether a key is set. Ids of webhooks and workers are for operators, not for owners of other accounts.
 */
export const encryptionChecks = (
  sql: Sql | undefined,
  keys: EncryptionKeys | undefined,
  isForOperators: boolean,
): Checks => ({
  'encryption key': async () => {
    if (keys === undefined)
      return fail(
        'ARDEN_ENCRYPTION_KEY is not set.',
        'Set the key that this database was started with, or for a new one the output of: openssl rand -hex 32',
      )
    return sql === undefined ? skipped('database') : checkKeys(sql, keys, isForOperators)
  },
})

const checkKeys = async (
  sql: Sql,
  keys: EncryptionKeys,
  isForOperators: boolean,
): Promise<Finding> => {
  const cipher = createCipher(...keys)
  const keyIds = cipher.keyIds.join(' and ')
  const canary = await readCanary(sql, cipher)
  if (canary !== undefined && !canary.decrypts)
    return fail(
      `ARDEN_ENCRYPTION_KEY is the key ${keyIds}, but this database needs ${canary.keyId}.`,
      'Set that key. To change it, see "Changing the encryption key" in docs/operations.md.',
    )
  const [unread] = await sql<[{ count: number; example: string | null }]>`
    SELECT count(*), min(id) AS example FROM webhooks
    WHERE deleted_at IS NULL AND ${isUndecryptable(sql, cipher)}`
  if (unread.count > 0)
    return fail(
      `Secrets or custom headers of ${unread.count === 1 ? '1 webhook' : `${unread.count} webhooks`}${isForOperators ? `, such as ${unread.example},` : ''} are encrypted with a key that is not in ARDEN_ENCRYPTION_KEY (${keyIds}).`,
      'Add the key that encrypted them. If it is lost, rotate those secrets and set those headers again.',
    )
  const [outdated, ...others] = await outdatedWorkers(sql, cipher)
  if (outdated !== undefined)
    return warn(
      `${isForOperators ? `The worker ${outdated.id}` : 'A worker'} does not have the key ${outdated.keys.join(' and ')} of ARDEN_ENCRYPTION_KEY${andOthers(others.length)}: deliveries of webhooks whose secrets are encrypted with it wait there.`,
      'Restart it with the ARDEN_ENCRYPTION_KEY of this command. See "Changing the encryption key" in docs/operations.md.',
    )
  return ok(
    canary === undefined
      ? `The key is ${keyIds}; the first start registers it in this database.`
      : `The secrets in this database decrypt with ${keyIds}.`,
  )
}

/** The running workers that do not have all keys of `cipher`, each with those that it lacks. */
const outdatedWorkers = (sql: Sql, { keyIds }: Cipher) => sql<{ id: string; keys: string[] }[]>`
  SELECT id, ARRAY(SELECT unnest(${keyIds}::text[]) EXCEPT SELECT unnest(encryption_keys)) AS keys
  FROM workers WHERE ${isWorkerAlive(sql)} AND NOT encryption_keys @> ${keyIds} ORDER BY id`
