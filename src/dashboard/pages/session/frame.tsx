import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { ConnectionBanner } from '../kit/layout/connection-banner'
import { Mark } from '../kit/layout/mark'

/** The frame of the sign-in pages. */
export const Frame = ({ title, children }: { title: string; children: ReactNode }) => {
  useEffect(() => {
    document.title = `${title} · Arden`
    // Without a session there is no mode.
    delete document.documentElement.dataset.mode
  }, [title])
  return (
    <>
      <div className="fixed inset-x-0 top-0">
        <ConnectionBanner />
      </div>
      <main className="flex min-h-dvh flex-col items-center justify-center p-4">
        <div className="w-full max-w-sm">
          <div className="mb-6 flex items-center justify-center gap-2.5">
            <Mark className="size-8" />
            <span className="text-xl font-semibold tracking-tight">Arden</span>
          </div>
          <div className="rounded-xl border border-line bg-surface p-6 shadow-high">
            <h1 className="mb-4 text-lg font-semibold tracking-tight">{title}</h1>
            {children}
          </div>
        </div>
      </main>
    </>
  )
}
