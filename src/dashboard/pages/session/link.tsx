import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Field, Form, TextInput } from '../kit/forms/form'
import { Problem } from '../kit/layout/problem'
import { Frame } from './frame'
import { useEnter } from './use-sign-in'

type Holder = { email: string | null; account_name: string; purpose: 'invitation' | 'dev' }

/** The page of a one-time link, whose token stands behind the #: it is in no log of a server. */
export const SignInLink = () => {
  const [token] = useState(() => location.hash.slice(1))
  useEffect(() => {
    // Nor stays it in the browser's history.
    history.replaceState(history.state, '', location.pathname)
  }, [])
  const holder = useQuery({
    queryKey: [null, 'link', token],
    queryFn: async () =>
      (await call<{ data: Holder }>('POST', '/open/link', { body: { token } })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (holder.error)
    return (
      <Frame title="This link does not work">
        <Problem error={holder.error} />
        <Link to="/sign-in" className="mt-4 inline-block text-sm text-accent underline">
          Sign in with a password
        </Link>
      </Frame>
    )
  if (holder.data === undefined) return <Frame title="One moment …">{null}</Frame>
  return <Welcome token={token} holder={holder.data} />
}

const Welcome = ({ token, holder }: { token: string; holder: Holder }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter('/open/link/sign-in')
  const isInvitation = holder.purpose === 'invitation'
  return (
    <Frame title={isInvitation ? 'You are invited' : 'Welcome'}>
      <Form
        error={enter.error}
        actions={
          <Button type="submit" look="primary" className="w-full" busy={enter.isPending}>
            Sign in
          </Button>
        }
        onSubmit={() =>
          enter.mutate({
            token,
            ...(holder.email === null && { email }),
            ...(isInvitation && { password }),
          })
        }
      >
        <p className="text-sm text-muted">
          <strong className="font-medium text-text">{holder.email ?? 'You'}</strong>{' '}
          {holder.email === null ? 'join' : 'signs in to'} the account{' '}
          <strong className="font-medium text-text">{holder.account_name}</strong>.
        </p>
        {holder.email === null && (
          <Field label="Email" name="email" hint="You sign in with it from now on.">
            <TextInput
              type="email"
              autoComplete="username"
              required
              value={email}
              onValueChange={setEmail}
            />
          </Field>
        )}
        {isInvitation && (
          <Field label="Choose a password" name="password" hint="At least 10 characters.">
            <TextInput
              type="password"
              autoComplete="new-password"
              required
              value={password}
              onValueChange={setPassword}
            />
          </Field>
        )}
      </Form>
    </Frame>
  )
}
