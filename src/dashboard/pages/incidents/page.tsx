import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { Incident } from '../../../webhooks/deliveries/incident'
import { useDashboard } from '../api/queries'
import { RedeliverAll } from '../deliveries/redeliver'
import { FilterSelect, useFilters } from '../kit/forms/filters'
import { Empty, Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { Host, type RedeliveryRequest } from './host'

const PERIODS = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
] as const

/** Failing hosts with their reasons, and the actions to resolve them. */
export const Page = () => {
  const [{ hours }, change] = useFilters('hours')
  // Not in the card of the host, which disappears once it has no failures.
  const [redelivery, setRedelivery] = useState<RedeliveryRequest>()
  const { data, error, refetch } = useDashboard<Incident>(
    'deliveries',
    `/incident?hours=${encodeURIComponent(hours ?? '1')}`,
  )
  return (
    <Frame
      title="Incidents"
      about="Failing deliveries by host and reason, most affected hosts first."
      filters={
        <FilterSelect
          label="Period"
          value={hours}
          onChange={value => change('hours', value === '1' ? '' : value)}
          options={PERIODS}
        />
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {data === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : data.hosts.length === 0 ? (
        <Card>
          <Empty icon={ShieldCheck} title="No failures">
            All deliveries in this period were delivered or are waiting for their first attempt.
          </Empty>
        </Card>
      ) : (
        <div className="space-y-4">
          {data.at_least && (
            <p className="text-sm text-warn">
              More than 10,000 deliveries are failing. Only the newest are counted.
            </p>
          )}
          {data.hosts.map(host => (
            <Host key={host.host} of={host} hours={hours ?? '1'} onRedeliver={setRedelivery} />
          ))}
        </div>
      )}
      {redelivery !== undefined && (
        <RedeliverAll {...redelivery} onClose={() => setRedelivery(undefined)} />
      )}
    </Frame>
  )
}
