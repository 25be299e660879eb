import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

/** Disables an enabled webhook, or enables a disabled one. */
export const EnableWebhook = ({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) => {
  const change = useChange<Webhook>('webhooks')
  const { enabled } = webhook
  const host = new URL(webhook.url).host
  return (
    <Confirm
      open
      danger={enabled}
      title={`${enabled ? 'Disable' : 'Enable'} the webhook at ${host}?`}
      action={enabled ? 'Disable' : 'Enable'}
      busy={change.isPending}
      error={change.error}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(
          { method: 'PATCH', path: `/v1/webhooks/${webhook.id}`, body: { enabled: !enabled } },
          {
            onSuccess: () => {
              toast({ title: `The webhook is ${enabled ? 'disabled' : 'enabled'}` })
              onClose()
            },
          },
        )
      }
    >
      {enabled ? (
        <p>
          No more deliveries are sent. New and waiting deliveries fail; they can be redelivered
          after the webhook is enabled again. To delay deliveries without failing them, pause it
          instead.
        </p>
      ) : (
        <p>
          It was {webhook.disabled_reason ?? 'disabled'}. New events will be sent again. Deliveries
          that failed meanwhile can be redelivered.
        </p>
      )}
    </Confirm>
  )
}
