/**
 * Accounts that start many workflows at once, such as because all of their endpoints fail (contract 5.3). Their
 * deliveries have a task queue of their own, so that no task of another account waits behind theirs. What they start and
 * run at a time shrinks while the others are late: a workflow costs so much that they would take all CPU of Temporal.
 */
import pLimit from 'p-limit'
import { ACTIVE_WORKFLOW_TASKS } from '../../temporal/workflow-tasks'

/**
 * Workflows of an account that are started in a second before it is busy, on average, and at once. It is not busy any
 * more when it could start as many at once again: until then nothing of it counts as that of another account.
 */
const PER_SECOND = 10
const AT_ONCE = 20
/** Accounts whose starts are counted; of more, those without a start for longest are taken for new. */
const ACCOUNTS = 10_000
/** What is late by more than this, in ms, takes the room of busy accounts. */
const LATE_MS = 250
/** Time in which no room becomes all of it, in ms. */
const RECOVERY_MS = 60_000
/** Starts at a time, and workflow tasks at a time that use the CPU, of one worker: without room and with all of it. */
const STARTS = { least: 2, most: 8 }
const TASKS = { least: 6, most: ACTIVE_WORKFLOW_TASKS }

export type BusyAccounts = {
  /** Counts a workflow that is to be started, and returns whether its account is busy. */
  countStart: (accountId: string) => boolean
  /** Calls `begin`, which starts a workflow: that of a busy account within the limit of them all. */
  start: (isBusy: boolean, begin: () => Promise<void>) => Promise<void>
  /** Something of another account was late by `ms`. */
  reportLateness: (ms: number) => void
  /** Workflow tasks of busy accounts that may use the CPU at a time. */
  tasks: () => number
}

/** Of one worker. `now` in ms. */
export const createBusyAccounts = (now = () => performance.now()): BusyAccounts => {
  const limited = pLimit(STARTS.most)
  let lateAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure: unknown

  const ofRoom = ({ least, most }: typeof TASKS) =>
    Math.round(least + (most - least) * Math.min(1, (now() - lateAt) / RECOVERY_MS))
  const reportLateness = (ms: number) => {
    if (ms > LATE_MS) lateAt = now()
  }
  return {
    countStart: countStarts(now),
    start: async (isBusy, begin) => {
      if (isBusy) {
        limited.concurrency = ofRoom(STARTS)
        const before = failures
        return limited(async () => {
          // After one failure those that waited are not tried, because each would take until its time-out.
          if (failures > before) throw failure
          await begin().catch(error => {
            failures++
            failure = error
            throw error
          })
        })
      }
      const began = now()
      // Also of one that fails: it can have timed out.
      await begin().finally(() => reportLateness(now() - began))
    },
    reportLateness,
    tasks: () => ofRoom(TASKS),
  }
}

/**
 * Workflows of busy accounts that a dispatcher has claimed and not started. With `most` it claims no others of these
 * accounts, so that those that are not busy find a place in its claims.
 */
export const createBusyClaims = (most: number) => {
  const byAccount = new Map<string, number>()
  let all = 0
  return {
    add: (accountId: string): void => {
      byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + 1)
      all++
    },
    remove: (accountId: string): void => {
      const left = (byAccount.get(accountId) ?? 0) - 1
      if (left > 0) byAccount.set(accountId, left)
      else byAccount.delete(accountId)
      all--
    },
    isFull: (accountId: string): boolean => all >= most && byAccount.has(accountId),
  }
}

/** Counts the start of a workflow, and says whether its account is busy. */
const countStarts = (now: () => number) => {
  const left = new Map<string, { starts: number; at: number; isBusy: boolean }>()
  return (accountId: string): boolean => {
    const at = now()
    const before = left.get(accountId) ?? { starts: AT_ONCE, at, isBusy: false }
    const starts = Math.min(AT_ONCE, before.starts + ((at - before.at) / 1000) * PER_SECOND)
    // Deleted first, so that the map is in the order of the last starts.
    left.delete(accountId)
    const isBusy = starts < (before.isBusy ? AT_ONCE : 1)
    left.set(accountId, { starts: Math.max(0, starts - 1), at, isBusy })
    const [oldest] = left.size > ACCOUNTS ? left.keys() : []
    if (oldest !== undefined) left.delete(oldest)
    return isBusy
  }
}
