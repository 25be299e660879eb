import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import type { Temporal } from '../temporal/connection'
import {
  describeForeignWorkers,
  foreignWorkers,
  listPollers,
  pollingNow,
} from '../temporal/pollers'

/** In ms. */
const INTERVAL_MS = 60_000

/**
 * Warns of workers of another installation on the same task queue, until `signal` aborts: each takes tasks of the other
 * one, finds no delivery for them, and the delivery is sent late.
 */
export const watchForeignWorkers = async (
  sql: Sql,
  temporal: Temporal,
  taskQueue: string,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  let reported = ''
  while (!signal.aborted) {
    const found = await listPollers(temporal, taskQueue, 'workflow')
      .then(pollers => foreignWorkers(sql, pollingNow(pollers)))
      // Others report that Temporal or PostgreSQL is away.
      .catch(() => [])
    const names = found.sort().join()
    if (names !== '' && names !== reported) {
      const { found: what, todo } = describeForeignWorkers(found, taskQueue)
      log.warn(`${what} ${todo}`)
      reported = names
    }
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}
