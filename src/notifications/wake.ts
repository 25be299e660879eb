/**
 * Wakes the dispatchers after a commit (docs/architecture.md, "From a commit to the receiver"). A NOTIFY
 * inside the transaction would take a cluster-wide lock at commit and end group commit. A lost wake-up costs
 * a second: the dispatchers poll for due records.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql, withTimeout } from '../db/connect'
import type { Log } from '../log'
import { createPublishChange, type PublishChange } from './changes'

const CHANNEL = 'arden_due'
/** Minimum time between two NOTIFYs, in ms: under load one serves many commits. */
const INTERVAL_MS = 5

/** Interval of claims without a wake-up, in ms: a wake-up can be lost. */
export const SWEEP_INTERVAL_MS = 1_000

/** Call both functions after a commit. They return at once and never throw. */
export type Waker = { wake(): void; publishChange: PublishChange; stop(): Promise<void> }

/** Uses a connection of its own, so that a wake-up never waits for a query. */
export const createWaker = (databaseUrl: string): Waker => {
  const sql = connect(databaseUrl, { name: 'arden wake', max: 1 })
  let isSending = false
  let isPending = false
  const wake = () => {
    isPending = isSending
    if (isSending) return
    isSending = true
    const sent = sql.notify(CHANNEL, '').catch(() => {})
    Promise.all([sent, sleep(INTERVAL_MS)]).then(() => {
      isSending = false
      if (isPending) wake()
    })
  }
  return {
    wake,
    publishChange: createPublishChange((channel, payload) => sql.notify(channel, payload)),
    stop: () => sql.end({ timeout: 1 }),
  }
}

/**
 * Calls `onWakeUp` at each wake-up, and whenever listening starts again, because wake-ups may have been missed.
 * Returns a function that stops listening.
 */
export const listenForWakeUps = async (
  sql: Sql,
  onWakeUp: () => void,
): Promise<() => Promise<void>> => {
  const { unlisten } = await sql.listen(CHANNEL, onWakeUp, onWakeUp)
  return unlisten
}

/** The same for a caller that also claims every `SWEEP_INTERVAL_MS`: a refused LISTEN is a warning about `what`. */
export const tryListenForWakeUps = async (
  sql: Sql,
  onWakeUp: () => void,
  { log, what }: { log: Log; what: string },
): Promise<() => Promise<void>> => {
  const unlisten = await withTimeout(listenForWakeUps(sql, onWakeUp)).catch(() => undefined)
  if (unlisten === undefined)
    log.warn(
      `PostgreSQL refused LISTEN: due ${what} are found once a second, not at once. Connect without a transaction pooler.`,
    )
  return unlisten ?? (async () => {})
}
