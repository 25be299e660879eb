import { ListOrdered } from 'lucide-react'
import type { Ranking } from '../../../content/rankings/schema'
import { useList } from '../api/queries'
import { exactTime } from '../kit/controls/time'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { ListTable } from '../kit/tables/list-table'

/** Every check of the position. */
export const Rankings = ({ of: keywordId }: { of: string }) => {
  const rankings = useList<Ranking>('rankings', `/keywords/${keywordId}/rankings`)
  return (
    <Card title="Rankings">
      <ListTable
        label="Rankings"
        of={rankings}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Checked',
            className: 'whitespace-nowrap',
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
            head: 'Page',
            className: 'break-all',
            cell: ({ url }) => url ?? <span className="text-faint">none</span>,
          },
        ]}
        empty={
          <Empty icon={ListOrdered} title="No rankings yet">
            Results appear here after each check.
          </Empty>
        }
      />
    </Card>
  )
}
