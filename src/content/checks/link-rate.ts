import { TooManyRequests } from '../../errors'

/** Checks of links that an account may begin within this time, in each process. */
const CHECKS_MAX = 60
const WINDOW_MS = 10 * 60_000

/**
 * Returns a function that counts a check of links for an account (contract 6.15): a request of Arden's API must not
 * become thousands to the server of someone else.
 * @throws {TooManyRequests}
 */
export const limitLinkChecks = (now = () => performance.now()) => {
  // In the order of the last check.
  const byAccount = new Map<string, number[]>()
  return (accountId: string): void => {
    const since = now() - WINDOW_MS
    for (const [id, times] of byAccount) {
      if ((times.at(-1) ?? 0) > since) break
      byAccount.delete(id)
    }
    const recent = (byAccount.get(accountId) ?? []).filter(at => at > since)
    const [first = 0] = recent
    if (recent.length >= CHECKS_MAX)
      throw new TooManyRequests(
        `The links of ${CHECKS_MAX} articles were checked within ${WINDOW_MS / 60_000} minutes, as many as an account may. Try again later, or check without links.`,
        Math.ceil((first - since) / 1000),
      )
    byAccount.delete(accountId)
    byAccount.set(accountId, [...recent, now()])
  }
}
