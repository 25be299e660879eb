import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ApiError, call } from '../api/client'
import { queryClient } from '../api/queries'
import { meOptions } from './me'

/** Signs in by one of the open routes, and goes to where one was going. */
export const useEnter = (path: '/open/sign-in' | '/open/link/sign-in') => {
  const navigate = useNavigate()
  const { to } = useSearch({ strict: false }) as { to?: string }
  return useMutation<void, Error, { token?: string; email?: string; password?: string }>({
    mutationFn: async body => {
      await call('POST', path, { body })
      queryClient.clear()
      await queryClient.fetchQuery(meOptions).catch(error => {
        throw error instanceof ApiError && error.status === 401 ? notKept() : error
      })
      // Only a page of ours: an address in a link could lead anywhere.
      await navigate({ href: to !== undefined && /^\/(live|test)\b/.test(to) ? to : '/' })
    },
  })
}

const notKept = () =>
  new Error(
    'You are signed in, but your browser did not keep the session’s cookie, because this page did not come over https. Open the dashboard by https, or as http://localhost with Chrome or Firefox.',
  )
