import type { EncryptionKeys } from '../config/encryption-keys'
import type { Sql } from '../db/connect'
import { createCipher, isUndecryptable, readCanary } from '../webhooks/signing/encryption'
import { type Checks, type Finding, fail, ok, skipped } from './check'

/**
 * Checks the encryption keys against the canary and the secrets in the database. Without a database, only
 * whether a key is set. Ids of webhooks are for operators, not for owners of other accounts.
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
      `Secrets or custom headers of ${unread.count} webhooks${isForOperators ? `, such as ${unread.example},` : ''} are encrypted with a key that is not in ARDEN_ENCRYPTION_KEY (${keyIds}).`,
      'Add the key that encrypted them. If it is lost, rotate those secrets and set those headers again.',
    )
  return ok(
    canary === undefined
      ? `The key is ${keyIds}; the first start registers it in this database.`
      : `The secrets in this database decrypt with ${keyIds}.`,
  )
}
