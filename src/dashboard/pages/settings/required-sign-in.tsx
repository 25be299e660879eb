import { useState } from 'react'
import type { RequiredSignIn as Required } from '../../../people/schema'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Choice, Choices } from '../kit/forms/form'
import { Card } from '../kit/layout/page'
import { useMe } from '../session/me'
import { useSignInOptions } from '../session/options'

type Way = { required: Required | null; label: string; hint: string }

const WAYS: Way[] = [
  { required: null, label: 'Any', hint: 'Password, passkey or single sign-on.' },
  { required: 'passkey', label: 'Passkey', hint: 'Users without one add it when they sign in.' },
  { required: 'oidc', label: 'Single sign-on', hint: 'Passwords and passkeys no longer suffice.' },
]

const hintOf = ({ required, hint }: Way, hasOidc: boolean): string =>
  required === null && !hasOidc ? 'Password or passkey.' : hint

/** How the users of the account must sign in. Only owners see and change it. */
export const RequiredSignIn = () => {
  const required = useMe()?.account.required_sign_in ?? null
  const [isOpen, setOpen] = useState(false)
  const way = WAYS.find(one => one.required === required)
  const hasOidc = useSignInOptions()?.oidc ?? false
  return (
    <Card
      title="Required sign-in"
      actions={
        <Button aria-label="Change required sign-in" onClick={() => setOpen(true)}>
          Change
        </Button>
      }
    >
      <p className="px-4 py-3 text-sm">
        <span className="font-medium">{way?.label}</span>
        <span className="text-muted">
          . {way && hintOf(way, hasOidc)} API keys are not affected.
        </span>
      </p>
      {isOpen && <ChangeRequired from={required} onClose={() => setOpen(false)} />}
    </Card>
  )
}

const ChangeRequired = ({ from, onClose }: { from: Required | null; onClose: () => void }) => {
  const hasOidc = useSignInOptions()?.oidc ?? false
  const [required, setRequired] = useState(from)
  const change = useChange('me', 'people', 'audit')
  return (
    <FormDialog
      title="Required sign-in"
      description="It applies to all users of the account, from their next request. Sign in that way yourself before you require it."
      action="Save"
      change={change}
      onSubmit={() =>
        change.mutate(
          { method: 'POST', path: '/required-sign-in', body: { required } },
          {
            onSuccess: () => {
              toast({ title: 'Required sign-in saved' })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Choices label="Users sign in with" name="required">
        {WAYS.filter(way => way.required !== 'oidc' || hasOidc || from === 'oidc').map(way => (
          <Choice
            key={way.label}
            type="radio"
            name="required"
            label={way.label}
            hint={hintOf(way, hasOidc)}
            checked={required === way.required}
            onChange={() => setRequired(way.required)}
          />
        ))}
      </Choices>
    </FormDialog>
  )
}
