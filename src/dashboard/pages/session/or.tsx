import type { ReactNode } from 'react'

/** Other ways to sign in, below a form. */
export const Or = ({ children }: { children: ReactNode }) => (
  <div className="mt-4 space-y-3">
    <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      or
    </p>
    {children}
  </div>
)
