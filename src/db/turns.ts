import pLimit from 'p-limit'
import { HeldUp, LOCK_TIMEOUT_MS } from './connect'
import { createShared } from './shared'

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
  const turns = createShared(() => createTurns(most))
  return <T>(key: string, work: () => Promise<T>): Promise<T> => turns.use(key, run => run(work))
}
