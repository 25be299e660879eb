import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../api/client'
import { queryClient } from '../../api/queries'
import { toast } from '../../kit/controls/toast'
import { FormDialog } from '../../kit/dialogs/form-dialog'
import { Field, TextInput } from '../../kit/forms/form'
import { PasswordField } from '../../session/password-field'
import { createPasskey } from '../../session/webauthn'

type CreationOptions = { data: PublicKeyCredentialCreationOptionsJSON }

export const AddPasskey = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('')
  const [current, setCurrent] = useState('')
  // Some time after a sign-in.
  const [asksPassword, setAsksPassword] = useState(false)
  const add = useMutation({
    mutationFn: async () => {
      const body = asksPassword ? { current } : {}
      const { data } = await call<CreationOptions>('POST', '/me/passkeys/options', { body })
      const created = await createPasskey(data)
      await call('POST', '/me/passkeys', { body: { name, ...created } })
    },
    onError: error => {
      const isAboutPassword =
        error instanceof ApiError && error.details.some(({ path }) => path === 'current')
      if (isAboutPassword) setAsksPassword(true)
    },
    onSuccess: async () => {
      toast({ title: 'Passkey added', text: 'You can sign in with it from now on.' })
      onClose()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <FormDialog
      title="Add a passkey"
      description="Your browser asks you to unlock this device or a security key."
      action="Continue"
      change={add}
      mayClose
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <Field label="Name" name="name" hint="Such as the device that it is on.">
        <TextInput autoFocus required maxLength={100} value={name} onValueChange={setName} />
      </Field>
      {asksPassword && (
        <PasswordField
          name="current"
          label="Current password"
          autoComplete="current-password"
          password={current}
          onChange={setCurrent}
        />
      )}
    </FormDialog>
  )
}
