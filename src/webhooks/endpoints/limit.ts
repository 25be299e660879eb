import { lockAccount } from '../../accounts/store'
import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { conflict } from '../../errors'

/**
 * Checks the number of webhooks of the tenant (contract 4.15), in the transaction that creates one. Locks the account,
 * so that concurrent creates count each other.
 * @throws {DomainError} CONFLICT when there are `max`.
 */
export const checkWebhookLimit = async (
  tx: Tx,
  { accountId, mode }: Tenant,
  max: number,
): Promise<void> => {
  await lockAccount(tx, accountId)
  const [{ count }] = await tx<[{ count: number }]>`
    SELECT count(*) AS count FROM webhooks
    WHERE account_id = ${accountId} AND mode = ${mode} AND deleted_at IS NULL`
  if (count >= max)
    throw conflict(
      `The account has ${count} ${mode} webhooks; the limit is ${max}. Delete one that is not needed, or ask the operator to raise ARDEN_MAX_WEBHOOKS.`,
    )
}
