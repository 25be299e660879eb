import pLimit from 'p-limit'
import { HeldUp, LOCK_TIMEOUT_MS } from './connect'

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Lets `most` pieces of work run at a time; the others wait for their turn, in order, for as long as a lock is
 * waited for.
 * @throws {HeldUp} for one whose turn does not come in that time; it is not run.
 */
export const createTurns = (most: number): Turns => {
  const limit = pLimit(most)
  return work => {
    const began = performance.now()
    return limit(() => {
      if (performance.now() - began > LOCK_TIMEOUT_MS) throw new HeldUp()
      return work()
    })
  }
}

/** The same for each key by itself, such as an account: one takes no other's turns. */
export const createTurnsByKey = (most: number) => {
  const keys = new Map<string, { turns: Turns; callers: number }>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const one = keys.get(key) ?? { turns: createTurns(most), callers: 0 }
    keys.set(key, one)
    one.callers++
    try {
      return await one.turns(work)
    } finally {
      one.callers--
      if (one.callers === 0) keys.delete(key)
    }
  }
}
