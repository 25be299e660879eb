import type { Db, Fragment, Sql, Tx } from '../db/connect'
import type { ApiKey } from './schema'
import { hashValue } from './value'

/** SQL for the status of `api_keys k` now: `active`, `revoked` or `expired` (contract 3.5). */
export const keyStatus = (db: Db): Fragment =>
  db`key_status(k.revoked_at, k.expires_at, clock_timestamp())`

/** SQL condition: the key with this hash of its value is active. */
export const isActiveHash = (db: Db, hash: Fragment | Buffer): Fragment =>
  db`EXISTS (SELECT FROM api_keys k WHERE k.hash = ${hash} AND ${keyStatus(db)} = 'active')`

/**
 * Whether a request with this key value would still be authenticated (contract 3.7). Long-lived responses check it
 * again and again; it does not count against the rate limit.
 */
export const isKeyActive = async (sql: Sql, value: string): Promise<boolean> => {
  const rows = await sql`SELECT WHERE ${isActiveHash(sql, hashValue(value))}`
  return rows.length > 0
}

/** The status of the key with this value; undefined when there is none. */
export const findKeyStatus = async (
  tx: Tx,
  value: string,
): Promise<ApiKey['status'] | undefined> => {
  const [key] = await tx<Pick<ApiKey, 'status'>[]>`
    SELECT ${keyStatus(tx)} AS status FROM api_keys k WHERE k.hash = ${hashValue(value)}`
  return key?.status
}
