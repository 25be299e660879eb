import type { ReactNode } from 'react'

type Props = {
  /** The number of rows on screen, and of those that are selected. */
  all: number
  selected: number
  onAll: (on: boolean) => void
  /** What can be done with the selected rows. */
  children: ReactNode
}

/** Selects all rows on screen, beside what can be done with the selected ones. */
export const SelectAll = ({ all, selected, onAll, children }: Props) => (
  <div className="flex min-h-12 items-center justify-between gap-3 border-b border-line px-4 py-2 text-sm">
    <label className="flex items-center gap-2.5 text-muted">
      <input
        type="checkbox"
        className="size-4 accent-accent-solid"
        checked={selected === all}
        ref={box => {
          if (box !== null) box.indeterminate = selected > 0 && selected < all
        }}
        onChange={event => onAll(event.target.checked)}
      />
      {selected === 0 ? `Select all ${all} shown` : `${selected} selected`}
    </label>
    {selected > 0 && children}
  </div>
)
