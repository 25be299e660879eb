import { useState } from 'react'
import type { ApiKeyWithValue } from '../../../keys/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Choice, Choices, Field, TextInput } from '../kit/forms/form'
import { useMode } from '../mode'

type Props = { onClose: () => void; onCreated: (key: ApiKeyWithValue) => void }

export const CreateKey = ({ onClose, onCreated }: Props) => {
  const mode = useMode()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<'read' | 'write'>('write')
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
          scopes: scope === 'write' ? ['read', 'write'] : ['read'],
          rate_limit: Number(limit),
          // Midnight in the browser's time zone, as the field shows it.
          ...(expires && { expires_at: new Date(`${expires}T00:00`).toISOString() }),
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
      <Choices label="Scopes" name="scopes">
        <Choice
          type="radio"
          name="scope"
          label="Read and write"
          hint="Full access to the API."
          checked={scope === 'write'}
          onChange={() => setScope('write')}
        />
        <Choice
          type="radio"
          name="scope"
          label="Read only"
          hint="GET requests only."
          checked={scope === 'read'}
          onChange={() => setScope('read')}
        />
      </Choices>
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
        <Field label="Expires" name="expires_at" hint="Leave empty for no expiry.">
          <TextInput type="date" value={expires} onValueChange={setExpires} />
        </Field>
      </div>
    </FormDialog>
  )
}
