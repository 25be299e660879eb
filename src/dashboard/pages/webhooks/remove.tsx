import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

type Props = { of: Webhook; onClose: () => void; onDone: () => void }

export const RemoveWebhook = ({ of: webhook, onClose, onDone }: Props) => {
  const remove = useChange('webhooks', 'deliveries')
  const host = new URL(webhook.url).host
  return (
    <Confirm
      open
      title={`Delete the webhook at ${host}?`}
      action="Delete permanently"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1/webhooks/${webhook.id}` },
          {
            onSuccess: () => {
              toast({ title: `Webhook at ${host} deleted` })
              onDone()
            },
          },
        )
      }
    >
      <p>{host} receives no more events, and waiting deliveries fail. Its secret is deleted.</p>
      <p>Past deliveries stay listed but cannot be redelivered.</p>
    </Confirm>
  )
}
