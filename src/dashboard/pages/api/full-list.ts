import { useEffect } from 'react'
import { type Filter, useList } from './queries'
import type { QueryTopic } from './topics'

/** The largest page size of the API. */
const PAGE_SIZE = 100

/** A complete list of the public API, loaded page after page. */
export const useFullList = <T>(topic: QueryTopic, path: string, filter: Filter = {}) => {
  const list = useList<T>(topic, path, { ...filter, limit: PAGE_SIZE })
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage])
  return list
}
