import { Pause } from 'lucide-react'

/** For when the operator has paused everything: no button here ends that. */
export const AllPaused = () => (
  <p
    role="status"
    className="mb-4 flex items-start gap-2.5 rounded-lg border border-warn/25 bg-warn-soft p-3 text-sm text-warn"
  >
    <Pause aria-hidden className="mt-0.5 size-4 shrink-0" />
    <span>
      All deliveries are paused by the operator. Nothing is sent to any webhook and nothing is lost;{' '}
      <code className="font-mono text-xs">arden resume</code> goes on.
    </span>
  </p>
)
