import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'
import { nameOf } from '../webhook-name/name'

type Props = { of: Webhook; onClose: () => void; onDone: () => void }

export const RemoveWebhook = ({ of: webhook, onClose, onDone }: Props) => {
  const remove = useChange('webhooks', 'deliveries')
  const name = nameOf(webhook)
  return (
    <Confirm
      open
      title={`Delete the webhook ${name}?`}
      action="Delete permanently"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1/webhooks/${webhook.id}` },
          {
            onSuccess: () => {
              toast({ title: `Webhook ${name} deleted` })
              onDone()
            },
          },
        )
      }
    >
      <p>{name} receives no more events, and waiting deliveries fail. Its secret is deleted.</p>
      <p>Past deliveries stay listed but cannot be redelivered.</p>
    </Confirm>
  )
}
