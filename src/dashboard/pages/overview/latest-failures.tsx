import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { Delivery } from '../../../webhooks/deliveries/schema'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useList } from '../api/queries'
import { Badge } from '../kit/controls/badge'
import { Time } from '../kit/controls/time'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK, ROW_LINK } from '../kit/link'
import { capitalize } from '../kit/sentence'
import { type Column, Table } from '../kit/tables/table'
import { useMode } from '../mode'
import { nameOf } from '../webhook-name/name'

const SHOWN = 6
/** The largest page size of the API. */
const WEBHOOKS = 100

/** The newest failed deliveries with their reasons. */
export const LatestFailures = () => {
  const mode = useMode()
  const failures = useList<Delivery>('deliveries', '/deliveries', {
    status: 'FAILED',
    limit: SHOWN,
  })
  const webhooks = useList<Webhook>('webhooks', '/webhooks', { limit: WEBHOOKS })
  const names = new Map(webhooks.rows?.map(webhook => [webhook.id, nameOf(webhook)]))
  return (
    <Card
      title="Latest failures"
      actions={
        <Link to="/$mode/incidents" params={{ mode }} className={`${INLINE_LINK} text-sm`}>
          Incidents
        </Link>
      }
    >
      <Table
        label="Latest failures"
        columns={columns(mode, names)}
        rows={failures.rows?.slice(0, SHOWN)}
        keyOf={delivery => delivery.id}
        error={failures.error}
        onRetry={failures.refetch}
        empty={
          <Empty icon={CircleCheck} title="No failures">
            Failed deliveries appear here with the reason.
          </Empty>
        }
      />
    </Card>
  )
}

const columns = (mode: string, names: Map<string, string>): Column<Delivery>[] => [
  {
    head: 'Event',
    cell: delivery => (
      <span className="inline-flex flex-wrap items-center gap-1.5">
        <Link to="/$mode/deliveries/$id" params={{ mode, id: delivery.id }} className={ROW_LINK}>
          {delivery.event}
        </Link>
        {delivery.test && <Badge>test</Badge>}
      </span>
    ),
  },
  {
    head: 'Endpoint',
    className: 'max-w-48 text-muted',
    cell: ({ webhook_id }) => <TwoLines>{names.get(webhook_id) ?? 'deleted webhook'}</TwoLines>,
  },
  {
    head: 'Reason',
    className: 'cards:order-last cards:w-full',
    cell: ({ error }) => (
      <span className="text-bad">{capitalize(error ?? 'no reason was recorded')}</span>
    ),
  },
  { head: 'Created', right: true, cell: delivery => <Time at={delivery.created_at} /> },
]
