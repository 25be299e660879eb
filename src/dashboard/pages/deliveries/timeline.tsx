import { Check, Clock, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { adviseOnDelivery } from '../../../webhooks/deliveries/advice'
import type { Attempt } from '../../../webhooks/deliveries/schema'
import { STOPPED } from '../../../webhooks/deliveries/stopped'
import { RESPONSE_BODY_MAX_BYTES } from '../../../webhooks/retry-schedule'
import type { DeliveryPage } from '../../deliveries/routes'
import { cx } from '../kit/classes'
import { Badge } from '../kit/controls/badge'
import { exactTime } from '../kit/controls/time'
import { capitalize } from '../kit/sentence'
import { NextStep } from './next-step'
import { SentText } from './text'

const VARIANTS = {
  good: ['bg-good-soft text-good', Check],
  bad: ['bg-bad-soft text-bad', X],
  wait: ['bg-warn-soft text-warn', Clock],
} as const

type Props = {
  of: Pick<
    DeliveryPage,
    'status' | 'progress' | 'receiver' | 'next_attempt_at' | 'waits_for' | 'error' | 'attempts'
  >
}

/** The attempts of a delivery in order, and the next step. */
export const Timeline = ({ of: delivery }: Props) => {
  const { status, attempts, error } = delivery
  const last = attempts.at(-1)
  const advice = adviceFor(delivery)
  // It failed for a reason other than its last attempt: the webhook was disabled, or the workflow was stopped.
  const ended = status === 'FAILED' && error !== null && last?.error !== error
  return (
    <ol aria-label="Attempts" className="p-4">
      {attempts.map(attempt => (
        <Step key={attempt.number} variant={attempt.error === null ? 'good' : 'bad'}>
          <AttemptLine
            of={attempt}
            isLast={attempt === last}
            advice={attempt === last && !ended ? advice : undefined}
          />
        </Step>
      ))}
      {ended && (
        <Step variant="bad">
          <p className="text-sm font-medium">
            {error === STOPPED ? 'Terminated by an operator' : 'Failed without another attempt'}
          </p>
          <p className="text-sm text-bad">{capitalize(error)}</p>
          <p className="mt-0.5 text-sm text-muted">{advice}</p>
        </Step>
      )}
      {status === 'RETRYING' && (
        <Step variant="wait">
          <NextStep of={delivery} />
        </Step>
      )}
    </ol>
  )
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

/** What to do about its failure. */
const adviceFor = ({ status, error, attempts, receiver }: Props['of']): string | undefined => {
  if (error === null) return undefined
  const http_status = attempts.at(-1)?.http_status ?? null
  return adviseOnDelivery({ status, error, http_status }, receiver?.deleted !== false)
}

type AttemptProps = { of: Attempt; isLast: boolean; advice: string | undefined }

const AttemptLine = ({ of: attempt, isLast, advice }: AttemptProps) => (
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
      <>
        <p className="mt-0.5 text-sm break-words text-bad">{capitalize(attempt.error)}</p>
        {advice !== undefined && <p className="mt-0.5 text-sm text-muted">{advice}</p>}
      </>
    )}
    {attempt.response_body !== null && (
      <details open={isLast} className="mt-1.5">
        <summary className="mb-1.5 w-fit text-xs font-medium text-muted hover:text-text">
          Response body of attempt {attempt.number}
        </summary>
        <SentText label={`response body of attempt ${attempt.number}`}>
          {attempt.response_body}
        </SentText>
        {isCut(attempt.response_body) && (
          <p className="mt-1 text-xs text-muted">
            Arden keeps the first {RESPONSE_BODY_MAX_BYTES / 1024} KiB of a response.
          </p>
        )}
      </details>
    )}
  </>
)

/** Bytes of a character in UTF-8. */
const CHARACTER_MAX_BYTES = 4

/** Whether a stored body may be a part of the response: no further character fits. */
const isCut = (body: string) =>
  new TextEncoder().encode(body).length > RESPONSE_BODY_MAX_BYTES - CHARACTER_MAX_BYTES

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

const duration = (ms: number) => (ms < 1000 ? `${ms} ms` : `${NUMBER.format(ms / 1000)} s`)
