import { Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, Send } from 'lucide-react'
import { useMemo } from 'react'
import type { Overview, Span } from '../../overview/store'
import { Chart } from '../kit/charts/chart'
import { buttonClass } from '../kit/controls/button'
import { Empty } from '../kit/layout/empty'
import { useMode } from '../mode'
import { sum } from './sum'

type Props = { of: Overview; span: Span }

const HEIGHT = 208

export const DeliveriesChart = ({ of: { times, deliveries }, span }: Props) => {
  const mode = useMode()
  const { delivered, failed, retrying } = deliveries
  const series = useMemo(
    () => [
      { name: 'Delivered', tone: 'good' as const, values: delivered },
      { name: 'Retrying', tone: 'warn' as const, values: retrying },
      { name: 'Failed', tone: 'bad' as const, values: failed },
    ],
    [delivered, failed, retrying],
  )
  if (series.every(({ values }) => sum(values) === 0))
    return (
      <Empty
        icon={Send}
        title={`No deliveries in the ${WORDS[span]}`}
        action={
          <Link to="/$mode/webhooks" params={{ mode }} className={buttonClass()}>
            Go to webhooks
          </Link>
        }
      >
        Webhooks receive events about articles, keywords and generations.
      </Empty>
    )
  return (
    <Chart
      label={`Deliveries by outcome, ${WORDS[span]}`}
      kind="bars"
      times={times}
      series={series}
      height={HEIGHT}
      timeText={TIME_TEXT[span]}
    />
  )
}

export const RequestsChart = ({ of: { times, requests }, span }: Props) => {
  const mode = useMode()
  const { accepted, refused } = requests
  const series = useMemo(
    () => [
      { name: 'Accepted', tone: 'accent' as const, values: accepted },
      { name: 'Rate limited (429)', tone: 'bad' as const, values: refused },
    ],
    [accepted, refused],
  )
  if (series.every(({ values }) => sum(values) === 0))
    return (
      <Empty
        icon={ChartNoAxesColumn}
        title={`No requests in the ${WORDS[span]}`}
        action={
          <Link to="/$mode/keys" params={{ mode }} className={buttonClass()}>
            Go to API keys
          </Link>
        }
      >
        Requests with an API key are counted here. Your actions in the dashboard are not.
      </Empty>
    )
  return (
    <Chart
      label={`Requests with API keys, ${WORDS[span]}`}
      kind="bars"
      times={times}
      series={series}
      height={HEIGHT}
      timeText={TIME_TEXT[span]}
    />
  )
}

const WORDS: { [span in Span]: string } = { '24h': 'last 24 hours', '30d': 'last 30 days' }

const DAY = new Intl.DateTimeFormat('en', { weekday: 'short', month: 'short', day: 'numeric' })
const HOUR = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})
const TIME_TEXT: { [span in Span]: (time: number) => string } = {
  '24h': time => HOUR.format(time),
  '30d': time => DAY.format(time),
}
