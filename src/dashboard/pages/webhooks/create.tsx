import { useState } from 'react'
import type { WebhookWithSecret } from '../../../webhooks/record'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Form } from '../kit/form'
import { useMode } from '../shell/mode'
import { type Fields, WebhookFields } from './fields'

type Props = { onClose: () => void; onMade: (webhook: WebhookWithSecret) => void }

export const CreateWebhook = ({ onClose, onMade }: Props) => {
  const mode = useMode()
  const [fields, setFields] = useState<Fields>({
    url: '',
    events: [],
    description: '',
    ordered: false,
  })
  const create = useChange<WebhookWithSecret>('webhooks')
  const { url, events, description, ordered } = fields
  return (
    <Dialog open sticky title={`Create a ${mode} webhook`} onClose={onClose}>
      <Form
        error={create.error}
        onSubmit={() =>
          create.mutate(
            {
              method: 'POST',
              path: '/v1/webhooks',
              body: { url, events, ordered, ...(description && { description }) },
            },
            { onSuccess: onMade },
          )
        }
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Create
            </Button>
          </Actions>
        }
      >
        <WebhookFields of={fields} onChange={setFields} />
      </Form>
    </Dialog>
  )
}
