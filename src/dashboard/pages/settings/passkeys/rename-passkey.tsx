import { useState } from 'react'
import type { Passkey } from '../../../../people/passkeys/schema'
import { useChange } from '../../api/queries'
import { FormDialog } from '../../kit/dialogs/form-dialog'
import { Field, TextInput } from '../../kit/forms/form'

export const RenamePasskey = ({ of: passkey, onClose }: { of: Passkey; onClose: () => void }) => {
  const [name, setName] = useState(passkey.name)
  const rename = useChange<Passkey>('sessions')
  return (
    <FormDialog
      title="Rename the passkey"
      action="Rename"
      change={rename}
      onSubmit={() =>
        rename.mutate(
          { method: 'PATCH', path: `/me/passkeys/${passkey.id}`, body: { name } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field label="Name" name="name">
        <TextInput autoFocus required maxLength={100} value={name} onValueChange={setName} />
      </Field>
    </FormDialog>
  )
}
