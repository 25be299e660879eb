import type { Generation } from '../../../content/generations/schema'
import { Badge, Status } from '../kit/controls/badge'

/** The status, and the estimated progress while it runs. */
export const Progress = ({ of: generation }: { of: Generation }) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    <Status of={generation.status} />
    {generation.offline_draft && (isOpen(generation) || generation.status === 'COMPLETED') && (
      <Badge tone="warn">Offline draft</Badge>
    )}
    {generation.status === 'RUNNING' && <Bar per100={generation.progress} />}
  </span>
)

const Bar = ({ per100 }: { per100: number }) => (
  <span className="num inline-flex items-center gap-2 text-xs text-muted">
    <span
      role="progressbar"
      aria-label="Written"
      aria-valuenow={per100}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1.5 w-24 overflow-hidden rounded-full bg-line"
    >
      <span
        className="block h-full rounded-full bg-accent transition-[width] duration-500"
        style={{ width: `${per100}%` }}
      />
    </span>
    {per100} %
  </span>
)

/** Whether it can still be cancelled. */
export const isOpen = ({ status }: Pick<Generation, 'status'>): boolean =>
  status === 'QUEUED' || status === 'RUNNING' || status === 'AWAITING_APPROVAL'

/** The duration as a text; null until it has ended. */
export const took = ({ started_at, finished_at }: Generation): string | null => {
  if (started_at === null || finished_at === null) return null
  const seconds = (Date.parse(finished_at) - Date.parse(started_at)) / 1000
  if (seconds < 0.1) return 'less than 0.1 s'
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
