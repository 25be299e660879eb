import { useState } from 'react'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useMe } from '../session/me'
import { NEW_PASSWORD_HINT, PasswordField } from '../session/password-field'

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
        <PasswordField
          autoFocus
          name="current"
          label="Current password"
          autoComplete="current-password"
          password={current}
          onChange={setCurrent}
        />
      )}
      <PasswordField
        label="New password"
        hint={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        password={password}
        onChange={setPassword}
      />
    </FormDialog>
  )
}
