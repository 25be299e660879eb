import { useState } from 'react'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Field, Form, TextInput } from '../kit/form'
import { toast } from '../kit/toast'

export const ChangePassword = ({ onClose }: { onClose: () => void }) => {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useChange('sessions')
  const send = () =>
    change.mutate(
      { method: 'POST', path: '/me/password', body: { current, password } },
      {
        onSuccess: () => {
          toast({ title: 'Your password is changed', text: 'Your other sessions have ended.' })
          onClose()
        },
      },
    )
  return (
    <Dialog
      open
      sticky
      title="Change your password"
      description="Your other sessions end with it."
      onClose={onClose}
    >
      <Form
        error={change.error}
        onSubmit={send}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Change
            </Button>
          </Actions>
        }
      >
        <Field
          label="Present password"
          name="current"
          hint="Leave it empty if you came by a link of arden dev and have none yet."
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
      </Form>
    </Dialog>
  )
}
