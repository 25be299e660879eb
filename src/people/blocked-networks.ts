/** Networks kept in memory, so that a flood from many addresses cannot exhaust it. */
const NETWORKS_MAX = 10_000
/**
 * How long a network is refused without asking PostgreSQL again, in ms. Shorter than the window: attempts that were
 * being verified when the network reached its limit may have succeeded since, and then no longer count.
 */
const REMEMBER_MS = 30_000

/** Networks that have reached their limit, as this process knows them. */
export const createBlockedNetworks = (now: () => number = () => performance.now()) => {
  const networks = new Map<string, { until: number; forgetAt: number }>()
  return {
    block: (network: string, seconds: number): void => {
      const until = now() + seconds * 1000
      networks.delete(network)
      networks.set(network, { until, forgetAt: Math.min(until, now() + REMEMBER_MS) })
      if (networks.size > NETWORKS_MAX) networks.delete(networks.keys().next().value ?? '')
    },
    unblock: (network: string): void => {
      networks.delete(network)
    },
    /** Seconds until the network may try again; 0 when this process does not know it as blocked. */
    secondsLeft: (network: string): number => {
      const found = networks.get(network)
      if (found === undefined) return 0
      if (now() < found.forgetAt) return Math.ceil((found.until - now()) / 1000)
      networks.delete(network)
      return 0
    },
  }
}
