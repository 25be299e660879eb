import { DatabaseTimeout, isDatabaseUnavailable } from './connect'
import { createRoundRobin, type Turns } from './round-robin'

/** Runs `item` in a call that it shares with others; rejects after `timeoutMs` as a database that is away. */
export type Batcher<Item, Result> = (item: Item, timeoutMs: number) => Promise<Result>

export type BatcherOptions<Item> = {
  /** Calls in flight at a time. */
  maxCalls: number
  /** Items in one call; no limit when absent. */
  maxItems?: number
  /** Most weight of the items in one call together, unless it is one item; no limit when absent. */
  maxWeight?: number
  weightOf?: (item: Item) => number
  /** Items with the same key never share a call: the second one is in a later call. */
  uniqueBy?: (item: Item) => string
  /** Items take turns by a key, such as their account; without it, they are sent in the order in which they came. */
  turns?: Turns<Item>
  /**
   * How long after a call was sent the next one waits for more items, in ms, although it could be sent: less
   * work for PostgreSQL at the cost of latency.
   */
  gatherMs?: number
  /**
   * With this many items waiting, the next call is sent before `gatherMs` have passed. `as-last-call` stands for
   * the size of the last call while one is in flight; with none in flight, a call is sent at once.
   */
  enough?: number | 'as-last-call'
  /**
   * False where no item can make a call fail by itself: then a failed call rejects all its items at once, and adds
   * no load to a PostgreSQL in trouble.
   */
  rerunAlone?: boolean
  /** An urgent item is sent at once, together with all items that wait. */
  isUrgent?: (item: Item) => boolean
}

/**
 * Combines items into calls that PostgreSQL runs nearly as fast as a call with one item. An item joins only a
 * call that is not yet sent, so its result is never older than the item itself. An item that comes alone is sent
 * on the next turn of the event loop.
 *
 * `call` returns the results in the order of its items. When it fails, each item is run again in a call of its own,
 * so that one item that PostgreSQL rejects does not fail the others; except when the database is away, because
 * the call may have taken effect then.
 *
 * An item that has timed out is never sent: while PostgreSQL is away, callers that try again and again leave nothing
 * behind.
 */
export const createBatcher = <Item, Result>(
  call: (items: Item[]) => Promise<readonly Result[]>,
  {
    maxCalls,
    maxItems = Number.POSITIVE_INFINITY,
    maxWeight = Number.POSITIVE_INFINITY,
    weightOf = () => 0,
    uniqueBy,
    turns = { by: () => '', maxItems, maxCalls },
    gatherMs = 0,
    enough = 1,
    rerunAlone = true,
    isUrgent = () => false,
  }: BatcherOptions<Item>,
): Batcher<Item, Result> => {
  type Entry = {
    item: Item
    resolve: (result: Result) => void
    reject: (error: unknown) => void
    timer: Timer
    isSettled: boolean
  }
  const waiting = createRoundRobin<Entry>({ ...turns, by: ({ item }) => turns.by(item) })
  let urgent = 0
  let inFlight = 0
  let lastSentAt = Number.NEGATIVE_INFINITY
  let lastSize = 0
  let isScheduled = false
  let isGathering = false

  const hasEnough = () => {
    if (urgent > 0) return true
    if (enough !== 'as-last-call') return waiting.size() >= enough
    return inFlight === 0 || waiting.size() >= lastSize
  }

  const schedule = () => {
    if (isScheduled || inFlight >= maxCalls || waiting.size() === 0) return
    const ms = hasEnough() ? 0 : lastSentAt + gatherMs - performance.now()
    if (ms > 0) {
      if (!isGathering) setTimeout(endGathering, ms)
      isGathering = true
      return
    }
    isScheduled = true
    setImmediate(send)
  }
  const endGathering = () => {
    isGathering = false
    schedule()
  }

  const remove = (entry: Entry) => {
    const wasWaiting = waiting.remove(entry)
    if (wasWaiting && isUrgent(entry.item)) urgent--
    return wasWaiting
  }

  /** Ends the wait of `entry`; its promise is resolved or rejected by the caller. */
  const settle = (entry: Entry): Entry => {
    entry.isSettled = true
    clearTimeout(entry.timer)
    remove(entry)
    return entry
  }

  const takeNext = () => {
    const keys = new Set<string>()
    let weight = 0
    const next = waiting.take(maxItems, ({ item }) => {
      const key = uniqueBy?.(item)
      const added = weightOf(item)
      if ((key !== undefined && keys.has(key)) || (weight > 0 && weight + added > maxWeight))
        return false
      if (key !== undefined) keys.add(key)
      weight += added
      return true
    })
    for (const { item } of next.entries) if (isUrgent(item)) urgent--
    return next
  }

  const run = async (entries: Entry[]): Promise<void> => {
    try {
      const results = await call(entries.map(({ item }) => item))
      // By the contract of `call`, one result for each item.
      entries.forEach((entry, index) => {
        settle(entry).resolve(results[index] as Result)
      })
    } catch (error) {
      if (!rerunAlone || entries.length === 1 || isDatabaseUnavailable(error))
        for (const entry of entries) settle(entry).reject(error)
      else for (const entry of entries) if (!entry.isSettled) await run([entry])
    }
  }

  const send = async () => {
    isScheduled = false
    const { entries, endCall } = takeNext()
    // All items have timed out since the call was scheduled.
    if (entries.length === 0) return
    lastSentAt = performance.now()
    lastSize = entries.length
    inFlight++
    await run(entries)
    inFlight--
    endCall()
    schedule()
  }

  return (item, timeoutMs) =>
    new Promise((resolve, reject) => {
      // Not `withTimeout`: its promises cost 5 us of CPU for each request of the API.
      const timer = setTimeout(() => {
        const isSent = !remove(entry)
        settle(entry).reject(new DatabaseTimeout(undefined, isSent))
      }, timeoutMs)
      const entry: Entry = { item, resolve, reject, timer, isSettled: false }
      waiting.add(entry)
      if (isUrgent(item)) urgent++
      schedule()
    })
}
