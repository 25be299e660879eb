/**
 * Encryption of webhook secrets at rest (contract 4.4).
 *
 * Threat model. Whoever reads the database, a dump or a replica without ARDEN_ENCRYPTION_KEY learns no
 * secret, and whoever can write to it cannot move one webhook's secret to another: the webhook's id is
 * authenticated with it. A nonce is 96 random bits: safe for 2^32 secrets under one key.
 *
 * While the key is changed there are several: the first encrypts, all decrypt (reencrypt.ts).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Db, Sql } from '../../db/connect'
import { StartError } from '../../errors'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Decrypted texts kept for the next attempt: decrypting takes 10 us, a tenth of a delivery. */
const RECENT_MAX = 1_000

export type Cipher = {
  /** First 8 hexadecimal digits of the encrypting key's SHA-256: names it without telling it. */
  keyId: string
  /** Those of all keys that decrypt, the encrypting one first. */
  keyIds: string[]
  /** `v1.<keyId>.<nonce>.<ciphertext and tag>`. `context` must be given again to decrypt. */
  encrypt(plain: string, context: string): string
  /** @throws when made with none of the keys, for another context, or changed. */
  decrypt(stored: string, context: string): string
}

/** Each key is 32 bytes. `key` encrypts; what was made with one of `others` decrypts as well. */
export const createCipher = (key: Buffer, ...others: Buffer[]): Cipher => {
  const keyId = idOf(key)
  const keys = new Map([key, ...others].map(one => [idOf(one), one]))
  const recent = new Map<string, string>()
  return {
    keyId,
    keyIds: [...keys.keys()],
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `v1.${keyId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
    },
    decrypt(stored, context) {
      const known = recent.get(context + stored)
      if (known !== undefined) return known
      const { storedKeyId, nonce, sealed } = parse(stored)
      const madeWith = keys.get(storedKeyId)
      if (madeWith === undefined)
        throw new Error(
          `encrypted with the key ${storedKeyId}, and the key here is ${[...keys.keys()].join(' or ')}`,
        )
      const cipher = createDecipheriv(ALGORITHM, madeWith, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const plain = Buffer.concat([
        cipher.update(sealed.subarray(0, -TAG_BYTES)),
        cipher.final(),
      ]).toString()
      const [oldest] = recent.size < RECENT_MAX ? [] : recent.keys()
      if (oldest !== undefined) recent.delete(oldest)
      recent.set(context + stored, plain)
      return plain
    },
  }
}

/**
 * Makes sure that `cipher` has the key this database's secrets were made with: the first start leaves a
 * known text encrypted, every later one decrypts it. Only when no secret is left in an older key does the
 * known text change to a new one (`replaceCanary`), so that a start without the older key is refused until then.
 * @throws {StartError} naming ARDEN_ENCRYPTION_KEY and the key ids.
 */
export const checkEncryptionKey = async (sql: Sql, cipher: Cipher): Promise<void> => {
  // Of processes that start together the first one's canary stays; the others wait for it here.
  await sql`
    UPDATE deployment SET encryption_canary = ${cipher.encrypt(CANARY, CANARY)},
      encryption_key_since = clock_timestamp()
    WHERE encryption_canary IS NULL`
  const canary = await readCanary(sql, cipher)
  if (!canary?.opens)
    throw new StartError(
      `ARDEN_ENCRYPTION_KEY is the key ${cipher.keyIds.join(' and ')}, but the webhook secrets in this database are encrypted with the key ${canary?.keyId}. Set that key; to change it, see docs/operations.md.`,
    )
}

/**
 * Which key this database needs, by its id, and whether `cipher` has it. Undefined before the first start.
 */
export const readCanary = async (
  db: Db,
  cipher: Cipher,
): Promise<{ keyId: string; opens: boolean } | undefined> => {
  const [row] = await db<[{ canary: string | null }]>`
    SELECT encryption_canary AS canary FROM deployment`
  if (row.canary === null) return undefined
  const keyId = row.canary.split('.')[1] ?? ''
  try {
    return { keyId, opens: cipher.decrypt(row.canary, CANARY) === CANARY }
  } catch {
    // The same answer for another key and for a changed canary: neither can be used.
    return { keyId, opens: false }
  }
}

/** From now on a start needs the cipher's first key. */
export const replaceCanary = async (sql: Db, cipher: Cipher): Promise<void> => {
  await sql`
    UPDATE deployment SET encryption_canary = ${cipher.encrypt(CANARY, CANARY)},
      encryption_key_since = CASE split_part(encryption_canary, '.', 2)
        WHEN ${cipher.keyId} THEN encryption_key_since
        ELSE clock_timestamp()
      END`
}

/** The key that a start needs, and since when. Undefined before the first start. */
export const readRequiredKey = async (
  db: Db,
): Promise<{ id: string; since: string | null } | undefined> => {
  const [row] = await db<{ id: string; since: Date | null }[]>`
    SELECT split_part(encryption_canary, '.', 2) AS id, encryption_key_since AS since
    FROM deployment WHERE encryption_canary IS NOT NULL`
  return row && { id: row.id, since: row.since?.toISOString() ?? null }
}

const CANARY = 'arden'

const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)

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
