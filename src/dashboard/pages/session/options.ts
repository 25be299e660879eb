import { useQuery } from '@tanstack/react-query'
import type { SignInOptions } from '../../session/sign-in-routes'
import { call } from '../api/client'

/** The ways to sign in to this deployment; undefined while they are loaded. */
export const useSignInOptions = (): SignInOptions | undefined =>
  useQuery({
    queryKey: [null, 'sign-in-options'],
    queryFn: async ({ signal }) =>
      (await call<{ data: SignInOptions }>('GET', '/open/options', { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  }).data
