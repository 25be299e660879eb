import { ListOrdered } from 'lucide-react'
import type { Ranking } from '../../../content/keyword-records'
import { useList } from '../api/queries'
import { Empty } from '../kit/empty'
import { Card } from '../kit/page'
import { Table } from '../kit/table'
import { exactTime } from '../kit/time'

/** Each look at where it stood. */
export const Rankings = ({ of: keywordId }: { of: string }) => {
  const rankings = useList<Ranking>('rankings', `/keywords/${keywordId}/rankings`)
  return (
    <Card title="Rankings">
      <Table
        label="Rankings"
        rows={rankings.rows}
        keyOf={({ id }) => id}
        error={rankings.error}
        onRetry={rankings.refetch}
        more={{
          has: rankings.hasNextPage,
          busy: rankings.isFetchingNextPage,
          load: () => rankings.fetchNextPage(),
        }}
        columns={[
          {
            head: 'Checked',
            cell: ({ checked_at }) => <time dateTime={checked_at}>{exactTime(checked_at)}</time>,
          },
          {
            head: 'Position',
            cell: ({ position }) =>
              position === null ? (
                <span className="text-muted">Not found</span>
              ) : (
                <span className="num font-medium">{position}</span>
              ),
          },
          {
            head: 'Page that was found',
            className: 'break-all',
            cell: ({ url }) => url ?? <span className="text-faint">none</span>,
          },
        ]}
        empty={
          <Empty icon={ListOrdered} title="No rankings yet">
            Each time the search is made, its result stands here.
          </Empty>
        }
      />
    </Card>
  )
}
