import { useState } from 'react'
import type { WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useMode } from '../mode'
import { type Fields, WebhookFields } from './fields'

type Props = { onClose: () => void; onCreated: (webhook: WebhookWithSecret) => void }

export const CreateWebhook = ({ onClose, onCreated }: Props) => {
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
    <FormDialog
      title={`Create a ${mode} webhook`}
      action="Create"
      change={create}
      onSubmit={() =>
        create.mutate(
          {
            method: 'POST',
            path: '/v1/webhooks',
            body: { url, events, ordered, ...(description && { description }) },
          },
          { onSuccess: onCreated },
        )
      }
      onClose={onClose}
    >
      <WebhookFields of={fields} onChange={setFields} />
    </FormDialog>
  )
}
