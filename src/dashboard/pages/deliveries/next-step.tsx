import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeliveryPage } from '../../deliveries/routes'
import { Time, useTicks } from '../kit/controls/time'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'

type Props = {
  of: Pick<DeliveryPage, 'progress' | 'receiver' | 'next_attempt_at' | 'waits_for' | 'attempts'>
}

/** `Time` says "just now" of a time that is less far. */
const SOON_MS = 5_000

/** What a delivery that is not final does now, or waits for. */
export const NextStep = ({ of: delivery }: Props) => {
  useTicks()
  const { progress, receiver, next_attempt_at, waits_for, attempts } = delivery
  const attempt = attempts.length === 0 ? 'First attempt' : 'Next attempt'
  const leftMs = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - Date.now()
  const texts: { [step in NonNullable<typeof progress>]: [title: ReactNode, text: string] } = {
    under_way: [
      `${attempt} in progress`,
      'Waiting for the response. The attempt times out after 30 s.',
    ],
    disabled: receiver?.deleted
      ? ['The webhook was deleted', 'This delivery fails instead of its next attempt.']
      : [
          'The webhook is disabled',
          `This delivery fails ${receiver?.paused ? 'when the webhook is resumed' : 'instead of its next attempt'}. Enable the webhook first to have it sent.`,
        ],
    all_paused: ['Paused', 'This delivery is sent when an operator resumes all deliveries.'],
    paused: ['Paused', 'The webhook is paused. This delivery is sent when the webhook is resumed.'],
    secret: [
      'The secret of the webhook is lost',
      'Arden cannot decrypt it, or a custom header. This delivery is sent when the secret is rotated and the headers are set again.',
    ],
    order: [
      <WaitsFor key="order" id={waits_for} />,
      'This webhook receives events in order. Each is sent when the previous one is delivered or has failed.',
    ],
    no_worker: [
      'No worker is running',
      'This delivery is sent when an operator starts a worker. No deliveries are lost.',
    ],
    scheduled: [
      <span key="scheduled">
        {attempt} {timeLeft(next_attempt_at, leftMs)}
      </span>,
      'A delivery and each redelivery has up to three attempts, 5 and 25 seconds apart.',
    ],
    temporal_away: [
      `${attempt} is due`,
      'Temporal, which carries the deliveries, does not respond. This delivery is sent when Temporal is available again. No deliveries are lost.',
    ],
    late: [
      `${attempt} is overdue`,
      'The workers are busy, or a worker or the workflow was stopped. Arden notices that within two minutes. No deliveries are lost.',
    ],
    slow_webhook: [
      `${attempt} is due`,
      'The webhook responds slowly, so it receives one delivery at a time.',
    ],
    turn: [
      `${attempt} is due`,
      'Other deliveries are sent first. Capacity is shared equally between accounts and webhooks.',
    ],
  }
  const [title, text] = texts[progress ?? 'turn']
  return (
    <>
      <p className="text-sm font-medium">{title}</p>
      <p className="text-sm text-muted">{text} This page updates automatically.</p>
    </>
  )
}

/** The clock of the browser can be ahead of the server's, for which the time has not come. */
const timeLeft = (at: string | null, leftMs: number): ReactNode => {
  if (leftMs < -SOON_MS) return 'is due'
  return leftMs < SOON_MS ? 'in a few seconds' : <Time at={at} />
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
