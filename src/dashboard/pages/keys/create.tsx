import { useState } from 'react'
import type { ApiKeyWithValue } from '../../../keys/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { beginningOf } from '../kit/forms/filters'
import { Field, TextInput } from '../kit/forms/form'
import { useMode } from '../mode'
import { type Access, ScopeChoices, scopesOf } from './scopes'

type Props = { onClose: () => void; onCreated: (key: ApiKeyWithValue) => void }

export const CreateKey = ({ onClose, onCreated }: Props) => {
  const mode = useMode()
  const [name, setName] = useState('')
  const [access, setAccess] = useState<Access>('write')
  const [limit, setLimit] = useState('1000')
  const [expires, setExpires] = useState('')
  const create = useChange<ApiKeyWithValue>('api-keys')
  const send = () =>
    create.mutate(
      {
        method: 'POST',
        path: '/v1/api-keys',
        body: {
          name,
          mode,
          scopes: scopesOf(access),
          rate_limit: Number(limit),
          // The server refuses a day that is none, such as one of the year 20266.
          ...(expires && { expires_at: beginningOf(expires, 1) ?? expires }),
        },
      },
      { onSuccess: onCreated },
    )
  return (
    <FormDialog
      title={`Create a ${mode} API key`}
      action="Create"
      change={create}
      onSubmit={send}
      onClose={onClose}
    >
      <Field label="Name" name="name" hint="For example the application that uses the key.">
        <TextInput autoFocus required maxLength={100} value={name} onValueChange={setName} />
      </Field>
      <ScopeChoices access={access} onChange={setAccess} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Requests per hour" name="rate_limit" hint="1 to 100,000.">
          <TextInput
            type="number"
            inputMode="numeric"
            required
            value={limit}
            onValueChange={setLimit}
          />
        </Field>
        <Field
          label="Expires"
          name="expires_at"
          hint="Its last day, in your time zone. Leave empty for no expiry."
        >
          <TextInput type="date" value={expires} onValueChange={setExpires} />
        </Field>
      </div>
    </FormDialog>
  )
}
