/**
 * A claimer reads the log of `delivery_queue`, takes turns in memory (fair-queue.ts) and claims in PostgreSQL. Any
 * number of them share the work without a lock between them: a row is claimed by one, whatever the others try. What a
 * claimer knows decides only what it tries next.
 */
import { type Sql, withTimeout } from '../../db/connect'
import type { Capacity } from './capacity'
import { type Entry, KIND, type Position } from './entry'
import { createFairQueue } from './fair-queue'
import { createLease } from './lease'
import { isPreferred } from './preference'
import { createScan } from './scan'
import {
  claimDeliveries,
  readQueue,
  readQueuedDeliveries,
  releaseEntries,
  type Work,
} from './statements'
import type { Outside } from './webhook'

/** What is limited, read before each claim: attempts in progress that the claimer did not start. */
export type ReadState = (sql: Sql) => Promise<{
  outside: ReadonlyMap<string, Outside>
  capacity: Capacity
}>

type ClaimerOptions = {
  work: Work
  /** Limits of webhooks; without them and `readState` there are none. */
  capacity?: Capacity
  readState?: ReadState
  /** Whether nothing more of the account is to be claimed until something of it is finished. */
  isFull?: (accountId: string) => boolean
  /** Called when it has found something to claim outside of a claim. */
  onFound: () => void
}

export type Claimer = ReturnType<typeof createClaimer>

