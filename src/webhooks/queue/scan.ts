import { setTimeout as sleep } from 'node:timers/promises'
import { type Sql, withTimeout } from '../../db/connect'
import { readOrphanedClaimers, readQueuedWebhooks } from './statements'
import type { QueuedWebhook } from './webhook'

/** Webhooks in one page, and the time-out of a page, in ms: it reads entries of finished deliveries, too. */
const PAGE = 1_000
const TIMEOUT_MS = 60_000
/**
 * Time between scans of the queue, in ms. Nothing is known that needs one, after the first; it bounds how long a
 * delivery waits that a claimer has lost sight of, such as after a failover that lost commits.
 */
const INTERVAL_MS = 5 * 60_000
const RETRY_MS = 1_000
/** The same after rows of claimers that do not exist: a release leaves out those that another transaction has locked. */
const ORPHANS_INTERVAL_MS = 5_000
const BEFORE_FIRST: Pick<QueuedWebhook, 'accountId' | 'webhookId' | 'kind'> = {
  accountId: '',
  webhookId: '',
  kind: 0,
}

type ScanOptions = {
  signal: AbortSignal
  onPage: (page: QueuedWebhook[]) => void
  /** A claimer that has rows in the queue, but does not exist. */
  onOrphan: (claimer: string) => Promise<void>
}

/**
 * Reads through the webhooks of the queue, from time to time, until `signal` aborts. The returned function starts from
 * the beginning, and resolves after the first page.
 */
export const createScan = (sql: Sql, { signal, onPage, onOrphan }: ScanOptions) => {
  let current = new AbortController()

  /** Returns the pause until the next one, in ms. */
  const scanOnce = async (stop: AbortSignal, onFirstPage: () => void): Promise<number> => {
    for (let last: typeof BEFORE_FIRST | undefined = BEFORE_FIRST; last !== undefined; ) {
      const page: QueuedWebhook[] = await withTimeout(
        readQueuedWebhooks(sql, last, PAGE),
        TIMEOUT_MS,
      )
      if (stop.aborted) return INTERVAL_MS
      onPage(page)
      onFirstPage()
      last = page.length < PAGE ? undefined : page.at(-1)
    }
    const orphans = await withTimeout(readOrphanedClaimers(sql), TIMEOUT_MS)
    for (const claimer of orphans) await onOrphan(claimer)
    return orphans.length > 0 ? ORPHANS_INTERVAL_MS : INTERVAL_MS
  }
  const scanAgainAndAgain = async (stop: AbortSignal, onFirstPage: () => void) => {
    while (!stop.aborted) {
      const pauseMs = await scanOnce(stop, onFirstPage).catch(() => RETRY_MS)
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => {})
    }
  }

  return async (): Promise<void> => {
    current.abort()
    current = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    void scanAgainAndAgain(AbortSignal.any([current.signal, signal]), resolve)
    // With many deleted rows it takes long, and what is new need not wait for it.
    await Promise.race([promise, sleep(RETRY_MS)])
  }
}
