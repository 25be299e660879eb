import type { Usage } from '../../../usage/schema'
import { useDashboard } from '../api/queries'
import { cx } from '../kit/classes'
import { Skeleton } from '../kit/layout/empty'
import { Card, Facts } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useHasProvider } from '../session/me'

const NUMBER = new Intl.NumberFormat('en')
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** The share of the plan from which usage is highlighted. */
const TIGHT = 0.8
/** Refresh interval while the page is visible, in ms. */
const EVERY_MS = 30_000

/** The usage of the account this month, and the limits of its plan. */
export const PlanUsage = () => {
  const usage = useDashboard<Usage>('usage', '/v1/usage', { everyMs: EVERY_MS })
  return (
    <Card title="Plan and usage">
      {usage.data === undefined ? (
        usage.error === null ? (
          <Skeleton rows={3} />
        ) : (
          <Problem error={usage.error} onRetry={usage.refetch} className="m-4" />
        )
      ) : (
        <UsageDetails of={usage.data} />
      )}
    </Card>
  )
}

const UsageDetails = ({ of: usage }: { of: Usage }) => {
  const { generations, quota } = usage
  const share = quota.generations === 0 ? 1 : Math.min(1, generations / quota.generations)
  const tight = share >= TIGHT
  const left = Math.max(0, quota.generations - generations)
  const hasModel = useHasProvider('live')
  return (
    <div className="space-y-4 p-4">
      <div>
        <p className="num flex items-baseline justify-between gap-3 text-sm">
          <span className="font-medium">Generations</span>
          <span className="text-muted">
            <span className={cx('font-medium', tight ? 'text-bad' : 'text-text')}>
              {NUMBER.format(generations)}
            </span>{' '}
            of {NUMBER.format(quota.generations)}
          </span>
        </p>
        <div className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line" aria-hidden>
          <div
            className={cx('h-full rounded-full', tight ? 'bg-bad' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </div>
        <p className="num mt-1 text-xs text-muted">
          {!hasModel
            ? 'No language model is configured, so generations create outlines, which do not count.'
            : left === 0
              ? 'None left. Live generations are rejected until next month.'
              : `${NUMBER.format(left)} left this month.`}
        </p>
      </div>
      <div className="num">
        <Facts
          of={[
            ['Requests', NUMBER.format(usage.requests)],
            ['Articles', NUMBER.format(usage.articles)],
            ['Deliveries', NUMBER.format(usage.deliveries)],
          ]}
        />
      </div>
      <p className="text-xs text-muted">
        {MONTH.format(new Date(`${usage.month}-01T00:00Z`))} (UTC). Live mode only; test mode is
        free.
      </p>
    </div>
  )
}
