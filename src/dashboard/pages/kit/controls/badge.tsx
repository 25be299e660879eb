import type { ReactNode } from 'react'
import { cx } from '../classes'

const TONES = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
  accent: 'bg-accent-soft text-accent',
  quiet: 'bg-hover text-muted',
} as const
type Tone = keyof typeof TONES

/** A short coloured label. */
export const Badge = ({ tone = 'quiet', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={cx(
      'inline-flex h-5 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap',
      TONES[tone],
    )}
  >
    {children}
  </span>
)

/** The tone and the text of every status. */
const STATES: { [status: string]: [tone: Tone, text: string] } = {
  active: ['good', 'Active'],
  revoked: ['bad', 'Revoked'],
  expired: ['quiet', 'Expired'],
  invited: ['warn', 'Invited'],
  disabled: ['quiet', 'Disabled'],
  enabled: ['good', 'Enabled'],
  paused: ['warn', 'Paused'],
  DELIVERED: ['good', 'Delivered'],
  FAILED: ['bad', 'Failed'],
  RETRYING: ['warn', 'Retrying'],
  DRAFT: ['quiet', 'Draft'],
  PUBLISHED: ['good', 'Published'],
  QUEUED: ['quiet', 'Queued'],
  RUNNING: ['accent', 'Running'],
  AWAITING_APPROVAL: ['warn', 'To approve'],
  COMPLETED: ['good', 'Completed'],
  CANCELLED: ['quiet', 'Cancelled'],
}

/** A record's status as a badge with a dot. */
export const Status = ({ of }: { of: string }) => {
  const [tone, text] = STATES[of] ?? (['quiet', of] as const)
  return (
    <Badge tone={tone}>
      <span
        aria-hidden
        className={cx('size-1.5 rounded-full bg-current', of === 'RUNNING' && 'animate-pulse')}
      />
      {text}
    </Badge>
  )
}
