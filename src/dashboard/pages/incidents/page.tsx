import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { Incident } from '../../../webhooks/deliveries/incident'
import type { WebhookHealthReport } from '../../../webhooks/endpoints/health'
import { useDashboard } from '../api/queries'
import { RedeliverAll } from '../deliveries/redeliver'
import { FilterSelect, useFilters } from '../kit/forms/filters'
import { Empty, Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { AllPaused } from '../webhooks/all-paused'
import { type Asked, Host } from './host'

const PERIODS = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
] as const

/** What fails now, at whom and why, with what one does about it beside it. */
export const Page = () => {
  const [{ hours }, change] = useFilters('hours')
  // Here and not in the host's card, which is gone as soon as nothing of it fails any more.
  const [asked, setAsked] = useState<Asked>()
  const { data, error, refetch } = useDashboard<Incident>(
    'deliveries',
    `/incident?hours=${encodeURIComponent(hours ?? '1')}`,
  )
  const standing = useDashboard<WebhookHealthReport>('deliveries', '/webhook-health')
  return (
    <Frame
      title="Incidents"
      about="What was made in this time and does not arrive: by host and reason, the worst first."
      filters={
        <FilterSelect
          label="Period"
          value={hours}
          onChange={value => change('hours', value === '1' ? '' : value)}
          options={PERIODS}
        />
      }
    >
      {standing.data?.all_paused && <AllPaused />}
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {data === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : data.hosts.length === 0 ? (
        <Card>
          <Empty icon={ShieldCheck} title="Nothing fails">
            Everything that was made in this time has arrived, or waits for its first attempt.
          </Empty>
        </Card>
      ) : (
        <div className="space-y-4">
          {data.at_least && (
            <p className="text-sm text-warn">
              There are more than 10,000: only the newest are counted here.
            </p>
          )}
          {data.hosts.map(host => (
            <Host key={host.host} of={host} hours={hours ?? '1'} onRedeliver={setAsked} />
          ))}
        </div>
      )}
      {asked !== undefined && <RedeliverAll {...asked} onClose={() => setAsked(undefined)} />}
    </Frame>
  )
}
