import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../api/client'
import { Problem } from '../kit/layout/problem'
import { INLINE_LINK } from '../kit/link'
import { Frame } from './frame'
import { takeOidcStart } from './oidc-start'
import { useContinue } from './use-sign-in'

/** The page that a provider sends the browser back to: completes the sign-in. */
export const OidcSignIn = () => {
  const continueTo = useContinue()
  const [{ query, start }] = useState(() => ({
    query: location.search.slice(1),
    start: takeOidcStart(),
  }))
  const signIn = useMutation({
    mutationFn: async () => {
      const { invitation, to } = start
      await call('POST', '/open/oidc/sign-in', {
        body: { query, ...(invitation !== undefined && { invitation }) },
      })
      await continueTo(to)
    },
  })
  const { mutate } = signIn
  useEffect(() => {
    // The code works once; it is removed from the browser's history.
    history.replaceState(history.state, '', location.pathname)
    mutate()
  }, [mutate])
  return (
    <Frame title={signIn.error === null ? 'Signing in…' : 'Not signed in'}>
      <Problem error={signIn.error} />
      {signIn.error !== null && (
        <Link to="/sign-in" className={`${INLINE_LINK} mt-4 inline-block text-sm`}>
          Back to sign-in
        </Link>
      )}
    </Frame>
  )
}
