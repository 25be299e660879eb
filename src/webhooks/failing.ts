/**
 * Webhooks whose every delivery fails are disabled after some days (ARDEN_DISABLE_AFTER_DAYS): at a
 * delivery that ends FAILED so long after the first one that did, with none DELIVERED in between. One
 * failure and then silence disables nothing. `webhooks.failing_since` is kept by `record_attempts`.
 */
import { recordAudit } from '../accounts/audit'
import type { Sql } from '../db/connect'
import { forgetSlow } from './slow'

/** Disables a webhook that has been failing for `afterDays`, unless that is 0, with an audit entry. */
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
      WHERE id = ${webhookId} AND enabled AND deleted_at IS NULL
        AND failing_since <= clock_timestamp() - make_interval(days => ${afterDays})
      RETURNING account_id, failing_since`
    if (webhook === undefined) return
    await forgetSlow(tx, webhookId)
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
