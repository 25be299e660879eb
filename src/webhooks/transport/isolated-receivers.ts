/** How long a receiver stays isolated after its last failed handshake, in ms. */
const ISOLATED_MS = 10 * 60_000
/**
 * Hosts of an account. From this many on all of its receivers are isolated: a name server can give every attempt a
 * host of its own. A few broken certificates isolate only themselves.
 */
const HOSTS_MAX = 20

/**
 * The receivers whose TLS handshake failed within the last 10 minutes, or was too expensive, by account and host: their
 * attempts are made in a thread of the account. An account has its own, so it cannot isolate another account's.
 */
export const createIsolatedReceivers = (now = () => performance.now()) => {
  // Both in the order of the last failure.
  const accounts = new Map<string, Map<string, number>>()

  const removeExpired = (account: string, hosts: Map<string, number>) => {
    for (const [host, until] of hosts) {
      if (until > now()) break
      hosts.delete(host)
    }
    if (hosts.size === 0) accounts.delete(account)
  }

  return {
    has: (account: string, host: string): boolean => {
      const hosts = accounts.get(account)
      if (hosts === undefined) return false
      removeExpired(account, hosts)
      return hosts.size >= HOSTS_MAX || hosts.has(host)
    },
    add: (account: string, host: string): void => {
      const hosts = accounts.get(account) ?? new Map<string, number>()
      accounts.delete(account)
      accounts.set(account, hosts)
      hosts.delete(host)
      hosts.set(host, now() + ISOLATED_MS)
      for (const [oldest] of hosts) {
        if (hosts.size <= HOSTS_MAX) break
        hosts.delete(oldest)
      }
      // Accounts of which nothing is sent any more.
      for (const [account, hosts] of accounts) {
        removeExpired(account, hosts)
        if (hosts.size > 0) break
      }
    },
  }
}
