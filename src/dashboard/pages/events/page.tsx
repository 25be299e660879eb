import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { Mode } from '../../../caller'
import type { Event } from '../../../webhooks/event-log/schema'
import { EVENT_TYPES } from '../../../webhooks/events/types'
import { useList } from '../api/queries'
import { SubjectLinks } from '../event-subjects/links'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { Time } from '../kit/controls/time'
import { beginningOf, FilterPeriod, FilterSelect, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import type { Column } from '../kit/tables/table'
import { useMode } from '../mode'

export const Page = () => {
  const mode = useMode()
  const [{ event, from, to }, setFilter] = useFilters('event', 'from', 'to')
  const filter = {
    event,
    created_after: beginningOf(from),
    created_before: beginningOf(to, 1),
  }
  // Each event is new with its deliveries.
  const events = useList<Event>('deliveries', '/events', filter)
  const isFiltered = Object.values(filter).some(value => value !== undefined)
  return (
    <Frame
      title="Events"
      about={`Changes of ${mode} records, whether or not a webhook receives them.`}
      filters={
        <>
          <FilterSelect
            label="Event"
            value={event}
            onChange={value => setFilter('event', value)}
            options={[['', 'Any event'], ...EVENT_TYPES.map(type => [type, type] as const)]}
          />
          <FilterPeriod from={from} to={to} onChange={setFilter} />
        </>
      }
    >
      <Card>
        <ListTable
          label="Events"
          of={events}
          keyOf={({ id }) => id}
          columns={columns(mode)}
          empty={
            isFiltered ? (
              <Empty icon={Zap} title="No matching events">
                No {mode} events match these filters.
              </Empty>
            ) : (
              <Empty icon={Zap} title={`No ${mode} events yet`}>
                Changes of articles, keywords and generations are listed here.
              </Empty>
            )
          }
        />
      </Card>
    </Frame>
  )
}

const columns = (mode: Mode): Column<Event>[] => [
  {
    head: 'Event',
    cell: ({ id, event, test }) => (
      <>
        <span className="flex flex-wrap items-center gap-1.5">
          <Link to="/$mode/events/$id" params={{ mode, id }} className={ROW_LINK}>
            {event}
          </Link>
          {test && <Badge>test</Badge>}
        </span>
        <Code>{id}</Code>
      </>
    ),
  },
  {
    head: 'About',
    className: 'max-w-80',
    cell: ({ data }) => titleOf(data),
  },
  { head: 'Records', cell: event => <SubjectLinks of={event} /> },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]

/** The title of the article, or the keyword; a deleted article has none. */
const titleOf = ({ title, keyword }: Event['data']) =>
  typeof title === 'string' ? (
    <TwoLines>{title}</TwoLines>
  ) : typeof keyword === 'string' ? (
    <TwoLines>{keyword}</TwoLines>
  ) : (
    <span className="text-faint">–</span>
  )