const KINDS: Record<Work, number[]> = {
  workflows: [KIND.workflow],
  attempts: [KIND.inOrder, KIND.first, KIND.redelivery],
}
/** Rows in one page of the log. With more it is a summary. */
const LOG_PAGE = 2_000
/** Positions read at a time, of all webhooks together and of one. */
const READ_MAX = 2_000
const READ_OF_ONE_MAX = 200
/** Claims that one call makes, when others were faster. */
const TRIES = 10
export const createClaimer = (sql: Sql, options: ClaimerOptions) => {
  const { work, capacity, readState, isFull, onFound } = options
  const kinds = KINDS[work]
  const stopped = new AbortController()
  /** Entries that `claim` has returned and that are not finished. */
  const returned = new Map<string, Entry>()
  let hasLost = false
  let since: string | undefined
  let isPaused = false
  let claimers: string[] = []
  const lease = createLease(sql, {
    work,
    inProgress: () => [...returned.keys()],
    onReleased: onFound,
  })

  const queue = createFairQueue({
    ...(capacity && { capacity }),
    ...(isFull && { isFull }),
    isPreferred: webhookId => isPreferred(lease.id(), claimers, webhookId),
  })

  const startScan = createScan(sql, {
    signal: stopped.signal,
    onPage: page => {
      const ours = page.filter(({ kind }) => kinds.includes(kind))
      for (const one of ours) queue.addFirst(one, performance.now())
      if (ours.length > 0) onFound()
    },
    onOrphan: lease.releaseLater,
  })

  const readLog = async () => {
    const [page, state] = await Promise.all([
      withTimeout(readQueue(sql, { since, kinds, most: LOG_PAGE, work })),
      readState && withTimeout(readState(sql)),
    ])
    if (since !== undefined && xmaxOf(page.snapshot) < xmaxOf(since)) {
      queue.clear(one => returned.has(one))
      since = undefined
      hasLost = true
      throw new Error(
        'PostgreSQL has lost transactions, such as in a failover: the queue is read again',
      )
    }
    if (since === undefined) await startScan()
    since = page.snapshot
    ;({ isPaused, claimers } = page)
    queue.setState({ slow: page.slow, ...state })
    const now = performance.now()
    for (const entry of page.entries)
      if (page.isSummary) queue.addFirst({ ...entry, isPaused: false }, now)
      else queue.add(entry, now)
  }

  /** Takes entries from the queue, and reads more of webhooks whose known ones are used up. */
  const take = async (most: number): Promise<{ taken: Entry[]; hasRead: boolean }> => {
    const taken = queue.take(most, performance.now())
    const readings = queue.readings()
    if (readings.length === 0) return { taken, hasRead: false }
    const each = Math.max(2, Math.min(READ_OF_ONE_MAX, Math.floor(READ_MAX / readings.length)))
    let read: Position[][]
    try {
      read = await withTimeout(readQueuedDeliveries(sql, readings, each))
    } catch (error) {
      for (const reading of readings) queue.readAgain(reading)
      putBack(taken)
      throw error
    }
    for (const [n, reading] of readings.entries()) {
      const positions = read[n] ?? []
      queue.setRead(reading, positions, positions.length < each)
    }
    const more = queue.take(most - taken.length, performance.now())
    return { taken: [...taken, ...more], hasRead: true }
  }

  /** These can be claimed, as far as is known. */
  const putBack = (entries: Entry[]) => {
    for (const entry of entries) {
      queue.finish(entry, performance.now())
      queue.add(entry, performance.now())
    }
  }

  const tryClaim = async (entries: Entry[]): Promise<Entry[]> => {
    const withFloors = entries.map(one => ({ ...one, floor: queue.floorOf(one.webhookId) }))
    const claiming = claimDeliveries(sql, lease.idToClaim(), withFloors)
    const outcomes = await withTimeout(claiming).catch(error => {
      giveUp(entries)
      throw error
    })
    const now = performance.now()
    // Its lease has ended, or all deliveries were paused.
    if (outcomes === undefined) lease.expire()
    return entries.filter((entry, n) => {
      const outcome = outcomes?.[n] ?? 'refused'
      queue.report(entry, outcome, now)
      return outcome === 'claimed' || outcome === 'unordered'
    })
  }

  /** Deliveries that are claimed, or may be, become claimable with the next claim. */
  const giveUp = (entries: Entry[]) => {
    hasLost = true
    for (const { id } of entries) returned.delete(id)
    putBack(entries)
  }

  return {
    /** Claims up to `limit` deliveries, and renews the lease. With 0 it only does that. */
    claim: async (limit: number): Promise<Entry[]> => {
      const claimed: Entry[] = []
      try {
        if (hasLost) lease.changeId()
        hasLost = false
        await lease.renew()
        if (limit === 0) return []
        await readLog()
        for (let n = 0; n < TRIES && !isPaused && claimed.length < limit; n++) {
          const { taken, hasRead } = await take(limit - claimed.length)
          // What was read can have been nothing: then it is the turn of others.
          if (taken.length === 0 && !hasRead) break
          if (taken.length > 0) claimed.push(...(await tryClaim(taken)))
          if (lease.isExpired()) break
        }
      } catch (error) {
        if (claimed.length > 0) giveUp(claimed)
        throw error
      }
      for (const entry of claimed) returned.set(entry.id, entry)
      return claimed
    },

    /** The ids under which it has claimed what it has. */
    ids: lease.ids,

    /** A claimed delivery is in progress no more, and was recorded or handed over. */
    finish: (entry: Entry): void => {
      returned.delete(entry.id)
      queue.finish(entry, performance.now())
    },

    /** Makes claimed deliveries claimable again at once. */
    release: async (entries: Entry[]): Promise<void> => {
      const mine = entries.filter(entry => returned.has(entry.id))
      for (const entry of mine) returned.delete(entry.id)
      try {
        await withTimeout(releaseEntries(sql, lease.ids(), mine))
        putBack(mine)
      } catch (error) {
        giveUp(mine)
        throw error
      }
    },

    giveUp,
    renew: lease.renew,

    /** Renews the lease until `stop`, also while a claim is slow or none is made. */
    keepLease: (): void => lease.keep(stopped.signal),

    isLimited: queue.isLimited,

    /** Milliseconds until something that waits in memory can be claimed; infinite when nothing does. */
    waitMs: (): number =>
      isPaused ? Number.POSITIVE_INFINITY : Math.max(0, queue.nextAt() - performance.now()),

    /** Makes everything claimable that it has in progress. It claims nothing more. */
    stop: async (): Promise<void> => {
      stopped.abort()
      await lease.end()
    },
  }
}

/** The first transaction that had not begun: the second number of a snapshot. */
const xmaxOf = (snapshot: string): bigint => BigInt(snapshot.split(':')[1] ?? 0)
