import { networkOf, siteOf } from './client-address'

/** Failed authentications per minute and network before its 401s are delayed (contract 3.10). */
const FAILURES_BEFORE_DELAY = 20
/** The same for an IPv6 /48. */
const SITE_FAILURES_BEFORE_DELAY = 4 * FAILURES_BEFORE_DELAY
const WINDOW_MS = 60_000
const DELAY_MS = 1_000
/** Networks and sites kept in memory, so that a flood from many addresses cannot exhaust it. */
const MAX_NETWORKS = 10_000

/**
 * Returns a function to call before each 401. It waits one second when the network of the address had more than 20 failed
 * authentications in the last minute, or its /48 more than 80. Requests with a valid key are never delayed.
 */
export const createAuthThrottle = (sleep: (ms: number) => Promise<void> = Bun.sleep) => {
  const guesses = new Map<string, { since: number; count: number }>()
  const count = (network: string): number => {
    const now = performance.now()
    const seen = guesses.get(network)
    const current = seen && now - seen.since < WINDOW_MS ? seen : { since: now, count: 0 }
    current.count++
    guesses.delete(network)
    guesses.set(network, current)
    if (guesses.size > MAX_NETWORKS) guesses.delete(guesses.keys().next().value ?? '')
    return current.count
  }
  return async (address: string): Promise<void> => {
    const site = siteOf(address)
    const ofSite = site === undefined ? 0 : count(site)
    const ofNetwork = count(networkOf(address))
    if (ofNetwork > FAILURES_BEFORE_DELAY || ofSite > SITE_FAILURES_BEFORE_DELAY)
      await sleep(DELAY_MS)
  }
}
