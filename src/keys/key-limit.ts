import { lockAccount } from '../accounts/store'
import type { Mode } from '../caller'
import type { Tx } from '../db/connect'
import { conflict } from '../errors'
import { keyStatus } from './status'

/**
 * Checks the number of active keys of the account and mode (contract 3.13). Call it in the transaction that creates
 * the key: it locks the account, so concurrent transactions count each other's keys.
 * @throws {DomainError} CONFLICT when the account has `max` active keys of the mode.
 */
export const checkKeyLimit = async (
  tx: Tx,
  { accountId, mode, max }: { accountId: string; mode: Mode; max: number },
): Promise<void> => {
  await lockAccount(tx, accountId)
  const [{ active }] = await tx<[{ active: number }]>`
    SELECT count(*) AS active FROM api_keys k
    WHERE k.account_id = ${accountId} AND k.mode = ${mode} AND ${keyStatus(tx)} = 'active'`
  if (active >= max)
    throw conflict(
      `The account has ${active} active ${mode} keys; the limit is ${max}. Revoke one that is not needed, or ask the operator to raise ARDEN_MAX_KEYS.`,
    )
}
