import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { cx } from '../classes'
import { Button } from '../controls/button'
import { Skeleton } from '../layout/empty'
import { Problem } from '../layout/problem'

export type Column<T> = {
  head: string
  /** Null or false where the record has none: a card leaves it out. */
  cell: (row: T) => ReactNode
  /** Right-aligned, for numbers. */
  right?: boolean
  /** The head is for screen readers only, as of a column of buttons. */
  quiet?: boolean
  className?: string
}

type Props<T> = {
  /** Names the table for screen readers. */
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[] | undefined
  keyOf: (row: T) => string
  empty: ReactNode
  error?: Error | null
  onRetry?: () => void
  /** Shows a button that loads the next page. */
  more?: { has: boolean; busy: boolean; load: () => void }
}

/**
 * Records as a table, or as cards where that has no room. The first column has the link to the record, which covers the
 * row (`ROW_LINK`); the arrow keys move from one to the next.
 */
export const Table = <T,>({ rows, empty, error = null, onRetry, more, ...rest }: Props<T>) => {
  if (error !== null && rows === undefined)
    return <Problem error={error} onRetry={onRetry} className="m-4" />
  if (rows === undefined) return <Skeleton />
  if (rows.length === 0) return empty
  return (
    <>
      <Problem error={error} onRetry={onRetry} className="m-4" />
      <Rows rows={rows} {...rest} />
      {more?.has && (
        <div className="flex justify-center border-t border-line p-2">
          <Button variant="quiet" busy={more.busy} onClick={more.load}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}

type RowsProps<T> = Pick<Props<T>, 'label' | 'columns' | 'keyOf'> & { rows: readonly T[] }

/** The most columns that have room beside the navigation on a small screen. */
const NARROW_MAX = 5

// Explicit roles, because a table displayed as blocks loses its own in some browsers.
const Rows = <T,>({ label, columns, rows, keyOf }: RowsProps<T>) => (
  <div className={columns.length > NARROW_MAX ? '@container/wide-table' : '@container/table'}>
    {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
    <table role="table" aria-label={label} className="w-full text-sm cards:block">
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup" className="cards:sr-only">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row" className="border-b border-line">
          {columns.map(({ head, right, quiet }) => (
            <th
              key={head}
              // biome-ignore lint/a11y/noRedundantRoles: see above
              role="columnheader"
              scope="col"
              className={cx(
                'px-4 py-2 text-xs font-medium whitespace-nowrap text-muted',
                right ? 'text-right' : 'text-left',
              )}
            >
              {quiet ? <span className="sr-only">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <tbody role="rowgroup" className="cards:block" onKeyDown={walk} onMouseMove={showTooltip}>
        {rows.map(row => (
          <tr
            key={keyOf(row)}
            // biome-ignore lint/a11y/noRedundantRoles: see above
            role="row"
            className="relative border-line not-last:border-b hover:bg-hover/60 cards:flex cards:flex-wrap cards:items-center cards:gap-x-4 cards:gap-y-1 cards:px-4 cards:py-3"
          >
            {columns.map(({ head, cell, right, quiet, className }, index) => {
              const content = cell(row)
              return (
                <td
                  key={head}
                  // biome-ignore lint/a11y/noRedundantRoles: see above
                  role="cell"
                  className={cx(
                    'px-4 py-2.5 cards:max-w-full cards:p-0 cards:break-words',
                    right && 'num text-right cards:text-left',
                    index === 0 && 'cards:w-full',
                    index === 0 && columns.some(one => one.quiet) && 'cards:pr-20',
                    quiet && 'cards:absolute cards:top-2 cards:right-2',
                    (content === null || content === false) && 'cards:hidden',
                    className,
                  )}
                >
                  {index > 0 && !quiet && (
                    <span aria-hidden className="mr-1.5 hidden text-xs text-faint cards:inline">
                      {head}
                    </span>
                  )}
                  {content}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Moves the focus to the link or button of the next or previous row. */
const walk = (event: KeyboardEvent<HTMLElement>) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || !(event.target instanceof HTMLElement)) return
  if (event.target.matches('input, select, textarea, [aria-expanded="true"]')) return
  const firsts = [...event.currentTarget.querySelectorAll<HTMLElement>('tr')].map(row =>
    row.querySelector<HTMLElement>('a, button'),
  )
  const at = firsts.findIndex(first => first?.closest('tr')?.contains(event.target as Node))
  const next = firsts[at + step]
  if (next == null) return
  event.preventDefault()
  next.focus()
}

/** Shows on the link that covers a row the tooltip of what is under it, such as the exact time. */
const showTooltip = ({ target, clientX, clientY }: MouseEvent<HTMLElement>) => {
  if (!(target instanceof HTMLElement) || !target.matches('.row-link')) return
  const row = target.closest('tr')
  const titled = document
    .elementsFromPoint(clientX, clientY)
    .map(element => element.closest<HTMLElement>('[title]'))
    .find(element => element !== null && element !== target && row?.contains(element))
  target.title = titled?.title ?? ''
}
