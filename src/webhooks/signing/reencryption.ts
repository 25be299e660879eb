import type { Actor } from '../../caller'
import type { Db, Sql } from '../../db/connect'
import { type Cipher, replaceCanary } from './encryption'
import { reencryptHeaders, type StoredHeaders } from './header-values'

/** Webhooks locked at a time, for some milliseconds. Sending does not wait for the locks. */
const BATCH_SIZE = 200

/** `left`: ids of webhooks whose secrets no key decrypts; they do not change. Those of deleted webhooks are not needed. */
type ReencryptionResult = { changed: number; left: string[] }

/**
 * Encrypts every webhook secret of another key with the first key of the cipher, previous secrets, custom headers and
 * deleted webhooks included, while Arden serves and sends. When none is left, every later start needs that key. It can
 * be interrupted and run again. `onProgress` gets the number of processed webhooks and their total.
 */
export const reencryptSecrets = async (
  sql: Sql,
  cipher: Cipher,
  actor: Actor,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ReencryptionResult> => {
  const done: ReencryptionResult = { changed: 0, left: [] }
  const [{ total }] = await sql<[{ total: number }]>`
    SELECT count(*) AS total FROM webhooks WHERE ${hasOtherKey(sql, cipher)}`
  for (let after = ''; ; ) {
    const last = await reencryptBatch(sql, cipher, after, done)
    if (last === undefined) break
    after = last
    onProgress(done.changed + done.left.length, total)
  }
  if (done.left.length === 0)
    await sql.begin(tx => replaceCanary(tx, cipher, actor, 'account.encryption_key_changed'))
  return done
}

type SecretRow = {
  id: string
  secret: string
  previous_secret: string | null
  headers: StoredHeaders
  isDeleted: boolean
}

/** SQL condition: webhooks with a secret or a header of another key. */
const hasOtherKey = (db: Db, { keyId }: Cipher) => {
  const current = `v1.${keyId}.%`
  return db`(secret NOT LIKE ${current} OR EXISTS (
      SELECT FROM unnest(string_to_array(previous_secret, ' ')) AS one WHERE one NOT LIKE ${current})
    OR EXISTS (SELECT FROM jsonb_each_text(headers) WHERE value NOT LIKE ${current}))`
}

/** Returns the last id it processed, undefined when none was left. */
const reencryptBatch = (sql: Sql, cipher: Cipher, after: string, done: ReencryptionResult) =>
  sql.begin(async tx => {
    const rows = await tx<SecretRow[]>`
      SELECT id, secret, previous_secret, headers, deleted_at IS NOT NULL AS "isDeleted" FROM webhooks
      WHERE id > ${after} AND ${hasOtherKey(tx, cipher)}
      ORDER BY id LIMIT ${BATCH_SIZE} FOR NO KEY UPDATE`
    for (const row of rows) {
      const secrets = reencryptRow(tx, cipher, row)
      if (secrets === undefined) {
        if (!row.isDeleted) done.left.push(row.id)
      } else {
        await tx`UPDATE webhooks SET ${tx(secrets)} WHERE id = ${row.id}`
        done.changed++
      }
    }
    return rows.at(-1)?.id
  })

/** Undefined when no key decrypts the secrets. */
const reencryptRow = (
  db: Db,
  cipher: Cipher,
  { id, secret, previous_secret, headers }: SecretRow,
) => {
  const reencrypt = (stored: string) => cipher.encrypt(cipher.decrypt(stored, id), id)
  try {
    return {
      secret: reencrypt(secret),
      previous_secret: previous_secret?.split(' ').map(reencrypt).join(' ') ?? null,
      headers: db.json(reencryptHeaders(cipher, id, headers)),
    }
  } catch {
    return undefined
  }
}
