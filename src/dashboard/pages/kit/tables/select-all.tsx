import type { ReactNode } from 'react'
import { cx } from '../classes'
import type { Selection } from './use-selection'

type Props = {
  of: Selection<unknown>
  /** What can be done with the selected rows. */
  children: ReactNode
}

/** Selects all rows on screen, beside what can be done with the selected ones. */
export const SelectAll = ({ of: { rows, selected, selectAll }, children }: Props) => (
  <div
    className={cx(
      'flex min-h-12 flex-wrap items-center justify-between gap-x-3 gap-y-2 border-b border-line px-4 py-2 text-sm',
      // In view while rows further down are selected; below the header of narrow screens.
      selected.length > 0 && 'sticky top-0 z-20 bg-surface max-lg:top-14',
    )}
  >
    <label className="flex items-center gap-2.5 text-muted">
      <input
        type="checkbox"
        className="size-4 accent-accent-solid"
        checked={selected.length === rows.length}
        ref={box => {
          if (box !== null) box.indeterminate = selected.length > 0 && selected.length < rows.length
        }}
        onChange={event => selectAll(event.target.checked)}
      />
      {selected.length === 0 ? `Select all ${rows.length} shown` : `${selected.length} selected`}
    </label>
    {selected.length > 0 && children}
  </div>
)
