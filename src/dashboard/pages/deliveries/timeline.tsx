import { Link } from '@tanstack/react-router'
import { Check, Clock, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Attempt, Delivery } from '../../../webhooks/deliveries/schema'
import { cx } from '../kit/classes'
import { Badge } from '../kit/controls/badge'
import { exactTime, Time, useTicks } from '../kit/controls/time'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { SentText } from './text'

const VARIANTS = {
  good: ['bg-good-soft text-good', Check],
  bad: ['bg-bad-soft text-bad', X],
  wait: ['bg-warn-soft text-warn', Clock],
} as const

type Props = {
  of: Pick<Delivery, 'status' | 'next_attempt_at' | 'waits_for' | 'error' | 'created_at'> & {
    attempts: Attempt[]
  }
}

/** The attempts of a delivery in order, and the next step. */
export const Timeline = ({ of: delivery }: Props) => {
  const { status, attempts, next_attempt_at, waits_for, error } = delivery
  // It failed for a reason other than its last attempt: the webhook was disabled, or the workflow was stopped.
  const ended = status === 'FAILED' && error !== null && attempts.at(-1)?.error !== error
  return (
    <ol aria-label="Attempts" className="p-4">
      {attempts.map(attempt => (
        <Step key={attempt.number} variant={attempt.error === null ? 'good' : 'bad'}>
          <AttemptLine of={attempt} isLast={attempt === attempts.at(-1)} />
        </Step>
      ))}
      {ended && (
        <Step variant="bad">
          <p className="text-sm font-medium">Ended without another attempt</p>
          <p className="text-sm text-bad">{error}</p>
        </Step>
      )}
      {waits_for !== null && (
        <Step variant="wait">
          <WaitLine of={waits_for} />
        </Step>
      )}
      {status === 'RETRYING' && waits_for === null && (
        <Step variant="wait">
          <p className="text-sm font-medium">
            {attempts.length === 0 ? 'First attempt' : 'Next attempt'}{' '}
            {next_attempt_at === null ? 'under way' : <Time at={next_attempt_at} />}
          </p>
          <p className="text-sm text-muted">
            <DueText at={next_attempt_at} /> This page updates automatically.
          </p>
        </Step>
      )}
    </ol>
  )
}

/** An attempt that is due begins within this time where there is room for it, in ms. */
const DUE_MS = 5_000

/** Why an attempt has not begun at its time. It appears when that has passed, also while nothing changes. */
const DueText = ({ at }: { at: string | null }) => {
  useTicks()
  return at !== null && Date.now() - new Date(at).getTime() > DUE_MS
    ? 'It is due, and waits for its turn behind other deliveries of this account, or until its webhook is resumed.'
    : null
}

const Step = ({ variant, children }: { variant: keyof typeof VARIANTS; children: ReactNode }) => {
  const [colour, Icon] = VARIANTS[variant]
  return (
    <li className="relative flex gap-3 pb-5 last:pb-0 not-last:before:absolute not-last:before:top-7 not-last:before:bottom-0 not-last:before:left-3 not-last:before:w-px not-last:before:bg-line">
      <span
        aria-hidden
        className={cx(
          'mt-px flex size-6 shrink-0 items-center justify-center rounded-full',
          colour,
        )}
      >
        <Icon className="size-3.5" />
      </span>
      <div className="min-w-0 grow pt-0.5">{children}</div>
    </li>
  )
}

const WaitLine = ({ of: id }: { of: string }) => (
  <>
    <p className="text-sm font-medium">
      Waiting for{' '}
      <Link
        to="/$mode/deliveries/$id"
        params={{ mode: useMode(), id }}
        className={`${INLINE_LINK} break-all`}
      >
        {id}
      </Link>
    </p>
    <p className="text-sm text-muted">
      This webhook receives events in order: each is sent after the one before it was delivered or
      failed.
    </p>
  </>
)

const AttemptLine = ({ of: attempt, isLast }: { of: Attempt; isLast: boolean }) => (
  <>
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span className="font-medium">Attempt {attempt.number}</span>
      <Badge tone={attempt.error === null ? 'good' : 'bad'}>
        {attempt.http_status ?? 'no response'}
      </Badge>
      <span className="num text-muted">{duration(attempt.duration_ms)}</span>
      <time
        dateTime={attempt.started_at}
        title={attempt.started_at}
        className="num text-muted sm:ml-auto"
      >
        {exactTime(attempt.started_at)}
      </time>
    </p>
    {attempt.error !== null && (
      <p className="mt-0.5 text-sm break-words text-bad">{attempt.error}</p>
    )}
    {attempt.response_body !== null && (
      <details open={isLast} className="mt-1.5">
        <summary className="mb-1.5 w-fit text-xs font-medium text-muted hover:text-text">
          Response body of attempt {attempt.number}
        </summary>
        <SentText label={`response body of attempt ${attempt.number}`}>
          {attempt.response_body}
        </SentText>
      </details>
    )}
  </>
)

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

const duration = (ms: number) => (ms < 1000 ? `${ms} ms` : `${NUMBER.format(ms / 1000)} s`)
