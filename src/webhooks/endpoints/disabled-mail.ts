import type { Sql, Tx } from '../../db/connect'
import { composeMessage } from '../../mail/message'
import { queueMail } from '../../mail/queue'
import type { ComposeMail } from '../../mail/sender'

/** How long an email about a webhook is worth sending. */
const HOURS = 72
/** Owners of an account who get an email, the first ones. */
const RECIPIENTS_MAX = 20

/** Sends the owners of an account an email that a webhook was disabled (contract 4.13), in the transaction that disables it. */
export const mailOwners = async (
  tx: Tx,
  accountId: string,
  webhookId: string,
  reason: string,
): Promise<void> => {
  const owners = await tx<{ email: string }[]>`
    SELECT email FROM people WHERE account_id = ${accountId} AND role = 'owner' AND disabled_at IS NULL
    ORDER BY id LIMIT ${RECIPIENTS_MAX}`
  const mails = owners.map(({ email }) => ({
    kind: 'webhook_disabled' as const,
    recipient: email,
    data: { webhook_id: webhookId, reason },
    hours: HOURS,
  }))
  await queueMail(tx, ...mails)
}

/**
 * The text. It names the host only, because URLs of webhooks can have secrets. Undefined when the webhook was enabled or
 * deleted meanwhile, or the person is no owner any more.
 */
export const composeWebhookDisabled =
  (sql: Sql, base: string): ComposeMail =>
  async ({ recipient, data }) => {
    const [webhook] = await sql<WebhookRow[]>`
      SELECT w.id, w.url, w.mode, w.description, a.name AS account
      FROM webhooks w JOIN accounts a ON a.id = w.account_id
        JOIN people p ON p.account_id = a.id AND p.email = ${recipient} AND p.role = 'owner' AND p.disabled_at IS NULL
      WHERE w.id = ${data.webhook_id ?? ''} AND NOT w.enabled AND w.deleted_at IS NULL`
    if (webhook === undefined) return undefined
    const { host } = new URL(webhook.url)
    const described = webhook.description ? `${webhook.description} (${host})` : host
    return composeMessage({
      subject: `Webhook disabled: ${described}`,
      paragraphs: [
        'Hello,',
        `Arden disabled a ${webhook.mode === 'test' ? 'test ' : ''}webhook of the account ${webhook.account}: ${described}. Reason: ${data.reason}.`,
        'It gets no events until you enable it. Correct the endpoint, enable the webhook, and redeliver what failed.',
      ],
      action: {
        label: 'Open the webhook',
        url: `${base.replace(/\/$/, '')}/dashboard/${webhook.mode}/webhooks/${webhook.id}`,
      },
      note: 'Every owner of the account gets this email.',
    })
  }

type WebhookRow = {
  id: string
  url: string
  mode: string
  description: string | null
  account: string
}
