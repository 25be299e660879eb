import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from '../../session/routes'
import { call } from '../api/client'

/** Who is signed in. */
export const meOptions = queryOptions({
  queryKey: [null, 'me'],
  queryFn: async ({ signal }) => (await call<{ data: Me }>('GET', '/me', { signal })).data,
  staleTime: 60_000,
})

/** Within the shell it is always there. */
export const useMe = (): Me | undefined => useQuery(meOptions).data

/** Whether a button that changes something is of use: the server decides in any case. */
export const useMayChange = (): boolean => (useMe()?.person.role ?? 'viewer') !== 'viewer'
