import type { ComponentProps } from 'react'
import type { useList } from '../../api/queries'
import { Table } from './table'

type Props<T> = Omit<ComponentProps<typeof Table<T>>, 'rows' | 'error' | 'onRetry' | 'more'> & {
  of: ReturnType<typeof useList<T>>
}

/** A list of the server as a table: the loaded rows, and a button for the next page. */
export const ListTable = <T,>({ of: list, ...rest }: Props<T>) => (
  <Table
    rows={list.rows}
    error={list.error}
    onRetry={list.refetch}
    more={{
      has: list.hasNextPage,
      busy: list.isFetchingNextPage,
      load: () => list.fetchNextPage(),
    }}
    {...rest}
  />
)
