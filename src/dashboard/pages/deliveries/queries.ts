import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import type { Reason } from '../../../webhooks/deliveries/schema'
import type { DeliveryListItem } from '../../deliveries/routes'
import { call, query } from '../api/client'
import { useFilters } from '../kit/forms/filters'
import { useMode } from '../mode'

/** The query of the server, with the values of the address. */
export type DeliveryFilterQuery = Record<string, string | undefined>

/** The value of `hours` that selects `from` and `to` instead. */
export const CUSTOM_RANGE = 'between'

export const useDeliveryFilters = () =>
  useFilters('status', 'event', 'webhook', 'id', 'error', 'hours', 'from', 'to')

/** The filter under the names of the server. */
export const toFilter = (set: ReturnType<typeof useDeliveryFilters>[0]): DeliveryFilterQuery => ({
  status: set.status,
  event: set.event,
  webhook_id: set.webhook,
  id: set.id,
  error: set.error,
  ...(set.hours === CUSTOM_RANGE
    ? { created_after: set.from, created_before: set.to }
    : { hours: set.hours }),
})

type Page = { data: DeliveryListItem[]; next_cursor: string | null; reasons: Reason[] }

/** Deliveries of all webhooks that match a filter, page by page, and the reasons of their failures. */
export const useDeliveries = (filter: DeliveryFilterQuery) => {
  const mode = useMode()
  const { data, ...result } = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [mode, 'deliveries', 'found', filter],
      queryFn: ({ signal, pageParam }) =>
        call<Page>('GET', `/deliveries${query({ ...filter, cursor: pageParam })}`, {
          mode,
          signal,
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: page => page.next_cursor ?? undefined,
      placeholderData: previous => previous,
    }),
  )
  return {
    ...result,
    rows: data?.pages.flatMap(page => page.data),
    reasons: data?.pages[0]?.reasons ?? [],
  }
}
