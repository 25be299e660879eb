import type { EncryptionKeys } from '../config/encryption-keys'
import type { Sql } from '../db/connect'
import { createCipher, readCanary } from '../webhooks/signing/encryption'
import { type Checks, type Finding, fail, ok, skipped } from './check'

/**
 * The key against the known text in the database, and against the secrets there. Without a database, whether
 * there is a key.
 */
export const encryptionChecks = (
  sql: Sql | undefined,
  keys: EncryptionKeys | undefined,
): Checks => ({
  'encryption key': async () => {
    if (keys === undefined)
      return fail(
        'ARDEN_ENCRYPTION_KEY is not set.',
        'Set the key that this database was started with, or for a new one the output of: openssl rand -hex 32',
      )
    return sql === undefined ? skipped('database') : checkKeys(sql, keys)
  },
})

const checkKeys = async (sql: Sql, keys: EncryptionKeys): Promise<Finding> => {
  const cipher = createCipher(...keys)
  const ours = cipher.keyIds.join(' and ')
  const canary = await readCanary(sql, cipher)
  if (canary !== undefined && !canary.decrypts)
    return fail(
      `ARDEN_ENCRYPTION_KEY is the key ${ours}, and this database needs ${canary.keyId}.`,
      'Set that key. To change it, see "Changing the encryption key" in docs/operations.md.',
    )
  const [unread] = await sql<[{ count: number }]>`
    SELECT count(*) FROM webhooks
    WHERE deleted_at IS NULL AND split_part(secret, '.', 2) <> ALL (${cipher.keyIds})`
  if (unread.count > 0)
    return fail(
      `The secrets of ${unread.count} webhooks are encrypted with none of the keys in ARDEN_ENCRYPTION_KEY (${ours}).`,
      'Add the key they were made with, or rotate those secrets.',
    )
  return ok(
    canary === undefined
      ? `The key is ${ours}; the first start makes it the one this database needs.`
      : `The key ${ours} opens this database's secrets.`,
  )
}
