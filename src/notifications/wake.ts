/**
 * Wakes the dispatchers after a commit (docs/architecture.md, "From a commit to the receiver"). Not by a NOTIFY
 * in the transaction: that takes a lock on the whole database cluster at commit and ends group commit. A lost
 * wake-up costs a second: the dispatchers' sweep finds what is due.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../db/connect'
import { createPublishChange, type PublishChange } from './changes'

const CHANNEL = 'arden_due'
/** At most one NOTIFY in this time, in ms: under load it serves all the commits of that time. */
const INTERVAL_MS = 5

/** Both are to be called after a commit; they return at once and never fail. */
export type Waker = { wake(): void; publishChange: PublishChange; stop(): Promise<void> }

/** It has a connection to `databaseUrl` for itself, so that a wake-up waits for no query. */
export const createWaker = (databaseUrl: string): Waker => {
  const sql = connect(databaseUrl, { name: 'arden wake', max: 1 })
  let busy = false
  let again = false
  const wake = () => {
    again = busy
    if (busy) return
    busy = true
    const sent = sql.notify(CHANNEL, '').catch(() => {})
    Promise.all([sent, sleep(INTERVAL_MS)]).then(() => {
      busy = false
      if (again) wake()
    })
  }
  return {
    wake,
    publishChange: createPublishChange((channel, payload) => sql.notify(channel, payload)),
    stop: () => sql.end({ timeout: 1 }),
  }
}

/**
 * Calls `woken` at each wake-up, and when listening begins (again): what was missed meanwhile is looked
 * for. Listening goes on by itself after Postgres was away. Answers a function that ends it.
 */
export const listenForWakeUps = async (
  sql: Sql,
  woken: () => void,
): Promise<() => Promise<void>> => {
  const { unlisten } = await sql.listen(CHANNEL, woken, woken)
  return unlisten
}
