import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import type { Temporal } from '../temporal/connection'
import {
  describeForeignWorkers,
  foreignWorkers,
  listPollers,
  POLL_MARGIN_MS,
  POLL_MS,
  pollingNow,
} from '../temporal/pollers'

/** In ms. */
const INTERVAL_MS = 60_000
/** For how long a worker is unknown before it counts, in ms: one that has just stopped may have left its last polls only. */
const UNKNOWN_MS = POLL_MS + POLL_MARGIN_MS

/**
 * Warns of workers of another installation on the same task queue, until `signal` aborts: each takes tasks of the other
 * one, finds no delivery for them, and the delivery is sent late.
 */
export const watchForeignWorkers = async (
  deps: Parameters<typeof createForeignWorkerCheck>[0],
  signal: AbortSignal,
): Promise<void> => {
  const check = createForeignWorkerCheck(deps)
  while (!signal.aborted) {
    // Others report that Temporal or PostgreSQL is away.
    await check(performance.now()).catch(() => {})
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}

/** A check at a time in ms, which logs when the workers of others appear and when they are gone. */
export const createForeignWorkerCheck = ({
  sql,
  temporal,
  config,
  log,
}: {
  sql: Sql
  temporal: Temporal
  config: Pick<Config, 'taskQueue' | 'identity'>
  log: Log
}) => {
  let unknownSince = new Map<string, number>()
  let isReported = false
  return async (now: number): Promise<void> => {
    const polling = pollingNow(await listPollers(temporal, config.taskQueue, 'workflow'))
    // This one polls before it is in PostgreSQL.
    const others = polling.filter(({ identity }) => identity !== config.identity)
    const unknown = await foreignWorkers(sql, others)
    unknownSince = new Map(unknown.map(one => [one, unknownSince.get(one) ?? now]))
    const foreign = unknown.filter(one => now - (unknownSince.get(one) ?? now) > UNKNOWN_MS)
    const { found, todo } = describeForeignWorkers(foreign, config.taskQueue)
    if (foreign.length > 0 && !isReported) log.warn(`${found} ${todo}`)
    // Not while another one may just have replaced it.
    if (unknown.length === 0 && isReported)
      log.info(`The task queue ${config.taskQueue} is polled by workers of this database only.`)
    isReported = foreign.length > 0 || (isReported && unknown.length > 0)
  }
}
