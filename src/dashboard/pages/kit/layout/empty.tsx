import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = { icon: LucideIcon; title: string; children: ReactNode; action?: ReactNode }

/** An empty state: what will be here, and how to add it. */
export const Empty = ({ icon: Icon, title, children, action }: Props) => (
  <div className="flex flex-col items-center px-6 py-12 text-center">
    <span className="mb-3 flex size-10 items-center justify-center rounded-full bg-accent-soft text-accent">
      <Icon aria-hidden className="size-5" />
    </span>
    <p className="font-medium">{title}</p>
    <p className="mt-1 max-w-sm text-sm text-muted">{children}</p>
    {action !== undefined && <div className="mt-4">{action}</div>}
  </div>
)

/** A placeholder while data is loading. */
export const Skeleton = ({ rows = 5 }: { rows?: number }) => (
  <div role="status" aria-label="Loading" className="divide-y divide-line">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <div key={row} className="flex items-center gap-4 px-4 py-3.5">
        <div className="h-3 w-1/4 animate-pulse rounded bg-hover" />
        <div className="h-3 w-1/3 animate-pulse rounded bg-hover" />
        <div className="ml-auto h-3 w-16 animate-pulse rounded bg-hover" />
      </div>
    ))}
  </div>
)
