/** A first-in-first-out list. A Set or `Array.shift` takes longer the more it has. */
export type Fifo<T> = { push: (one: T) => void; shift: () => T | undefined; size: () => number }

const COMPACT_AT = 1_000

export const createFifo = <T>(): Fifo<T> => {
  let items: (T | undefined)[] = []
  let head = 0
  return {
    push: one => void items.push(one),
    shift: () => {
      if (head === items.length) return undefined
      const one = items[head]
      items[head++] = undefined
      if (head >= COMPACT_AT && head * 2 >= items.length) {
        items = items.slice(head)
        head = 0
      }
      return one
    },
    size: () => items.length - head,
  }
}
