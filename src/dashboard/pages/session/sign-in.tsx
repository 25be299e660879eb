import { useState } from 'react'
import { Button } from '../kit/controls/button'
import { Field, Form, TextInput } from '../kit/forms/form'
import { Frame } from './frame'
import { useEnter } from './use-sign-in'

export const SignIn = () => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter('/open/sign-in')
  return (
    <Frame title="Sign in">
      <Form
        error={enter.error}
        actions={
          <Button type="submit" look="primary" className="w-full" busy={enter.isPending}>
            Sign in
          </Button>
        }
        onSubmit={() => enter.mutate({ email, password })}
      >
        <Field label="Email" name="email">
          <TextInput
            type="email"
            autoComplete="username"
            required
            value={email}
            onValueChange={setEmail}
          />
        </Field>
        <Field label="Password" name="password">
          <TextInput
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onValueChange={setPassword}
          />
        </Field>
      </Form>
      <p className="mt-4 text-xs text-muted">
        No password yet, or forgotten? An owner of the account makes a link in the settings, an
        operator with <code className="font-mono">arden users invite</code>.
      </p>
    </Frame>
  )
}
