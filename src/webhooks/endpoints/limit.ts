import { lockAccount } from '../../accounts/store'
import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { conflict } from '../../errors'

/**
 * Call it before creating a webhook, in the same transaction: of those that create at once, each counts
 * what the others have committed. Disabled webhooks count, deleted ones do not; each mode by itself.
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
      `The account has ${count} ${mode} webhooks, and ${max} is the most. Delete one that is not needed, or have ARDEN_MAX_WEBHOOKS raised.`,
    )
}
