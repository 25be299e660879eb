/**
 * Automatic disabling (contract 4.13). `record_attempts` maintains since when a webhook has been failing; the view
 * `webhook_states` reads it.
 */
import { recordAudit } from '../../accounts/audit'
import type { Sql } from '../../db/connect'
import { mailOwners } from './disabled-mail'
import { clearSlow } from './slow-webhooks'

/**
 * Disables a webhook that has been failing for `afterDays` (0: never), with an audit entry, and an email to the owners
 * where `sendsMail`, and returns whether it did. Skips a locked row, because many deliveries fail at a time and each would
 * wait on a connection; the next failure tries again.
 */
export const disableIfFailing = async (
  sql: Sql,
  webhookId: string,
  { afterDays, sendsMail }: { afterDays: number; sendsMail: boolean },
): Promise<boolean> => {
  if (afterDays === 0) return false
  const reason = `every delivery failed for ${afterDays} ${afterDays === 1 ? 'day' : 'days'}`
  return sql.begin(async tx => {
    const [webhook] = await tx<{ account_id: string; failing_since: Date }[]>`
      UPDATE webhooks SET enabled = false, disabled_reason = ${reason}, updated_at = clock_timestamp()
      WHERE id IN (
        SELECT w.id FROM webhook_states w
        WHERE w.id = ${webhookId} AND w.enabled AND NOT w.deleted
          AND w.failing_since <= clock_timestamp() - make_interval(days => ${afterDays})
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING account_id, failing_since`
    if (webhook === undefined) return false
    await clearSlow(tx, webhookId)
    await recordAudit(
      tx,
      {
        accountId: webhook.account_id,
        actor: { type: 'system', id: 'arden', name: 'Arden' },
        address: null,
      },
      'webhook.disabled',
      webhookId,
      { reason, failing_since: webhook.failing_since.toISOString() },
    )
    if (sendsMail) await mailOwners(tx, webhook.account_id, webhookId, reason)
    return true
  })
}
