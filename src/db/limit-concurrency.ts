import pLimit from 'p-limit'
import { LOCK_TIMEOUT_MS, LockTimeout } from './connect'
import { perKey } from './per-key'

/** Runs work when it is its turn. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `max` pieces of work at a time; the others wait in order, no longer than for a lock.
 * @throws {LockTimeout} for work that waited for longer; it is not run.
 */
export const limitConcurrency = (max: number): Limit => {
  const limit = pLimit(max)
  return async work => {
    if (limit.activeCount + limit.pendingCount < max) return limit(work)
    const turn = Promise.withResolvers<void>()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      turn.reject(new LockTimeout())
    }, LOCK_TIMEOUT_MS)
    const result = limit(async () => {
      if (isLate) throw new LockTimeout()
      clearTimeout(timer)
      turn.resolve()
      return work()
    })
    // Of late work, `turn` has reported it.
    result.catch(() => {})
    await turn.promise
    return result
  }
}

/** The same limit for each key, such as an account: the work of one key never waits for that of another. */
export const limitConcurrencyPerKey = (max: number) => {
  const limits = perKey(() => limitConcurrency(max))
  return <T>(key: string, work: () => Promise<T>): Promise<T> =>
    limits.use(key, limit => limit(work))
}
