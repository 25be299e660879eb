import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client'
import { Button } from '../kit/controls/button'
import { Form } from '../kit/forms/form'
import { INLINE_LINK } from '../kit/link'
import { EmailField } from './email-field'
import { Frame } from './frame'

/** Requests an email with a link that sets a new password. */
export const ForgotPassword = () => {
  const [email, setEmail] = useState('')
  const request = useMutation({
    mutationFn: () => call('POST', '/open/password-reset', { body: { email } }),
  })
  return (
    <Frame title={request.isSuccess ? 'Check your email' : 'Reset your password'}>
      {request.isSuccess ? (
        <p role="status" className="text-sm text-muted">
          If there is a user with the address{' '}
          <strong className="font-medium break-all text-text">{email}</strong>, a link to choose a
          new password is on its way. It works once, for an hour.
        </p>
      ) : (
        <Form
          error={request.error}
          actions={
            <Button type="submit" variant="primary" className="w-full" busy={request.isPending}>
              Send a link
            </Button>
          }
          onSubmit={() => request.mutate()}
        >
          <p className="text-sm text-muted">
            Enter the email address that you sign in with. You get a link to choose a new password.
          </p>
          <EmailField autoFocus email={email} onChange={setEmail} />
        </Form>
      )}
      <p className="mt-4 text-sm">
        <Link to="/sign-in" search={true} className={INLINE_LINK}>
          Back to sign-in
        </Link>
      </p>
    </Frame>
  )
}
