import { Pause } from 'lucide-react'
import { useMe } from '../session/me'

/** Shown on every page while the operator has paused all deliveries. The dashboard cannot resume them. */
export const PausedBanner = () =>
  useMe()?.deliveries_paused ? (
    <p
      role="status"
      className="flex flex-wrap items-center justify-center gap-x-2 border-b border-line bg-warn-soft px-4 py-1.5 text-center text-xs font-medium text-warn print:hidden"
    >
      <Pause aria-hidden className="size-3.5 shrink-0" />
      <span>
        An operator has paused all deliveries. New deliveries are queued. To resume, run{' '}
        <code className="font-mono">arden resume</code>.
      </span>
    </p>
  ) : null
