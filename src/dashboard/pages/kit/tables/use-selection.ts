import { useRef, useState } from 'react'

export type Selection<T> = {
  /** The rows on screen. */
  rows: readonly T[]
  /** Those of them that are selected. */
  selected: readonly T[]
  has: (id: string) => boolean
  /** Selects a row or not; `toHere` does the same with all rows since the last one. */
  toggle: (id: string, toHere: boolean) => void
  selectAll: (on: boolean) => void
}

/** The selected rows of a list. A row that is no longer on screen is not selected. */
export const useSelection = <T extends { id: string }>(rows: readonly T[] = []): Selection<T> => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef('')
  const positionOf = (id: string) => rows.findIndex(row => row.id === id)
  const toggle = (id: string, toHere: boolean) => {
    const next = new Set(ids)
    const ends = [positionOf(toHere ? last.current : id), positionOf(id)].sort((a, b) => a - b)
    const [from = 0, to = 0] = ends[0] === -1 ? [ends[1], ends[1]] : ends
    for (const row of rows.slice(from, to + 1))
      if (ids.has(id)) next.delete(row.id)
      else next.add(row.id)
    last.current = id
    setIds(next)
  }
  return {
    rows,
    selected: rows.filter(({ id }) => ids.has(id)),
    has: id => ids.has(id),
    toggle,
    selectAll: on => setIds(new Set(on ? rows.map(({ id }) => id) : [])),
  }
}
