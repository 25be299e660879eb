/**
 * Eager starts of workflows under way on one connection. While the SDK asks the slots of a Temporal worker, on the main
 * thread, whether one is free, it holds a lock that the shutdown of each worker of the connection waits for, also on
 * the main thread: a shutdown in this moment would never return.
 */
export type EagerStarts = {
  /** Calls `start`, and says whether it may be eager. */
  run: <T>(start: (isEager: boolean) => Promise<T>) => Promise<T>
  /** Later starts are not eager. Resolves when no eager start is under way, which takes one call's time-out at most. */
  end: () => Promise<void>
}

export const createEagerStarts = (): EagerStarts => {
  let hasEnded = false
  const underWay = new Set<Promise<unknown>>()
  return {
    run: async start => {
      if (hasEnded) return start(false)
      const started = start(true).finally(() => underWay.delete(started))
      underWay.add(started)
      return started
    },
    end: async () => {
      hasEnded = true
      await Promise.allSettled(underWay)
    },
  }
}
