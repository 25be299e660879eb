import { useState } from 'react'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextInput } from '../kit/forms/form'
import { useMe } from '../session/me'

export const ChangePassword = ({ onClose }: { onClose: () => void }) => {
  const hasPassword = useMe()?.person.has_password ?? true
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useChange('sessions', 'me', 'audit')
  const send = () =>
    change.mutate(
      { method: 'POST', path: '/me/password', body: { current, password } },
      {
        onSuccess: () => {
          toast({
            title: hasPassword ? 'Password changed' : 'Password chosen',
            text: 'Your other sessions have ended.',
          })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={hasPassword ? 'Change password' : 'Choose a password'}
      description={`${hasPassword ? '' : 'You have no password yet. '}Your other sessions will end.`}
      action={hasPassword ? 'Update password' : 'Choose password'}
      change={change}
      onSubmit={send}
      onClose={onClose}
    >
      {hasPassword && (
        <Field label="Current password" name="current">
          <TextInput
            autoFocus
            type="password"
            autoComplete="current-password"
            required
            value={current}
            onValueChange={setCurrent}
          />
        </Field>
      )}
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
