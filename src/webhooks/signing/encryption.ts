/**
 * Encryption of webhook secrets at rest (contract 4.4).
 *
 * Threat model: a reader of the database, a dump or a replica learns no secret without ARDEN_ENCRYPTION_KEY, and a
 * writer cannot move a secret to another webhook, because the webhook id is authenticated with it. Nonces are 96
 * random bits: safe for 2^32 secrets under one key.
 *
 * During a change of the key there are several: the first encrypts, all decrypt (reencryption.ts).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordInAllAccounts } from '../../accounts/audit'
import type { Actor } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import { StartError } from '../../errors'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Cached decrypted texts: decrypting takes 10 us, a tenth of a delivery. */
const CACHE_MAX = 1_000

export type Cipher = {
  /** First 8 hexadecimal digits of the SHA-256 of the encrypting key, which do not reveal it. */
  keyId: string
  /** The ids of all keys that decrypt, the encrypting one first. */
  keyIds: string[]
  /** Returns `v1.<keyId>.<nonce>.<ciphertext and tag>`. Decrypting needs the same `context`. */
  encrypt(plain: string, context: string): string
  /** @throws when the text was encrypted with another key or context, or changed. */
  decrypt(stored: string, context: string): string
}

/** Keys are 32 bytes. `key` encrypts; `key` and `others` decrypt. */
export const createCipher = (key: Buffer, ...others: Buffer[]): Cipher => {
  const keyId = idOf(key)
  const keys = new Map([key, ...others].map(one => [idOf(one), one]))
  const cache = new Map<string, string>()
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
      const known = cache.get(context + stored)
      if (known !== undefined) return known
      const { storedKeyId, nonce, sealed } = parse(stored)
      const storedKey = keys.get(storedKeyId)
      if (storedKey === undefined)
        throw new Error(
          `encrypted with the key ${storedKeyId}; available: ${[...keys.keys()].join(', ')}`,
        )
      const cipher = createDecipheriv(ALGORITHM, storedKey, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const plain = Buffer.concat([
        cipher.update(sealed.subarray(0, -TAG_BYTES)),
        cipher.final(),
      ]).toString()
      const [oldest] = cache.size < CACHE_MAX ? [] : cache.keys()
      if (oldest !== undefined) cache.delete(oldest)
      cache.set(context + stored, plain)
      return plain
    },
  }
}

/**
 * Checks that `cipher` decrypts the canary, a known text that the first start stores encrypted. The canary moves to a
 * new key (`replaceCanary`) only when no secret is left in the old one; until then a start needs the old key too.
 * @throws {StartError} with the key ids.
 */
export const checkEncryptionKey = async (sql: Sql, cipher: Cipher): Promise<void> => {
  // Of processes that start at the same time the first one stores the canary; the others wait for it here.
  await sql`
    UPDATE deployment SET encryption_canary = ${cipher.encrypt(CANARY, CANARY)},
      encryption_key_since = clock_timestamp()
    WHERE encryption_canary IS NULL`
  const canary = await readCanary(sql, cipher)
  if (!canary?.decrypts) throw wrongKey(cipher, canary?.keyId)
}

const wrongKey = ({ keyIds }: Cipher, neededId: string | undefined) =>
  new StartError(
    `ARDEN_ENCRYPTION_KEY is the key ${keyIds.join(' and ')}, but the webhook secrets in this database are encrypted with the key ${neededId}. Set that key; to change it, or where it is lost, see docs/operations.md.`,
  )

/** Interval of `watchEncryptionKey`, in ms. */
const WATCH_MS = 10_000

/**
 * Checks the key until `signal` aborts. A process that was not restarted while the key was changed would store secrets
 * that others cannot read, and keep deliveries that it cannot sign from those that can.
 * @throws {StartError} when the database needs a key that `cipher` does not have.
 */
export const watchEncryptionKey = async (
  sql: Sql,
  cipher: Cipher,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    await sleep(WATCH_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    // Others report a database that is away.
    const canary = await readCanary(sql, cipher).catch(() => undefined)
    if (canary?.decrypts === false) throw wrongKey(cipher, canary.keyId)
  }
}

/** The id of the key that encrypted the canary, and whether `cipher` has it. Undefined before the first start. */
export const readCanary = async (
  db: Db,
  cipher: Cipher,
): Promise<{ keyId: string; decrypts: boolean } | undefined> => {
  const [row] = await db<[{ canary: string | null }]>`
    SELECT encryption_canary AS canary FROM deployment`
  if (row.canary === null) return undefined
  const keyId = row.canary.split('.')[1] ?? ''
  try {
    return { keyId, decrypts: cipher.decrypt(row.canary, CANARY) === CANARY }
  } catch {
    // Another key and a changed canary are the same: neither can be used.
    return { keyId, decrypts: false }
  }
}

/**
 * Encrypts the canary with the first key: every later start needs that key. Where it needed another one before, the
 * audit history of every account has the `action`.
 */
export const replaceCanary = async (
  tx: Tx,
  cipher: Cipher,
  actor: Actor,
  action: `account.encryption_key_${'changed' | 'replaced'}`,
): Promise<void> => {
  await tx`SELECT FROM deployment FOR UPDATE`
  const from = (await readRequiredKey(tx))?.id
  const to = cipher.keyId
  await tx`
    UPDATE deployment SET encryption_canary = ${cipher.encrypt(CANARY, CANARY)},
      encryption_key_since = CASE WHEN ${from === to} THEN encryption_key_since ELSE clock_timestamp() END`
  if (from !== to) await recordInAllAccounts(tx, actor, action, { encryption_key: { from, to } })
}

/** The id of the key that a start needs, and since when. Undefined before the first start. */
export const readRequiredKey = async (
  db: Db,
): Promise<{ id: string; since: string | null } | undefined> => {
  const [row] = await db<{ id: string; since: Date | null }[]>`
    SELECT split_part(encryption_canary, '.', 2) AS id, encryption_key_since AS since
    FROM deployment WHERE encryption_canary IS NOT NULL`
  return row && { id: row.id, since: row.since?.toISOString() ?? null }
}

/** SQL condition on a row of `webhooks`: its secret, or one of its headers, is encrypted with no key of the cipher. */
export const isUndecryptable = (db: Db, { keyIds }: Cipher): Fragment => db`(
  split_part(secret, '.', 2) <> ALL (${keyIds})
  OR EXISTS (SELECT FROM jsonb_each_text(headers)
    WHERE split_part(value, '.', 2) <> ALL (${keyIds})))`

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
    throw new Error('not of the form v1.<key id>.<nonce>.<ciphertext>')
  return { storedKeyId, ...parts }
}
