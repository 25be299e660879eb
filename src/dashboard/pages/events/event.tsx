import { Link, useParams } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import type { Mode } from '../../../caller'
import type { DeliveryListItem } from '../../deliveries/routes'
import type { EventPage } from '../../events/routes'
import { useDashboard } from '../api/queries'
import { columns as deliveryColumns } from '../deliveries/columns'
import { SentText } from '../deliveries/text'
import { SubjectLinks } from '../event-subjects/links'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { exactTime } from '../kit/controls/time'
import { Back } from '../kit/layout/back'
import { Empty, Skeleton } from '../kit/layout/empty'
import { Card, Facts, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { type Column, Table } from '../kit/tables/table'
import { useMode } from '../mode'
import { nameOf } from '../webhook-name/name'

export const Page = () => {
  const mode = useMode()
  const { id = '' } = useParams({ strict: false })
  const { data: event, error, refetch } = useDashboard<EventPage>('deliveries', `/events/${id}`)
  return (
    <Frame
      title={event?.event ?? 'Event'}
      back={
        <Back to="/$mode/events" params={{ mode }}>
          Events
        </Back>
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {event === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : (
        <div className="space-y-4">
          <Card title="Event" actions={event.test && <Badge>test</Badge>}>
            <div className="p-4">
              <Facts
                of={[
                  [
                    'ID',
                    <Code key="id" wrap>
                      {event.id}
                    </Code>,
                  ],
                  ['Created', exactTime(event.created_at)],
                  ['Records', <SubjectLinks key="records" of={event} />],
                ]}
              />
            </div>
          </Card>
          <Card title="Deliveries">
            <Table
              label="Deliveries"
              columns={columns(mode)}
              rows={event.deliveries}
              keyOf={delivery => delivery.id}
              empty={
                <Empty icon={Send} title="No deliveries">
                  No webhook was subscribed to this event when it happened.
                </Empty>
              }
            />
          </Card>
          <Card title="Payload">
            <div className="p-4">
              <SentText label="payload">{JSON.stringify(envelopeOf(event), null, 2)}</SentText>
            </div>
          </Card>
        </div>
      )}
    </Frame>
  )
}

/** What webhooks receive, indented here. */
const envelopeOf = ({ id, event, created_at, data }: EventPage) => ({ id, event, created_at, data })

/** All are of the same event, so their webhook names them. */
const columns = (mode: Mode): Column<DeliveryListItem>[] => [
  {
    head: 'Endpoint',
    cell: ({ id, webhook_id, receiver }) => (
      <>
        <Link
          to="/$mode/deliveries/$id"
          params={{ mode, id }}
          className={`${ROW_LINK} [overflow-wrap:anywhere]`}
        >
          <TwoLines>{receiver === null ? webhook_id : nameOf(receiver)}</TwoLines>
        </Link>
        {receiver?.deleted && <span className="text-faint"> (deleted)</span>}
        <span className="block">
          <Code>{id}</Code>
        </span>
      </>
    ),
  },
  ...deliveryColumns(mode).filter(({ head }) => head !== 'Event' && head !== 'Endpoint'),
]
