import { Link } from '@tanstack/react-router'
import type { Overview, Span } from '../../overview/store'
import { query } from '../api/client'
import { useDashboard } from '../api/queries'
import { FilterSelect, useFilters } from '../kit/forms/filters'
import { Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { DeliveriesChart, RequestsChart } from './charts'
import { Content } from './content'
import { Figures } from './figures'
import { FirstSteps } from './first-steps'
import { LatestFailures } from './latest-failures'
import { PlanUsage } from './plan-usage'

/** Refresh interval while the page is visible, in ms. */
const EVERY_MS = 10_000

const SPANS: readonly (readonly [Span, string])[] = [
  ['24h', 'Last 24 hours'],
  ['30d', 'Last 30 days'],
]

export const Page = () => {
  const mode = useMode()
  const [{ span: selected }, setFilter] = useFilters('span')
  const span = selected === '30d' ? '30d' : '24h'
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const numbers = useDashboard<Overview>('overview', `/overview${query({ span, zone })}`, {
    everyMs: EVERY_MS,
  })
  return (
    <Frame
      title="Overview"
      about={`Deliveries, API requests and content in ${mode} mode.`}
      actions={
        <FilterSelect
          label="Time"
          value={span}
          onChange={value => setFilter('span', value === '24h' ? '' : value)}
          options={SPANS}
        />
      }
    >
      <div className="space-y-4">
        <FirstSteps key={mode} />
        <Problem error={numbers.error} onRetry={numbers.refetch} />
        {numbers.data !== undefined ? (
          <>
            <Figures of={numbers.data} />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
              <Card title="Deliveries by outcome">
                <DeliveriesChart of={numbers.data} span={span} />
              </Card>
              <Card
                title="Requests with API keys"
                actions={
                  <Link to="/$mode/requests" params={{ mode }} className={`${INLINE_LINK} text-sm`}>
                    Failed requests
                  </Link>
                }
              >
                <RequestsChart of={numbers.data} span={span} />
              </Card>
            </div>
          </>
        ) : (
          numbers.error === null && (
            <Card>
              <Skeleton rows={7} />
            </Card>
          )
        )}
        <Content />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <LatestFailures />
          <PlanUsage />
        </div>
      </div>
    </Frame>
  )
}
