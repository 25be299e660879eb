import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { hasStoredDrafts } from '../drafts/draft'
import { Button } from '../kit/controls/button'
import { Form } from '../kit/forms/form'
import { INLINE_LINK } from '../kit/link'
import { EmailField } from './email-field'
import { Frame } from './frame'
import { OidcButton } from './oidc-button'
import { useSignInOptions } from './options'
import { Or } from './or'
import { PasskeyButton } from './passkey-button'
import { PasswordField } from './password-field'
import { useSignIn } from './use-sign-in'

export const SignIn = () => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSignIn('/open/sign-in')
  const options = useSignInOptions()
  return (
    <Frame title="Sign in">
      <Ended />
      <Form
        error={signIn.error}
        actions={
          <Button type="submit" variant="primary" className="w-full" busy={signIn.isPending}>
            Sign in
          </Button>
        }
        onSubmit={() => signIn.mutate({ email, password })}
      >
        <EmailField email={email} onChange={setEmail} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          password={password}
          onChange={setPassword}
        />
      </Form>
      <Or>
        <PasskeyButton />
        {options?.oidc && <OidcButton />}
      </Or>
      <Help />
    </Frame>
  )
}

/** Why the page that was open is gone, where its session has ended. */
const Ended = () => {
  const { ended } = useSearch({ strict: false }) as { ended?: number }
  if (ended === undefined) return null
  return (
    <p role="status" className="mb-4 text-sm text-muted">
      Your session has ended. Sign in again to continue.
      {hasStoredDrafts() && ' Your unsaved changes are kept in this tab.'}
    </p>
  )
}

const Help = () => {
  const options = useSignInOptions()
  if (options === undefined) return null
  if (options.sends_mail)
    return (
      <p className="mt-4 text-sm">
        <Link to="/forgot-password" search={true} className={INLINE_LINK}>
          Forgot your password?
        </Link>
      </p>
    )
  return (
    <p className="mt-4 text-xs text-muted">
      No password yet, or forgotten? Ask an owner of the account for a link, or an operator to run{' '}
      <code className="font-mono">arden users invite</code>.
    </p>
  )
}
