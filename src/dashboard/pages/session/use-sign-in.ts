import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ApiError, call } from '../api/client'
import { forgetUser, queryClient } from '../api/queries'
import { meOptions } from './me'

/** Signs in and continues to the requested page. */
export const useSignIn = (path: '/open/sign-in' | '/open/link/sign-in') => {
  const continueTo = useContinue()
  const { to } = useSearch({ strict: false }) as { to?: string }
  return useMutation<void, Error, { token?: string; email?: string; password?: string }>({
    mutationFn: async body => {
      await call('POST', path, { body })
      await continueTo(to)
    },
  })
}

/** Continues to a page after a sign-in. That page replaces the sign-in page: Back does not lead to it. */
export const useContinue = () => {
  const navigate = useNavigate()
  return async (to: string | undefined): Promise<void> => {
    forgetUser()
    await queryClient.fetchQuery(meOptions).catch(error => {
      throw error instanceof ApiError && error.status === 401 ? cookieRefused() : error
    })
    await navigate({ href: pageOf(to), replace: true })
  }
}

/** `to`, if it is a page of the dashboard: it comes from the URL. Otherwise the first page. */
export const pageOf = (to: string | undefined): string =>
  to !== undefined && /^\/(live|test)\b/.test(to) ? to : '/'

const cookieRefused = () =>
  new Error(
    'You are signed in, but your browser did not store the session cookie, because this page was not loaded over HTTPS. Open the dashboard over HTTPS, or at http://localhost with Chrome or Firefox.',
  )
