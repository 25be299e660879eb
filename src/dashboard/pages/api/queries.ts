import {
  type InfiniteData,
  infiniteQueryOptions,
  MutationCache,
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
import { onReconnect } from './connection'
import type { QueryTopic } from './topics'

/**
 * The cache of server data. The key of a query is `[mode, topic, ...]`: when the stream sends a topic
 * (api/live.ts), its queries run again. Queries about the account, which are the same in both modes, have the
 * mode null.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: () => {
      isLeaving = false
    },
    onError: (error, { queryKey }) => {
      if (queryKey[1] !== 'link') leaveEndedSession(error)
    },
  }),
  mutationCache: new MutationCache({ onError: error => leaveEndedSession(error) }),
  defaultOptions: {
    // By default, requests wait while the browser is offline: a change would be sent after it was cancelled.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      // Only requests without a response, and those to an unavailable server, are worth a retry.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
      refetchInterval: ({ state }) => afterRateLimit(state.error),
    },
  },
})

/**
 * Whether the page leaves for sign-in. Where a session ended, many queries fail at once, and each would ask a user
 * with unsaved changes again.
 */
let isLeaving = false

/** Lets no query that fails because the session has ended open the sign-in page: its caller does. */
export const startLeaving = (): void => {
  isLeaving = true
}

/** Removes what a user has seen. What the sign-in page shows is of no user. */
export const forgetUser = (): void => {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'sign-in-options' })
  queryClient.getMutationCache().clear()
}

/**
 * Whether a request was refused because the session of this page has ended. The router handles the first query, which
 * is for the signed-in user.
 */
export const isSessionEnded = (error: Error): boolean =>
  error instanceof ApiError &&
  error.status === 401 &&
  queryClient.getQueryData([null, 'me']) !== undefined

/** Opens the sign-in page, which continues here. A user with unsaved changes is asked first, and may stay. */
export const openSignIn = (): void => {
  // The page of a required sign-in names the one that it continues to.
  const to = new URLSearchParams(location.search).get('to')
  const here = page() === '/sign-in/required' && to !== null ? to : `${page()}${location.search}`
  location.assign(`/dashboard/sign-in${query({ to: here, ended: 1 })}`)
}

const leaveEndedSession = (error: Error) => {
  if (isLeaving || !isSessionEnded(error)) return
  isLeaving = true
  openSignIn()
}

onReconnect(() => void queryClient.invalidateQueries())

/** A query beyond the rate limit shows that, and runs again when the server accepts requests. */
const afterRateLimit = (error: Error | null): number | false =>
  (error instanceof ApiError && error.retryAfterMs) || false

/** The path of the page within the dashboard. */
const page = () => location.pathname.slice('/dashboard'.length)

type DataResponse<T> = { data: T; etag?: string }
type ListResponse<T> = { data: T[]; next_cursor: string | null }
export type Filter = Record<string, string | number | undefined>
type Mode = ReturnType<typeof useMode>

/**
 * One record of the public API, such as `useRecord<Webhook>('webhooks', '/webhooks/wh_1')`. `isGone`: it was deleted
 * after it was read; `data` is as it was.
 */
export const useRecord = <T>(topic: QueryTopic, path: string, enabled = true) => {
  const mode = useMode()
  const { error, ...result } = useQuery({ ...recordOptions<T>(mode, topic, path), enabled })
  const isGone = result.data !== undefined && error instanceof ApiError && error.status === 404
  return { ...result, error: isGone ? gone(error) : error, isGone }
}

const gone = ({ status, code }: ApiError) => new ApiError(status, code, 'It was deleted.', null, [])

export const recordOptions = <T>(mode: Mode, topic: QueryTopic, path: string) =>
  queryOptions({
    queryKey: [mode, topic, `/v1${path}`],
    queryFn: ({ signal }) => call<DataResponse<T>>('GET', `/v1${path}`, { mode, signal }),
    select: ({ data }) => data,
  })

/** Returns the ETag of a record as the page has read it; undefined before. */
export const useEtag = (topic: QueryTopic, path: string): (() => string | undefined) => {
  const mode = useMode()
  const client = useQueryClient()
  const { queryKey } = recordOptions<unknown>(mode, topic, path)
  return () => client.getQueryData(queryKey)?.etag
}

/** A list of the public API, newest first: `rows` has every page that was loaded. */
export const useList = <T>(topic: QueryTopic, path: string, filter: Filter = {}) =>
  useDashboardList<T>(topic, `/v1${path}`, filter)

/** The same for a route of the dashboard only. */
export const useDashboardList = <T>(topic: QueryTopic, path: string, filter: Filter = {}) => {
  const mode = useMode()
  const { data, ...result } = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [mode, topic, path, filter],
      queryFn: ({ signal, pageParam }) =>
        call<ListResponse<T>>('GET', `${path}${query({ ...filter, cursor: pageParam })}`, {
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

const rowsOf = <T>({ pages }: InfiniteData<ListResponse<T>>): T[] =>
  pages.flatMap(page => page.data)

/** One resource of the dashboard only, such as `useDashboard<Overview>('overview', '/overview')`. */
export const useDashboard = <T>(
  topic: QueryTopic,
  path: string,
  options: { everyMs?: number | ((data: T | undefined) => number | false); enabled?: boolean } = {},
) => {
  const mode = useMode()
  const everyMs = (data: T | undefined) =>
    typeof options.everyMs === 'function' ? options.everyMs(data) : (options.everyMs ?? false)
  return useQuery({
    queryKey: [mode, topic, path],
    queryFn: ({ signal }) => call<DataResponse<T>>('GET', path, { mode, signal }),
    select: ({ data }) => data,
    refetchInterval: ({ state }) => afterRateLimit(state.error) || everyMs(state.data?.data),
    enabled: options.enabled ?? true,
  })
}

type Change = {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  /** Only while the record, of the first topic, is as this page has read it. */
  asRead?: boolean
}

/**
 * Changes a record, then runs the queries of `topics` again. A retry of the same change, after no response
 * came, has the same Idempotency-Key.
 */
export const useChange = <T>(...topics: QueryTopic[]) => {
  const mode = useMode()
  const client = useQueryClient()
  const attempt = useRef({ text: '', id: '' })
  const readAgain = () =>
    void client.invalidateQueries({
      predicate: ({ queryKey: [, topic] }) => topics.includes(topic as QueryTopic),
    })
  return useMutation<T, Error, Change>({
    mutationFn: async change => {
      const text = JSON.stringify([mode, change])
      if (attempt.current.text !== text) attempt.current = { text, id: crypto.randomUUID() }
      const record = [mode, topics[0], change.path]
      const ifMatch = change.asRead ? client.getQueryData<DataResponse<T>>(record)?.etag : undefined
      const saved = await call<DataResponse<T>>(change.method, change.path, {
        mode,
        body: change.body ?? {},
        idempotencyKey: change.method === 'POST' ? attempt.current.id : undefined,
        ifMatch,
      }).catch(error => {
        if (!(error instanceof ApiError) || error.status !== 412) throw error
        readAgain()
        throw new ApiError(412, error.code, CHANGED, error.requestId, [])
      })
      attempt.current = { text: '', id: '' }
      // Until it is read again, an edit that follows at once would have the ETag of before.
      if (ifMatch !== undefined) client.setQueryData(record, saved)
      return saved.data
    },
    // Not awaited: the new data may unmount the component, and its callbacks would not run.
    onSuccess: readAgain,
  })
}

const CHANGED =
  'It has changed since this page read it: by another user or tab, or by your last try, if its response was lost. Nothing was saved now. Look at what has changed, then save again.'
