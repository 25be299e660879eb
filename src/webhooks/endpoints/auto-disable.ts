/**
 * Webhooks whose every delivery fails are disabled after some days (ARDEN_DISABLE_AFTER_DAYS): at a
 * delivery that ends FAILED so long after the first one that did, with none DELIVERED in between. One
 * failure and then silence disables nothing. `webhooks.failing_since` is kept by `record_attempts`, which waits
 * for nobody who holds the webhook: then the beginning of a failing is written at its next failure, and its end is
 * noted in `recovered_webhooks`.
 */
import { recordAudit } from '../../accounts/audit'
import type { Db, Fragment, Sql } from '../../db/connect'
import { clearSlow } from './slow-webhooks'

/** SQL for since when the webhook `w` has been failing; NULL when it is not. */
export const failingSince = (db: Db): Fragment => db`
  CASE WHEN NOT EXISTS (
    SELECT FROM recovered_webhooks r WHERE r.webhook_id = w.id AND r.failing_since = w.failing_since
  ) THEN w.failing_since END`

/**
 * Disables a webhook that has been failing for `afterDays`, unless that is 0, with an audit entry. One that somebody
 * holds is left to its next delivery that fails: many fail at a time, and each would wait on a connection.
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
