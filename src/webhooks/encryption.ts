/**
 * Encryption of webhook secrets at rest (contract 4, `secret`).
 *
 * Threat model. Whoever reads the database, a dump or a replica without ARDEN_ENCRYPTION_KEY learns no
 * secret, and whoever can write to it cannot move one webhook's secret to another: the webhook's id is
 * authenticated with it. A nonce is 96 random bits: safe for 2^32 secrets under one key.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Sql } from '../db/connect'
import { StartError } from '../errors'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Cipher = {
  /** First 8 hexadecimal digits of the key's SHA-256: names the key without telling it. */
  keyId: string
  /** `v1.<keyId>.<nonce>.<ciphertext and tag>`. `context` must be given again to decrypt. */
  encrypt(plain: string, context: string): string
  /** @throws when made with another key, for another context, or changed. */
  decrypt(stored: string, context: string): string
}

/** `key` is 32 bytes. */
export const createCipher = (key: Buffer): Cipher => {
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return {
    keyId,
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `v1.${keyId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
    },
    decrypt(stored, context) {
      const { storedKeyId, nonce, sealed } = parse(stored)
      if (storedKeyId !== keyId)
        throw new Error(`encrypted with the key ${storedKeyId}, and the key here is ${keyId}`)
      const cipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([
        cipher.update(sealed.subarray(0, -TAG_BYTES)),
        cipher.final(),
      ]).toString()
    },
  }
}

/**
 * Makes sure that `cipher` is the one this database's secrets were made with: the first start leaves a
 * known text encrypted, every later one decrypts it.
 * @throws {StartError} naming ARDEN_ENCRYPTION_KEY and both key ids.
 */
export const checkEncryptionKey = async (sql: Sql, cipher: Cipher): Promise<void> => {
  // Of processes that start together the first one's canary stays; the others wait for it here.
  await sql`
    UPDATE deployment SET encryption_canary = ${cipher.encrypt(CANARY, CANARY)}
    WHERE encryption_canary IS NULL`
  const [row] = await sql<[{ canary: string }]>`SELECT encryption_canary AS canary FROM deployment`
  try {
    if (cipher.decrypt(row.canary, CANARY) === CANARY) return
  } catch {
    // The same answer for another key and for a changed canary: neither can be used.
  }
  throw new StartError(
    `ARDEN_ENCRYPTION_KEY is the key ${cipher.keyId}, but the webhook secrets in this database are encrypted with the key ${row.canary.split('.')[1]}. Set the key that this database was first started with.`,
  )
}

const CANARY = 'arden'

const parse = (stored: string) => {
  const [version, storedKeyId = '', nonce = '', sealed = '', ...rest] = stored.split('.')
  const parts = { nonce: Buffer.from(nonce, 'base64url'), sealed: Buffer.from(sealed, 'base64url') }
  if (
    version !== 'v1' ||
    rest.length > 0 ||
    parts.nonce.length !== NONCE_BYTES ||
    parts.sealed.length < TAG_BYTES
  )
    throw new Error('not in the form v1.<key id>.<nonce>.<ciphertext>')
  return { storedKeyId, ...parts }
}
