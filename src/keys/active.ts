import type { Sql } from '../db/connect'
import { hashValue } from './value'

/**
 * Whether a request with this value would still pass: for what was let in and goes on for long. Counts
 * nothing. False once the key is revoked or expired, or has another value (contract 3.7).
 */
export const isKeyActive = async (sql: Sql, value: string): Promise<boolean> => {
  const rows = await sql`
    SELECT FROM api_keys
    WHERE hash = ${hashValue(value)}
      AND key_status(revoked_at, expires_at, clock_timestamp()) = 'active'`
  return rows.length > 0
}
