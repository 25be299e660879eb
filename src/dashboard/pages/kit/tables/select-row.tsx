import type { Selection } from './use-selection'

type Props = { id: string; name: string; of: Pick<Selection<unknown>, 'has' | 'toggle'> }

/** Selects a row; with Shift, all rows from the last one to it. */
export const SelectRow = ({ id, name, of: selection }: Props) => (
  <input
    type="checkbox"
    className="mt-0.5 size-4 shrink-0 accent-accent-solid"
    aria-label={`Select ${name}`}
    checked={selection.has(id)}
    onChange={({ nativeEvent }) =>
      selection.toggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
    }
  />
)
