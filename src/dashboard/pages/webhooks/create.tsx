import { useState } from 'react'
import type { WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useMode } from '../mode'
import { type Fields, toBody, WebhookFields } from './fields'
import { findRepeatedHeaders } from './headers'

type Props = { onClose: () => void; onCreated: (webhook: WebhookWithSecret) => void }

export const CreateWebhook = ({ onClose, onCreated }: Props) => {
  const mode = useMode()
  const [fields, setFields] = useState<Fields>({
    url: '',
    events: [],
    description: '',
    ordered: false,
    headers: [],
  })
  const create = useChange<WebhookWithSecret>('webhooks')
  return (
    <FormDialog
      title={`Create a ${mode} webhook`}
      action="Create"
      change={create}
      check={() => findRepeatedHeaders(fields.headers)}
      onSubmit={() =>
        create.mutate(
          { method: 'POST', path: '/v1/webhooks', body: toBody(fields) },
          { onSuccess: onCreated },
        )
      }
      onClose={onClose}
    >
      <WebhookFields of={fields} onChange={setFields} />
    </FormDialog>
  )
}
