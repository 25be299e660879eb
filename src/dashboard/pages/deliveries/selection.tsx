import { RotateCcw } from 'lucide-react'
import { Button } from '../kit/controls/button'

type Props = {
  /** The number of deliveries on screen, and of those that are selected. */
  all: number
  selected: number
  onAll: (on: boolean) => void
  onRedeliver: () => void
}

/** Selects all deliveries on screen, and redelivers the selected ones. */
export const Selection = ({ all, selected, onAll, onRedeliver }: Props) => (
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
    {selected > 0 && (
      <Button variant="primary" onClick={onRedeliver}>
        <RotateCcw aria-hidden className="size-3.5" />
        Redeliver
      </Button>
    )}
  </div>
)
