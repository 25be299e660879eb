import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { LinkPurpose } from '../../../people/schema'
import { ApiError, call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Form } from '../kit/forms/form'
import { Problem } from '../kit/layout/problem'
import { INLINE_LINK } from '../kit/link'
import { EmailField } from './email-field'
import { Frame } from './frame'
import { OidcButton } from './oidc-button'
import { useSignInOptions } from './options'
import { Or } from './or'
import { NEW_PASSWORD_HINT, PasswordField } from './password-field'
import { useSignIn } from './use-sign-in'

type LinkHolder = {
  email: string | null
  account_name: string
  purpose: LinkPurpose
  /** Using it creates the user. */
  joins: boolean
  /** A password would not suffice, and single sign-on is configured. */
  requires_oidc: boolean
}

/** The page of a one-time link. Its token is in the fragment, so that servers do not log it. */
export const SignInLink = () => {
  const token = useToken()
  return token === '' ? (
    <Frame title="Open the link again">
      <p className="text-sm">
        This page forgot the link when it was loaded again. Open the link once more where you
        received it.
      </p>
    </Frame>
  ) : (
    <LinkPage key={token} token={token} />
  )
}

/** The token of the link that was opened last in this tab. It is removed from the browser's history. */
const useToken = (): string => {
  const [token, setToken] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const removeToken = () => history.replaceState(history.state, '', location.pathname)
    const onHashChange = () => {
      setToken(location.hash.slice(1))
      removeToken()
    }
    removeToken()
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])
  return token
}

const LinkPage = ({ token }: { token: string }) => {
  const options = useSignInOptions()
  const holder = useQuery({
    queryKey: [null, 'link', token],
    queryFn: async () =>
      (await call<{ data: LinkHolder }>('POST', '/open/link', { body: { token } })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (holder.error)
    return (
      <Frame title="This link is not valid">
        <Problem error={holder.error} />
        <p className="mt-4 flex flex-wrap gap-4 text-sm">
          <Link to="/sign-in" className={INLINE_LINK}>
            Sign in with a password
          </Link>
          {options?.sends_mail && (
            <Link to="/forgot-password" className={INLINE_LINK}>
              Get a link for a new password by email
            </Link>
          )}
        </p>
      </Frame>
    )
  if (holder.data === undefined) return <Frame title="Loading…">{null}</Frame>
  return <Welcome token={token} holder={holder.data} />
}

const Welcome = (props: { token: string; holder: LinkHolder }) =>
  props.holder.requires_oidc && props.holder.purpose !== 'dev' ? (
    <ProviderOnly {...props} />
  ) : (
    <PasswordFirst {...props} />
  )

/** Where a password would not suffice (contract 3.24). */
const ProviderOnly = ({ token, holder }: { token: string; holder: LinkHolder }) => (
  <Frame title={titleOf(holder)}>
    <p className="mb-4 text-sm text-muted">
      The account <strong className="font-medium text-text">{holder.account_name}</strong> requires
      single sign-on. You do not need a password.
    </p>
    {holder.joins ? <OidcButton invitation={token} /> : <OidcButton />}
  </Frame>
)

const titleOf = ({ purpose, joins, requires_oidc }: LinkHolder) => {
  if (purpose === 'dev') return 'Welcome'
  if (joins) return 'You are invited'
  return requires_oidc ? 'Use single sign-on' : 'Choose a new password'
}

const PasswordFirst = ({ token, holder }: { token: string; holder: LinkHolder }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSignIn('/open/link/sign-in')
  const options = useSignInOptions()
  const choosesPassword = holder.purpose !== 'dev'
  // The invited address belongs to a user of another account.
  const [isTaken, setIsTaken] = useState(false)
  const entersEmail = holder.email === null || isTaken
  return (
    <Frame title={titleOf(holder)}>
      <Form
        error={signIn.error}
        actions={
          <Button type="submit" variant="primary" className="w-full" busy={signIn.isPending}>
            Sign in
          </Button>
        }
        onSubmit={() =>
          signIn.mutate(
            { token, ...(entersEmail && { email }), ...(choosesPassword && { password }) },
            {
              onError: error => {
                if (error instanceof ApiError && error.status === 409) setIsTaken(true)
              },
            },
          )
        }
      >
        <p className="text-sm text-muted">
          <strong className="font-medium text-text">{holder.email ?? 'You'}</strong>{' '}
          {holder.email === null ? 'join' : 'signs in to'} the account{' '}
          <strong className="font-medium text-text">{holder.account_name}</strong>.
        </p>
        {entersEmail && (
          <EmailField email={email} onChange={setEmail} hint="You will sign in with it." />
        )}
        {choosesPassword && (
          <PasswordField
            label="Choose a password"
            hint={NEW_PASSWORD_HINT}
            autoComplete="new-password"
            password={password}
            onChange={setPassword}
          />
        )}
      </Form>
      {holder.joins && options?.oidc && (
        <Or>
          <OidcButton invitation={token} />
        </Or>
      )}
    </Frame>
  )
}
