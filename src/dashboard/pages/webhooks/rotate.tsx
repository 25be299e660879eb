import { useState } from 'react'
import type { Webhook, WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { exactTime } from '../kit/controls/time'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, Select } from '../kit/forms/form'

const OVERLAPS = [
  [3_600, '1 hour'],
  [21_600, '6 hours'],
  [86_400, '1 day'],
  [0, 'Revoke it immediately'],
] as const

type Props = { of: Webhook; onClose: () => void; onCreated: (webhook: WebhookWithSecret) => void }

export const RotateSecret = ({ of: webhook, onClose, onCreated }: Props) => {
  const [seconds, setSeconds] = useState<number>(OVERLAPS[0][0])
  const rotate = useChange<WebhookWithSecret>('webhooks', 'deliveries')
  return (
    <FormDialog
      title="Rotate secret"
      description="All further attempts, including retries, are signed with a new secret."
      action="Rotate"
      danger
      change={rotate}
      onSubmit={() =>
        rotate.mutate(
          {
            method: 'POST',
            path: `/v1/webhooks/${webhook.id}/rotate-secret`,
            body: { overlap_seconds: seconds },
          },
          { onSuccess: onCreated },
        )
      }
      onClose={onClose}
    >
      <Field
        label="Keep the current secret valid for"
        name="overlap_seconds"
        hint={
          seconds === 0
            ? 'For a leaked secret. Receivers reject deliveries until they have the new one.'
            : `Until ${exactTime(new Date(Date.now() + seconds * 1000).toISOString())}, the header webhook-signature contains both signatures.`
        }
      >
        <Select value={seconds} onChange={event => setSeconds(Number(event.target.value))}>
          {OVERLAPS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
      <p className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
        The header X-Webhook-Signature uses only the new secret. Receivers that check this header
        reject deliveries until they have the new secret. Rejected deliveries are retried and can be
        redelivered.
      </p>
    </FormDialog>
  )
}
