import type { ReactNode } from 'react'

/** A message above what it is about, with what can be done. */
export const Notice = ({ children }: { children: ReactNode }) => (
  <div
    role="status"
    className="mb-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-warn-soft p-3 text-sm text-warn"
  >
    {children}
  </div>
)
