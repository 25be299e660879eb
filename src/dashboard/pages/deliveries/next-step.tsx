import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeliveryPage } from '../../deliveries/routes'
import { Time, useTicks } from '../kit/controls/time'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'

type Props = {
  of: Pick<DeliveryPage, 'progress' | 'next_attempt_at' | 'waits_for' | 'attempts'>
}

/** What a delivery that is not final does now, or waits for. */
export const NextStep = ({ of: { progress, next_attempt_at, waits_for, attempts } }: Props) => {
  useTicks()
  const attempt = attempts.length === 0 ? 'First attempt' : 'Next attempt'
  const isPast = next_attempt_at === null || Date.parse(next_attempt_at) <= Date.now()
  // The time of an attempt can pass while the page is open.
  const step = progress === 'scheduled' && isPast ? 'turn' : (progress ?? 'turn')
  const texts: { [step in NonNullable<typeof progress>]: [title: ReactNode, text: string] } = {
    under_way: [
      `${attempt} under way`,
      'The request is being sent, or waits for the response: at most 30 s.',
    ],
    all_paused: [
      'Paused',
      'All deliveries are paused by the operator. It is sent when they are resumed.',
    ],
    paused: ['Paused', 'The webhook is paused. It is sent when the webhook is resumed.'],
    order: [
      <WaitsFor key="order" id={waits_for} />,
      'This webhook receives events in order: each is sent after the one before it was delivered or failed.',
    ],
    no_worker: [
      'No worker is running',
      'It is sent when the operator starts a worker. Nothing is lost meanwhile.',
    ],
    scheduled: [
      <span key="scheduled">
        {attempt} <Time at={next_attempt_at} />
      </span>,
      'A delivery has three attempts, 5 and 25 seconds apart.',
    ],
    slow_webhook: [
      `${attempt} is due`,
      'It waits for its turn: the webhook responds slowly, and gets one delivery at a time.',
    ],
    turn: [
      `${attempt} is due`,
      'It waits for its turn: each account and each webhook has a share of the attempts.',
    ],
  }
  const [title, text] = texts[step]
  return (
    <>
      <p className="text-sm font-medium">{title}</p>
      <p className="text-sm text-muted">{text} This page updates automatically.</p>
    </>
  )
}

const WaitsFor = ({ id }: { id: string | null }) => {
  const mode = useMode()
  if (id === null) return 'Waiting for an earlier delivery'
  return (
    <>
      Waiting for{' '}
      <Link to="/$mode/deliveries/$id" params={{ mode, id }} className={`${INLINE_LINK} break-all`}>
        {id}
      </Link>
    </>
  )
}
