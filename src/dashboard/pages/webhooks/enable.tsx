import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

/** Disables what is enabled, and the reverse. */
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
          Nothing is sent any more. What happens meanwhile is kept as failed, and so is what waits
          for its next attempt; all of it can be redelivered once the webhook is enabled. To hold
          deliveries back without failing them, pause it instead.
        </p>
      ) : (
        <p>
          It was {webhook.disabled_reason ?? 'disabled'}. From now on events are sent again; what
          failed meanwhile is sent when you redeliver it.
        </p>
      )}
    </Confirm>
  )
}
