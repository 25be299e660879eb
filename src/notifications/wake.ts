/**
 * Wakes the dispatchers after a commit (docs/architecture.md, "From a commit to the receiver"). A NOTIFY
 * inside the transaction would take a cluster-wide lock at commit and end group commit. A lost wake-up costs
 * a second: the dispatchers poll for due records.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, isOutOfConnections, moreConnections, type Sql, withTimeout } from '../db/connect'
import type { Log } from '../log'
import { createPublishChange, type PublishChange } from './changes'

const CHANNEL = 'arden_due'
/** Minimum time between two NOTIFYs, in ms: under load one serves many commits. */
const INTERVAL_MS = 5

/** Interval of claims without a wake-up, in ms: a wake-up can be lost. */
export const SWEEP_INTERVAL_MS = 1_000

export type Waker = {
  /** Call after a commit. Returns at once and never throws, as `publishChange`. */
  wake: () => void
  /**
   * Calls `onWakeUp` at each wake-up, those of this process at once, and whenever listening starts again, because
   * wake-ups may have been missed. For a caller that also claims every `SWEEP_INTERVAL_MS`: a refused LISTEN is a warning
   * about `what`. The returned function stops listening.
   */
  listen: (
    sql: Sql,
    onWakeUp: () => void,
    about: { log: Log; what: string },
  ) => Promise<() => Promise<void>>
  publishChange: PublishChange
  stop: () => Promise<void>
}

/** Why PostgreSQL does not accept LISTEN, and what to do. */
const describeRefusal = (error: unknown): string =>
  isOutOfConnections(error)
    ? `${error.message}. ${moreConnections(error)}`
    : `${error instanceof Error ? error.message : error}. If a transaction pooler is in between, connect without it.`

/** Uses a connection of its own, so that a wake-up never waits for a query. */
export const createWaker = (databaseUrl: string): Waker => {
  const sql = connect(databaseUrl, { name: 'arden wake', max: 1 })
  /** The payload of its NOTIFYs, which its own listeners ignore. */
  const id = randomUUID()
  const listeners = new Set<() => void>()
  let isSending = false
  let isPending = false
  const notify = () => {
    isPending = isSending
    if (isSending) return
    isSending = true
    const sent = sql.notify(CHANNEL, id).catch(() => {})
    Promise.all([sent, sleep(INTERVAL_MS)]).then(() => {
      isSending = false
      if (isPending) notify()
    })
  }
  return {
    wake: () => {
      for (const onWakeUp of listeners) onWakeUp()
      notify()
    },
    listen: async (sql, onWakeUp, { log, what }) => {
      listeners.add(onWakeUp)
      const onNotify = (from: string) => {
        if (from !== id) onWakeUp()
      }
      let isRefused = false
      // The driver tries again.
      const onListen = () => {
        if (isRefused) log.info(`LISTEN for due ${what}: available again.`)
        isRefused = false
        onWakeUp()
      }
      const listening = await withTimeout(sql.listen(CHANNEL, onNotify, onListen)).catch(error => {
        isRefused = true
        log.warn(
          `PostgreSQL refused LISTEN: ${describeRefusal(error)} Until then due ${what} are found once a second, not at once.`,
        )
      })
      return async () => {
        listeners.delete(onWakeUp)
        await listening?.unlisten()
      }
    },
    publishChange: createPublishChange((channel, payload) => sql.notify(channel, payload)),
    stop: () => sql.end({ timeout: 1 }),
  }
}
