import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Passkey } from '../../../people/passkeys/schema'
import { useDashboard } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Frame } from '../session/frame'
import { useMe } from '../session/me'
import { OidcButton } from '../session/oidc-button'
import { useSignInOptions } from '../session/options'
import { useSignOut } from '../session/sign-out'
import { pageOf } from '../session/use-sign-in'
import { AddPasskey } from '../settings/passkeys/add-passkey'

/** Instead of all pages, until the user has signed in as the account requires. */
export const SignInNeeded = () => {
  const me = useMe()
  const { to } = useSearch({ strict: false }) as { to?: string }
  const { signOut, question } = useSignOut(to)
  const navigate = useNavigate()
  const isDone = me?.needed_sign_in === null
  useEffect(() => {
    if (isDone) void navigate({ href: pageOf(to), replace: true })
  }, [isDone, to, navigate])
  if (me === undefined || isDone) return null
  return (
    <Frame title={me.needed_sign_in === 'oidc' ? 'Use single sign-on' : 'Use a passkey'}>
      <p className="mb-4 text-sm text-muted">
        You are signed in as{' '}
        <strong className="font-medium break-all text-text">{me.person.email}</strong>. The account{' '}
        <strong className="font-medium text-text">{me.account.name}</strong> requires{' '}
        {me.needed_sign_in === 'oidc' ? 'single sign-on.' : 'a passkey.'}
      </p>
      <div className="space-y-3">
        {me.needed_sign_in === 'oidc' ? <SingleSignOn /> : <PasskeySetup />}
        <Button className="w-full" onClick={signOut}>
          Sign out
        </Button>
      </div>
      {question}
    </Frame>
  )
}

/** A provider that was configured when single sign-on was required can be gone. */
const SingleSignOn = () => {
  const me = useMe()
  return useSignInOptions()?.oidc === false ? (
    <p className="text-sm">
      This Arden has no OpenID Connect provider. An operator configures it, or requires it no longer
      with{' '}
      <code className="font-mono break-all">
        arden accounts require-sign-in {me?.account.id} any
      </code>
      .
    </p>
  ) : (
    <OidcButton />
  )
}

const PasskeySetup = () => {
  const passkeys = useDashboard<Passkey[]>('sessions', '/me/passkeys')
  const [isOpen, setOpen] = useState(false)
  if (passkeys.data === undefined) return null
  return passkeys.data.length > 0 ? (
    <p className="text-sm">
      You have a passkey: sign out, and sign in with it. If it is lost, ask an owner of the account
      or the operator to reset your sign-in.
    </p>
  ) : (
    <>
      <Button variant="primary" className="w-full" onClick={() => setOpen(true)}>
        Add a passkey
      </Button>
      {isOpen && <AddPasskey onClose={() => setOpen(false)} />}
    </>
  )
}
