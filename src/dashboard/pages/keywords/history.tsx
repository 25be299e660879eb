import { ChartLine } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { RankingHistory, RankPoint } from '../../../content/rankings/history'
import { query } from '../api/client'
import { useDashboard } from '../api/queries'
import { Chart } from '../kit/charts/chart'
import { cx } from '../kit/classes'
import { Time } from '../kit/controls/time'
import { FilterSelect, useFilters } from '../kit/forms/filters'
import { Empty, Skeleton } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'

const DAY_MS = 86_400_000
/** In days. */
const SPANS = [
  ['', '90 days'],
  ['30', '30 days'],
  ['365', '1 year'],
  ['all', 'All time'],
] as const
const SPAN_DAYS = 90

/** The position of a keyword over time, 1 at the top. */
export const History = ({ of: keywordId }: { of: string }) => {
  const [{ span }, setFilter] = useFilters('span')
  const since = useMemo(
    () =>
      span === 'all'
        ? undefined
        : new Date(Date.now() - Number(span ?? SPAN_DAYS) * DAY_MS).toISOString(),
    [span],
  )
  const { data, error, refetch } = useDashboard<RankingHistory>(
    'rankings',
    `/keywords/${keywordId}/ranking-history${query({ since })}`,
  )
  return (
    <Card
      title="Position"
      actions={
        <FilterSelect
          label="Time"
          value={span}
          onChange={value => setFilter('span', value)}
          options={SPANS}
        />
      }
    >
      <Problem error={error} onRetry={refetch} className="m-4" />
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && <HistoryDetails history={data} />}
    </Card>
  )
}

const HistoryDetails = ({ history }: { history: RankingHistory }) => {
  const { points, best, last, previous, checks } = history
  const times = useMemo(() => points.map(point => Date.parse(point.checked_at)), [points])
  const series = useMemo(
    () => [
      {
        name: 'Position',
        tone: 'accent' as const,
        values: points.map(({ position }) => position),
      },
    ],
    [points],
  )
  if (last === null)
    return (
      <Empty icon={ChartLine} title="No rankings in this period">
        Rankings appear after a run of the rank tracking, or when a program records them through the
        API.
      </Empty>
    )
  return (
    <>
      <dl className="grid grid-cols-2 border-b border-line sm:grid-cols-4">
        <Figure name="Last" check={last} note={<Moved from={previous} to={last} />} />
        <Figure name="Best" check={best} />
        <Figure name="Previous" check={previous} />
        <div className="px-4 py-3">
          <dt className="text-xs text-muted">Checks</dt>
          <dd className="num mt-0.5 text-xl font-semibold">{checks}</dd>
        </div>
      </dl>
      {best === null ? (
        <Empty icon={ChartLine} title="Not found in this period">
          The website was not among the search results of any check.
        </Empty>
      ) : (
        <>
          <Chart
            label="Position over time"
            kind="line"
            inverted
            height={240}
            times={times}
            series={series}
          />
          {points.some(({ position }) => position === null) && (
            <p className="px-4 pb-3 text-xs text-muted">
              Gaps are checks that did not find the website among the search results.
            </p>
          )}
        </>
      )}
    </>
  )
}

type FigureProps = { name: string; check: RankPoint | null; note?: ReactNode }

const Figure = ({ name, check, note }: FigureProps) => (
  <div className="border-line px-4 py-3 sm:border-r">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="mt-0.5">
      <span className="num text-xl font-semibold">
        {check === null ? '–' : (check.position ?? 'Not found')}
      </span>
      {note}
      {check !== null && (
        <span className="block text-xs text-muted">
          <Time at={check.checked_at} />
        </span>
      )}
    </dd>
  </div>
)

/** The change since the previous check; up is better. */
const Moved = ({ from, to }: { from: RankPoint | null; to: RankPoint }) => {
  if (from?.position == null || to.position === null || from.position === to.position) return null
  const up = from.position - to.position
  return (
    <span className={cx('num ml-2 text-sm font-medium', up > 0 ? 'text-good' : 'text-bad')}>
      <span aria-hidden>{up > 0 ? '↑' : '↓'}</span>
      <span className="sr-only">{up > 0 ? 'up' : 'down'} </span>
      {Math.abs(up)}
    </span>
  )
}
