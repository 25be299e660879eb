import type { Db, Sql } from '../../db/connect'
import { type Cipher, replaceCanary } from './encryption'

/** Webhooks locked at a time: their rotations wait for some milliseconds, sending for nothing. */
const BATCH = 200

/** `left` are webhooks whose secrets none of the keys decrypts; they stay as they are. */
export type ReencryptionResult = { changed: number; left: string[] }

/**
 * Encrypts anew, with the cipher's first key, every webhook secret that was made with another one: of
 * deleted webhooks as well, and previous secrets. Serving and sending go on meanwhile. When none is left,
 * the database asks for that key from now on. Killed in between, it goes on where it was. `at` is told how
 * many of how many it has looked at.
 */
export const reencryptSecrets = async (
  sql: Sql,
  cipher: Cipher,
  at: (done: number, total: number) => void = () => {},
): Promise<ReencryptionResult> => {
  const done: ReencryptionResult = { changed: 0, left: [] }
  const [{ total }] = await sql<[{ total: number }]>`
    SELECT count(*) AS total FROM webhooks WHERE ${others(sql, cipher)}`
  for (let after = ''; ; ) {
    const last = await reencryptBatch(sql, cipher, after, done)
    if (last === undefined) break
    after = last
    at(done.changed + done.left.length, total)
  }
  if (done.left.length === 0) await replaceCanary(sql, cipher)
  return done
}

type Row = { id: string; secret: string; previous_secret: string | null }

/** SQL for webhooks with a secret of another key. */
const others = (db: Db, { keyId }: Cipher) => {
  const ours = `v1.${keyId}.%`
  return db`(secret NOT LIKE ${ours} OR previous_secret NOT LIKE ${ours})`
}

/** Answers the last id it looked at, or undefined when there was none. */
const reencryptBatch = (sql: Sql, cipher: Cipher, after: string, done: ReencryptionResult) =>
  sql.begin(async tx => {
    const rows = await tx<Row[]>`
      SELECT id, secret, previous_secret FROM webhooks
      WHERE id > ${after} AND ${others(tx, cipher)}
      ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`
    for (const row of rows) {
      const again = reencrypted(cipher, row)
      if (again === undefined) done.left.push(row.id)
      else {
        await tx`UPDATE webhooks SET ${tx(again)} WHERE id = ${row.id}`
        done.changed++
      }
    }
    return rows.at(-1)?.id
  })

/** Undefined when none of the keys decrypts them. */
const reencrypted = (cipher: Cipher, { id, secret, previous_secret }: Row) => {
  const again = (stored: string) => cipher.encrypt(cipher.decrypt(stored, id), id)
  try {
    return {
      secret: again(secret),
      previous_secret: previous_secret === null ? null : again(previous_secret),
    }
  } catch {
    return undefined
  }
}
