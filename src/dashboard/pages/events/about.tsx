import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { Mode } from '../../../caller'
import type { EventAboutRecord } from '../../events/routes'
import { useDashboard } from '../api/queries'
import { Status } from '../kit/controls/badge'
import { Time } from '../kit/controls/time'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK, ROW_LINK } from '../kit/link'
import { type Column, Table } from '../kit/tables/table'
import { useMode } from '../mode'
import { nameOf } from '../webhook-name/name'

/** The newest events about a record and what became of their deliveries. */
export const EventsAbout = ({ id }: { id: string }) => {
  const mode = useMode()
  const { data, error, refetch } = useDashboard<EventAboutRecord[]>(
    'deliveries',
    `/events/about/${id}`,
  )
  return (
    <Card title="Events and deliveries">
      <Table
        label="Events and deliveries"
        columns={columns(mode)}
        rows={data}
        keyOf={event => event.id}
        error={error}
        onRetry={refetch}
        empty={
          <Empty icon={Zap} title="No recent events">
            Old events are deleted when their retention period ends.
          </Empty>
        }
      />
    </Card>
  )
}

const columns = (mode: Mode): Column<EventAboutRecord>[] => [
  {
    head: 'Event',
    cell: ({ id, event }) => (
      <Link to="/$mode/events/$id" params={{ mode, id }} className={ROW_LINK}>
        {event}
      </Link>
    ),
  },
  {
    head: 'Deliveries',
    cell: ({ deliveries }) =>
      deliveries.length === 0 ? (
        <span className="text-faint">none</span>
      ) : (
        <ul className="space-y-1">
          {deliveries.map(({ id, webhook_id, receiver, status }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-2">
              <Link
                to="/$mode/deliveries/$id"
                params={{ mode, id }}
                className={`${INLINE_LINK} [overflow-wrap:anywhere]`}
              >
                <TwoLines>{receiver === null ? webhook_id : nameOf(receiver)}</TwoLines>
              </Link>
              <Status of={status} />
            </li>
          ))}
        </ul>
      ),
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]
