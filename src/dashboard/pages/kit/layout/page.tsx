import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { cx } from '../classes'

type Props = {
  title: string
  /** The link to the parent page, above the title. */
  back?: ReactNode
  /** One sentence about the page. */
  about?: ReactNode
  actions?: ReactNode
  /** Shown above the content. */
  filters?: ReactNode
  children: ReactNode
}

/** A page: title, actions, content. */
export const Frame = ({ title, back, about, actions, filters, children }: Props) => {
  useEffect(() => {
    document.title = `${title} · Arden`
  }, [title])
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-5 sm:px-6 lg:px-8 lg:py-7">
      <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {back !== undefined && <p className="mb-1 text-sm print:hidden">{back}</p>}
          <h1
            title={title}
            className="line-clamp-3 text-xl font-semibold tracking-tight break-words print:line-clamp-none"
          >
            {title}
          </h1>
          {about !== undefined && <p className="mt-0.5 max-w-2xl text-sm text-muted">{about}</p>}
        </div>
        {actions != null && actions !== false && (
          <div className="flex flex-wrap gap-2 print:hidden">{actions}</div>
        )}
      </header>
      {filters !== undefined && (
        <div className="mb-3 flex flex-wrap gap-2 print:hidden">{filters}</div>
      )}
      {children}
    </div>
  )
}

type CardProps = { title?: ReactNode; actions?: ReactNode; children: ReactNode; className?: string }

/** A framed section of a page. */
export const Card = ({ title, actions, children, className }: CardProps) => (
  <section className={cx('rounded-xl border border-line bg-surface shadow-low', className)}>
    {title !== undefined && (
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-2 border-b border-line px-4 py-2">
        <h2 className="text-sm font-semibold">{title}</h2>
        {actions !== undefined && <div className="contents print:hidden">{actions}</div>}
      </header>
    )}
    {children}
  </section>
)

/** Pairs of a name and a value. */
export const Facts = ({ of }: { of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[minmax(5.5rem,max-content)_1fr] gap-x-4 sm:grid-cols-[minmax(7rem,max-content)_1fr] sm:gap-x-6 gap-y-2 text-sm">
    {of.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)
