/** Numbers that are the same for the same seed (mulberry32), so that a run can be made again. */
export type Random = {
  /** 0 <= n < 1 */
  next: () => number
  between: (min: number, max: number) => number
  pick: <T>(items: readonly [T, ...T[]]) => T
  shuffled: <T>(items: readonly T[]) => T[]
}

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min, max) => min + next() * (max - min),
    pick: items => items[Math.floor(next() * items.length)] ?? items[0],
    shuffled: items =>
      items
        .map(item => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
  }
}
