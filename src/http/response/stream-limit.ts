/** A group of open streams, such as those of one account, and the error where it is full. */
type StreamGroup = { id: string; max: number; full: () => Error }

/**
 * Counts the open streams of this process by group. `open` throws where one of the groups is full; it returns the
 * function that ends the stream. Calling that again does nothing.
 */
export const createStreamCounter = () => {
  const counts = new Map<string, number>()
  const add = (id: string, change: 1 | -1) => {
    const count = (counts.get(id) ?? 0) + change
    if (count === 0) counts.delete(id)
    else counts.set(id, count)
  }
  return (groups: readonly StreamGroup[]): (() => void) => {
    for (const { id, max, full } of groups) if ((counts.get(id) ?? 0) >= max) throw full()
    const counted = groups.map(({ id }) => id)
    for (const id of counted) add(id, 1)
    return () => {
      for (const id of counted.splice(0)) add(id, -1)
    }
  }
}
