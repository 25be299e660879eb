import { lockAccount } from '../accounts/store'
import type { Mode } from '../caller'
import type { Tx } from '../db/connect'
import { conflict } from '../errors'

/**
 * Call it before creating a key, in the same transaction: of those that create at once, each counts what
 * the others have committed. Revoked and expired keys do not count; each mode counts by itself.
 * @throws {DomainError} CONFLICT when the account has `max` active keys of the mode.
 */
export const checkKeyLimit = async (
  tx: Tx,
  { accountId, mode, max }: { accountId: string; mode: Mode; max: number },
): Promise<void> => {
  await lockAccount(tx, accountId)
  const [{ active }] = await tx<[{ active: number }]>`
    SELECT count(*) AS active FROM api_keys
    WHERE account_id = ${accountId} AND mode = ${mode}
      AND key_status(revoked_at, expires_at, clock_timestamp()) = 'active'`
  if (active >= max)
    throw conflict(
      `The account has ${active} active ${mode} keys, and ${max} is the most. Revoke one that is not needed, or have ARDEN_MAX_KEYS raised.`,
    )
}
