import { useState } from 'react'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'
import { sentence } from '../kit/sentence'
import { nameOf } from '../webhook-name/name'

/** Disables an enabled webhook, or enables a disabled one. */
export const EnableWebhook = ({ of, onClose }: { of: Webhook; onClose: () => void }) => {
  // As it was when the dialog was opened: after a change by another user the button would do the opposite.
  const [webhook] = useState(of)
  const change = useChange<Webhook>('webhooks')
  const { enabled, paused } = webhook
  const name = nameOf(webhook)
  return (
    <Confirm
      open
      danger={enabled}
      title={`${enabled ? 'Disable' : 'Enable'} the webhook ${name}?`}
      action={enabled ? 'Disable' : 'Enable'}
      busy={change.isPending}
      error={change.error}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(
          { method: 'PATCH', path: `/v1/webhooks/${webhook.id}`, body: { enabled: !enabled } },
          {
            onSuccess: () => {
              toast({ title: `Webhook ${enabled ? 'disabled' : 'enabled'}` })
              onClose()
            },
          },
        )
      }
    >
      {enabled ? (
        <p>
          {paused
            ? 'New deliveries fail, and those that wait fail when you resume the webhook. You can redeliver them after you enable it again. To keep deliveries waiting, leave the webhook enabled: it is paused.'
            : 'New and waiting deliveries fail. You can redeliver them after you enable the webhook again. To keep deliveries waiting instead, pause the webhook.'}
        </p>
      ) : (
        <p>
          {sentence(webhook.disabled_reason ?? 'the webhook is disabled')}{' '}
          {paused
            ? 'New and waiting deliveries are sent when you resume the webhook'
            : 'New events will be sent again'}
          , and you can redeliver the deliveries that failed meanwhile.
        </p>
      )}
    </Confirm>
  )
}
