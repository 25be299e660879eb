import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from '../../session/routes'
import { call } from '../api/client'

/** The signed-in user. */
export const meOptions = queryOptions({
  queryKey: [null, 'me'],
  queryFn: async ({ signal }) => (await call<{ data: Me }>('GET', '/me', { signal })).data,
  staleTime: 60_000,
})

/** Always defined within the shell. */
export const useMe = (): Me | undefined => useQuery(meOptions).data

/** Whether to show buttons that make changes. The server checks the role in any case. */
export const useMayChange = (): boolean => (useMe()?.person.role ?? 'viewer') !== 'viewer'
