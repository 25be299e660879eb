import pLimit from 'p-limit'
import { LOCK_TIMEOUT_MS, LockTimeout } from './connect'
import { perKey } from './per-key'

type Limit = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `max` pieces of work at a time; the others wait in order, no longer than for a lock.
 * @throws {LockTimeout} for work that waited for longer; it is not run.
 */
export const limitConcurrency = (max: number): Limit => {
  const limit = pLimit(max)
  return work => {
    const queuedAt = performance.now()
    return limit(() => {
      if (performance.now() - queuedAt > LOCK_TIMEOUT_MS) throw new LockTimeout()
      return work()
    })
  }
}

/** The same limit for each key, such as an account: the work of one key never waits for that of another. */
export const limitConcurrencyPerKey = (max: number) => {
  const limits = perKey(() => limitConcurrency(max))
  return <T>(key: string, work: () => Promise<T>): Promise<T> =>
    limits.use(key, limit => limit(work))
}
