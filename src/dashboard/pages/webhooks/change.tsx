import { useState } from 'react'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useChangedMembers, useOverwritten } from '../kit/forms/changed-members'
import { type Fields, toBody, WebhookFields } from './fields'
import { findRepeatedHeaders, storedRows } from './headers'

export const ChangeWebhook = ({ of, onClose }: { of: Webhook; onClose: () => void }) => {
  // As it was when the dialog was opened: a header that was added since must not count as removed.
  const [webhook] = useState(of)
  const [fields, setFields] = useState<Fields>({
    url: webhook.url,
    events: webhook.events,
    description: webhook.description ?? '',
    ordered: webhook.ordered,
    headers: storedRows(webhook.headers),
  })
  const body = useChangedMembers(toBody(fields, webhook.headers))
  const overwrites = useOverwritten(body, of)
  const change = useChange<Webhook>('webhooks')
  return (
    <FormDialog
      title="Edit webhook"
      action="Save"
      change={change}
      overwrites={overwrites}
      check={() => findRepeatedHeaders(fields.headers)}
      onSubmit={() =>
        change.mutate(
          {
            method: 'PATCH',
            path: `/v1/webhooks/${webhook.id}`,
            asRead: true,
            body,
          },
          {
            onSuccess: () => {
              toast({ title: 'Webhook updated', text: 'Changes apply from the next attempt.' })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <WebhookFields of={fields} onChange={setFields} />
    </FormDialog>
  )
}
