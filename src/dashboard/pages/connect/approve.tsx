import { useState } from 'react'
import { useChange } from '../api/queries'
import { type Access, ScopeChoices, scopesOf } from '../keys/scopes'
import { Button } from '../kit/controls/button'
import { Choice, Choices, Field, Form, TextInput } from '../kit/forms/form'
import { useMode } from '../mode'
import { useMe } from '../session/me'

type Props = { challenge: string; code: string; client: string; onApproved: () => void }

/** Name, mode and scopes of the key that a terminal gets. */
export const ApproveForm = ({ challenge, code, client, onApproved }: Props) => {
  const me = useMe()
  const [name, setName] = useState(client === '' ? 'arden login' : `arden login on ${client}`)
  const [mode, setMode] = useState(useMode())
  const [access, setAccess] = useState<Access>('write')
  const approve = useChange('api-keys')
  const send = () =>
    approve.mutate(
      {
        method: 'POST',
        path: '/cli-sign-ins',
        body: { challenge, name, mode, scopes: scopesOf(access) },
      },
      { onSuccess: onApproved },
    )
  return (
    <div className="p-4 sm:p-6">
      <p className="text-sm text-muted">
        A terminal{client !== '' && ` on ${client}`} asks for an API key of the account{' '}
        <strong className="font-medium text-text">{me?.account.name}</strong>. Check that it shows
        this code:
      </p>
      <p className="my-4 font-mono text-2xl font-semibold tracking-widest">{code}</p>
      <p className="mb-6 text-sm text-muted">
        If you did not run <code className="font-mono">arden login</code> just now, or your terminal
        shows another code, close this page. Otherwise another person gets the key.
      </p>
      <Form
        error={approve.error}
        onSubmit={send}
        actions={
          <Button type="submit" variant="primary" busy={approve.isPending}>
            Create key
          </Button>
        }
      >
        <Field label="Name" name="name" hint="It is in the list of API keys under this name.">
          <TextInput required maxLength={100} value={name} onValueChange={setName} />
        </Field>
        <Choices label="Mode" name="mode">
          <Choice
            type="radio"
            name="mode"
            label="Test"
            hint="Test records only, nothing is billed."
            checked={mode === 'test'}
            onChange={() => setMode('test')}
          />
          <Choice
            type="radio"
            name="mode"
            label="Live"
            hint="Your production records and plan."
            checked={mode === 'live'}
            onChange={() => setMode('live')}
          />
        </Choices>
        <ScopeChoices access={access} onChange={setAccess} />
      </Form>
    </div>
  )
}
