/**
 * Automatic disabling (contract 4.13). `record_attempts` maintains `webhooks.failing_since`. It does not wait for a
 * locked webhook row: it then sets the start at the next failure, and notes a recovery in `recovered_webhooks`.
 */
import { recordAudit } from '../../accounts/audit'
import type { Db, Fragment, Sql } from '../../db/connect'
import { clearSlow } from './slow-webhooks'

/** SQL for the time of the first failure of webhook `w` since its last success; NULL while it is not failing. */
export const failingSince = (db: Db): Fragment => db`
  CASE WHEN NOT EXISTS (
    SELECT FROM recovered_webhooks r WHERE r.webhook_id = w.id AND r.failing_since = w.failing_since
  ) THEN w.failing_since END`

/**
 * Disables a webhook that has been failing for `afterDays` (0: never), with an audit entry. Skips a locked row, because
 * many deliveries fail at a time and each would wait on a connection; the next failure tries again.
 */
export const disableIfFailing = async (
  sql: Sql,
  webhookId: string,
  afterDays: number,
): Promise<void> => {
  if (afterDays === 0) return
  const reason = `every delivery failed for ${afterDays} ${afterDays === 1 ? 'day' : 'days'}`
  await sql.begin(async tx => {
    const [webhook] = await tx<{ account_id: string; failing_since: Date }[]>`
      UPDATE webhooks SET enabled = false, disabled_reason = ${reason}
      WHERE id IN (
        SELECT w.id FROM webhooks w
        WHERE w.id = ${webhookId} AND w.enabled AND w.deleted_at IS NULL
          AND ${failingSince(tx)} <= clock_timestamp() - make_interval(days => ${afterDays})
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING account_id, failing_since`
    if (webhook === undefined) return
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
  })
}
