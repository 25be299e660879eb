import { useState } from 'react'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextInput } from '../kit/forms/form'

export const ChangePassword = ({ onClose }: { onClose: () => void }) => {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useChange('sessions', 'audit')
  const send = () =>
    change.mutate(
      { method: 'POST', path: '/me/password', body: { current, password } },
      {
        onSuccess: () => {
          toast({ title: 'Password changed', text: 'Your other sessions have ended.' })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title="Change password"
      description="Your other sessions will end."
      action="Update password"
      change={change}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Current password"
        name="current"
        hint="Leave it empty if you have no password yet: you sign in with a provider, a passkey or a link of arden dev."
      >
        <TextInput
          autoFocus
          type="password"
          autoComplete="current-password"
          value={current}
          onValueChange={setCurrent}
        />
      </Field>
      <Field label="New password" name="password">
        <TextInput
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onValueChange={setPassword}
        />
      </Field>
    </FormDialog>
  )
}
