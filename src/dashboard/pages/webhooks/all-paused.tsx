import { Pause } from 'lucide-react'

/** Shown while the operator has paused all deliveries. The dashboard cannot resume them. */
export const AllPaused = () => (
  <p
    role="status"
    className="mb-4 flex items-start gap-2.5 rounded-lg border border-warn/25 bg-warn-soft p-3 text-sm text-warn"
  >
    <Pause aria-hidden className="mt-0.5 size-4 shrink-0" />
    <span>
      All deliveries are paused by the operator. They wait, and none are lost. To resume, run{' '}
      <code className="font-mono text-xs">arden resume</code>.
    </span>
  </p>
)
