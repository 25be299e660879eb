import {
  type InfiniteData,
  infiniteQueryOptions,
  QueryCache,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { useMode } from '../mode'
import { ApiError, call, query } from './client'

/**
 * What the pages know of the server. A query's key is `[mode, kind, ...]`: the stream says which kinds
 * have changed (api/live.ts), and they are asked for again. What belongs to the account has the mode null.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      // The first question of all, who is signed in, is answered by the router.
      const isOver = error instanceof ApiError && error.status === 401
      if (isOver && queryClient.getQueryData([null, 'me']) !== undefined && queryKey[1] !== 'link')
        location.assign(`/dashboard/sign-in${query({ to: `${page()}${location.search}` })}`)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What was refused will be refused again; what did not answer may.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
    },
  },
})

/** The page's own path, as links within the dashboard name it. */
const page = () => location.pathname.slice('/dashboard'.length)

type Answer<T> = { data: T }
type Listed<T> = { data: T[]; next_cursor: string | null }
type Filter = Record<string, string | number | undefined>
type Mode = ReturnType<typeof useMode>

/** One record of the public API, such as `useRecord<Webhook>('webhooks', '/webhooks/wh_1')`. */
export const useRecord = <T>(kind: string, path: string, enabled = true) => {
  const mode = useMode()
  return useQuery({ ...recordOptions<T>(mode, kind, path), enabled })
}

export const recordOptions = <T>(mode: Mode, kind: string, path: string) =>
  queryOptions({
    queryKey: [mode, kind, path],
    queryFn: ({ signal }) => call<Answer<T>>('GET', `/v1${path}`, { mode, signal }),
    select: ({ data }) => data,
  })

/** A list of the public API, page by page, newest first: `rows` has all that were loaded. */
export const useList = <T>(kind: string, path: string, filter: Filter = {}) =>
  useDashboardList<T>(kind, `/v1${path}`, filter)

/** The same of what only the dashboard has. */
export const useDashboardList = <T>(kind: string, path: string, filter: Filter = {}) => {
  const mode = useMode()
  const { data, ...result } = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [mode, kind, path, filter],
      queryFn: ({ signal, pageParam }) =>
        call<Listed<T>>('GET', `${path}${query({ ...filter, cursor: pageParam })}`, {
          mode,
          signal,
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: page => page.next_cursor ?? undefined,
      placeholderData: previous => previous,
    }),
  )
  return { ...result, rows: data && rowsOf(data) }
}

const rowsOf = <T>({ pages }: InfiniteData<Listed<T>>): T[] => pages.flatMap(page => page.data)

/** What only the dashboard has, such as `useDashboard<Overview>('overview', '/overview')`. */
export const useDashboard = <T>(
  kind: string,
  path: string,
  options: { everyMs?: number; enabled?: boolean } = {},
) => {
  const mode = useMode()
  return useQuery({
    queryKey: [mode, kind, path],
    queryFn: ({ signal }) => call<Answer<T>>('GET', path, { mode, signal }),
    select: ({ data }) => data,
    refetchInterval: options.everyMs ?? false,
    enabled: options.enabled ?? true,
  })
}

type Change = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: unknown }

/**
 * A change through the public API's rules. `kinds` are asked for again when it is done. A second try of
 * the same change, after no answer came, does it no second time.
 */
export const useChange = <T>(...kinds: string[]) => {
  const mode = useMode()
  const client = useQueryClient()
  const once = useRef({ text: '', id: '' })
  return useMutation<T, Error, Change>({
    mutationFn: async change => {
      const text = JSON.stringify([mode, change])
      if (once.current.text !== text) once.current = { text, id: crypto.randomUUID() }
      const { data } = await call<Answer<T>>(change.method, change.path, {
        mode,
        body: change.body ?? {},
        once: change.method === 'POST' ? once.current.id : undefined,
      })
      once.current = { text: '', id: '' }
      return data
    },
    // Not waited for: what is read anew may take the asking component away, and its callbacks with it.
    onSuccess: () => {
      void client.invalidateQueries({
        predicate: ({ queryKey: [, kind] }) => kinds.includes(String(kind)),
      })
    },
  })
}
