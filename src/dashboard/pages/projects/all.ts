import { useEffect } from 'react'
import type { Project } from '../../../content/projects/schema'
import { useList } from '../api/queries'

/** The largest page there is. */
const PAGE = 100

/** A whole list, page after page: for choosing one of it. */
export const useAll = <T>(kind: string, path: string) => {
  const list = useList<T>(kind, path, { limit: PAGE })
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage])
  return list
}

export const useProjects = () => useAll<Project>('projects', '/projects')
