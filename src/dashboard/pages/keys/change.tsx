import { useState } from 'react'
import type { ApiKey } from '../../../keys/schema'
import { useChange, useRecord } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useChangedMembers, useOverwritten } from '../kit/forms/changed-members'
import { Field, TextInput } from '../kit/forms/form'

export const ChangeKey = ({ of: key, onClose }: { of: ApiKey; onClose: () => void }) => {
  const [name, setName] = useState(key.name)
  const [limit, setLimit] = useState(String(key.rate_limit))
  const change = useChange<ApiKey>('api-keys')
  const body = useChangedMembers({ name, rate_limit: Number(limit) })
  // The list has no ETags.
  const { data: current = key } = useRecord<ApiKey>('api-keys', `/api-keys/${key.id}`)
  const overwrites = useOverwritten(body, current)
  const send = () =>
    change.mutate(
      {
        method: 'PATCH',
        path: `/v1/api-keys/${key.id}`,
        asRead: true,
        body,
      },
      {
        onSuccess: changed => {
          toast({ title: `${changed.name} updated`, text: 'Changes apply from the next request.' })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={`Edit ${key.name}`}
      action="Save"
      change={change}
      overwrites={overwrites}
      onSubmit={send}
      onClose={onClose}
    >
      <Field label="Name" name="name">
        <TextInput required maxLength={100} value={name} onValueChange={setName} />
      </Field>
      <Field
        label="Requests per hour"
        name="rate_limit"
        hint="1 to 100,000. Requests of the last hour count towards the new limit."
      >
        <TextInput
          type="number"
          inputMode="numeric"
          required
          value={limit}
          onValueChange={setLimit}
        />
      </Field>
    </FormDialog>
  )
}
