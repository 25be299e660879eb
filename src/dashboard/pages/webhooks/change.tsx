import { useState } from 'react'
import type { Webhook } from '../../../webhooks/record'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Form } from '../kit/form'
import { toast } from '../kit/toast'
import { type Fields, WebhookFields } from './fields'

export const ChangeWebhook = ({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) => {
  const [fields, setFields] = useState<Fields>({
    url: webhook.url,
    events: webhook.events,
    description: webhook.description ?? '',
    ordered: webhook.ordered,
  })
  const change = useChange<Webhook>('webhooks')
  return (
    <Dialog open sticky title="Change the webhook" onClose={onClose}>
      <Form
        error={change.error}
        onSubmit={() =>
          change.mutate(
            {
              method: 'PATCH',
              path: `/v1/webhooks/${webhook.id}`,
              body: { ...fields, description: fields.description || null },
            },
            {
              onSuccess: () => {
                toast({ title: 'The webhook is changed', text: 'Attempts that begin now use it.' })
                onClose()
              },
            },
          )
        }
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Save
            </Button>
          </Actions>
        }
      >
        <WebhookFields of={fields} onChange={setFields} />
      </Form>
    </Dialog>
  )
}
