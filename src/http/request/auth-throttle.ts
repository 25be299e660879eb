/** Wrong keys in a minute from one address, after which its 401s are slowed (contract 3.10). */
const FAILURES_BEFORE_DELAY = 20
const WINDOW_MS = 60_000
const DELAY_MS = 1_000
/** Addresses remembered at most: a flood from many addresses must not fill the memory. */
const MAX_ADDRESSES = 10_000

/**
 * Makes guessing keys slow without ever slowing a valid key: call it for each 401; it waits a second
 * when its address has had more than 20 in the last minute.
 */
export const createAuthThrottle = (sleep: (ms: number) => Promise<void> = Bun.sleep) => {
  const guesses = new Map<string, { since: number; count: number }>()
  return async (address: string): Promise<void> => {
    const now = performance.now()
    const seen = guesses.get(address)
    const current = seen && now - seen.since < WINDOW_MS ? seen : { since: now, count: 0 }
    current.count++
    guesses.delete(address)
    guesses.set(address, current)
    if (guesses.size > MAX_ADDRESSES) guesses.delete(guesses.keys().next().value ?? '')
    if (current.count > FAILURES_BEFORE_DELAY) await sleep(DELAY_MS)
  }
}
