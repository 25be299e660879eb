import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Provider } from '../../../temporal/heartbeat'
import type { Me } from '../../session/routes'
import { call } from '../api/client'

/** The signed-in user. */
export const meOptions = queryOptions({
  queryKey: [null, 'me'],
  queryFn: async ({ signal }) => (await call<{ data: Me }>('GET', '/me', { signal })).data,
  // It says which deliveries are paused and which providers there are, which the stream does not.
  refetchInterval: 15_000,
  staleTime: 10_000,
})

/** Always defined within the shell. */
export const useMe = (): Me | undefined => useQuery(meOptions).data

/** Whether the running workers have a provider; true also while that is unknown, so that nothing false is said. */
export const useHasProvider = (provider: Provider): boolean =>
  useMe()?.providers?.includes(provider) ?? true

/** Whether to show buttons that make changes. The server checks the role in any case. */
export const useMayChange = (): boolean => (useMe()?.person.role ?? 'viewer') !== 'viewer'
