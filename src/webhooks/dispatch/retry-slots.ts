import { retryLimit, retryLimitOfAccount } from '../queue/capacity'

/** Slots of a worker for retries: the attempts of a workflow that were not claimed. */
export type RetrySlots = {
  /** Returns the function that frees the slot again, or undefined while the account has its share. */
  take: (accountId: string) => (() => void) | undefined
}

/**
 * Of a worker with `slots` for attempts, so many that retries leave room for first attempts, and those of one account
 * for those of others (contract 5.3). Without them, an account whose receivers fail the first attempt at once and never
 * respond to the next ones would occupy all slots.
 */
export const createRetrySlots = (slots: number): RetrySlots => {
  const byAccount = new Map<string, number>()
  let inProgress = 0
  return {
    take: accountId => {
      const own = byAccount.get(accountId) ?? 0
      const isFree = inProgress < retryLimit(slots) && own < retryLimitOfAccount(slots, inProgress)
      if (!isFree) return undefined
      byAccount.set(accountId, own + 1)
      inProgress++
      return () => {
        inProgress--
        const left = (byAccount.get(accountId) ?? 0) - 1
        if (left > 0) byAccount.set(accountId, left)
        else byAccount.delete(accountId)
      }
    },
  }
}
