/**
 * How many workflows a dispatcher starts at a time: fewer while starts are slow. Temporal then has no room, and what it
 * does for one start more, it does later for the timers and tasks of workflows that run (docs/decisions/fairness.md).
 */
export type StartWindow = {
  /** Starts at a time, from 1 to `STARTS_MAX`. */
  size: () => number
  /** Calls `start`, and measures how long it takes. */
  measure: <T>(start: () => Promise<T>) => Promise<T>
}

/** 1,000 deliveries on 2 cores (SQLite) ran at 92 a second with 8 starts at a time, and at 25 a second with 100. */
const STARTS_MAX = 8
/** A start that takes longer than both is slow: this, in ms, and so many times the shortest one, for a distant Temporal. */
const SLOW_MS = 50
const SLOW_RATIO = 4
/** By how much each start lengthens the shortest one: a single quick one, or a faster Temporal, is forgotten. */
const FORGOTTEN = 1.002
/** What a slow start takes off the size; one that is not slow adds 1 / size. */
const STEP_DOWN = 0.5

export const createStartWindow = (): StartWindow => {
  let size = STARTS_MAX
  let shortestMs = Number.POSITIVE_INFINITY
  const record = (ms: number) => {
    const isSlow = ms > Math.max(SLOW_MS, SLOW_RATIO * shortestMs)
    size = isSlow ? Math.max(1, size - STEP_DOWN) : Math.min(STARTS_MAX, size + 1 / size)
  }
  return {
    size: () => Math.floor(size),
    measure: start => {
      const began = performance.now()
      const elapsed = () => performance.now() - began
      return start().then(
        result => {
          shortestMs = Math.min(shortestMs * FORGOTTEN, elapsed())
          record(elapsed())
          return result
        },
        error => {
          record(elapsed())
          throw error
        },
      )
    },
  }
}
