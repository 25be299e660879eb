/**
 * The dispatcher claims due records and hands each over to Temporal (docs/architecture.md, "From a commit to the
 * receiver"). Any number of dispatchers share the work. Starting a workflow twice is harmless, because its id is
 * taken (contract 5.8).
 */
import { createAvailability } from '../availability'
import type { Sql } from '../db/connect'
import { idTimestamp } from '../ids'
import type { Log } from '../log'
import type { Meter } from '../metrics/meter'
import { SWEEP_INTERVAL_MS, type Waker } from '../notifications/wake'
import { createWakeSignal } from '../notifications/wake-signal'
import type { Job, Outbox } from './outbox'
import type { TemporalDeps } from './workflow-start'

/** Records in one claim, and claims in progress at a time. */
const CLAIM_SIZE = 20
const CONCURRENT_CLAIMS = 2
/**
 * Concurrent starts in each claim. The store of Temporal serializes writes, so a burst of starts delays the workflows
 * that are already running: 1,000 deliveries on 2 cores (SQLite) ran at 92 a second with 8 concurrent starts, and at
 * 25 a second with 100.
 */
const CONCURRENT_STARTS = 4

/**
 * Without a failure for this long, in ms, an outage of Temporal is over where it responds, too: it can respond and refuse
 * starts, which two workers then try in turns.
 */
const QUIET_MS = 30_000

type HandOverDeps = TemporalDeps & { sql: Sql; log: Log; meter: Meter }
export type DispatcherDeps = HandOverDeps & {
  listen: Waker['listen']
  isTemporalThere: () => Promise<boolean>
}

/**
 * Claims up to `limit` due records and hands them over. Records that Temporal did not accept are due again when this
 * resolves. Rejects while PostgreSQL is unavailable: the claims are then due when their lease ends.
 */
export const dispatchOnce = async <T extends Job>(
  outbox: Outbox<T>,
  deps: HandOverDeps,
  limit: number,
): Promise<DispatchResult> => handOverAll(outbox, deps, await outbox.claim(deps.sql, limit))

/** `error`: why some records could not be handed over. */
type DispatchResult = { claimed: number; started: number; error?: unknown }

/** Dispatches until `signal` aborts, also through outages. Resolves when no start is in progress. */
export const runDispatcher = async <T extends Job>(
  outbox: Outbox<T>,
  deps: DispatcherDeps,
  signal: AbortSignal,
): Promise<void> => {
  const { sql, log, listen, isTemporalThere } = deps
  const { what } = outbox
  const postgres = createAvailability(log, 'Postgres', `Due ${what} wait until it is available.`)
  const temporal = createAvailability(log, 'Temporal', `Due ${what} wait until it is available.`)
  let failedAt = 0
  const wakeSignal = createWakeSignal(signal)
  outbox.listen?.(wakeSignal.notify)
  const unlisten = await listen(sql, wakeSignal.notify, { log, what })

  const batches = new Set<Promise<void>>()
  /** The batches that the next claim can wait for. */
  const unlimited = new Set<Promise<void>>()
  const startBatch = (due: T[], isLimited: boolean) => {
    if (due.length === 0) return
    const batch = handOverAll(outbox, deps, due, signal)
      .then(({ started, error }) => {
        if (started > 0) temporal.reportSuccess()
        // Neither: `signal` was aborted before the first start.
        else if (error !== undefined) {
          failedAt = performance.now()
          temporal.reportFailure(error)
        }
      }, postgres.reportFailure)
      .finally(() => {
        batches.delete(batch)
        unlimited.delete(batch)
      })
    batches.add(batch)
    if (!isLimited) unlimited.add(batch)
  }
  while (!signal.aborted) {
    const pauseMs = Math.max(postgres.pauseMs(), temporal.pauseMs())
    await wakeSignal.sleep(pauseMs)
    // Else tries of one record each would overlap for as long as the outage lasts.
    if (temporal.pauseMs() > 0) await Promise.all(batches)
    try {
      // During an outage one record tests whether it is over.
      const limit = pauseMs > 0 ? 1 : CLAIM_SIZE
      const due = await outbox.claim(sql, limit)
      postgres.reportSuccess()
      // Another worker took what was due, and nothing here shows the end of the outage.
      const isQuiet = temporal.pauseMs() > 0 && performance.now() - failedAt > QUIET_MS
      if (due.length === 0 && isQuiet && (await isTemporalThere())) temporal.reportSuccess()
      const isLimited = (job: T) => outbox.isLimited?.(job) ?? false
      startBatch(
        due.filter(job => !isLimited(job)),
        false,
      )
      startBatch(due.filter(isLimited), true)
      // A race of no promises would never settle.
      if (pauseMs > 0 && batches.size > 0) await Promise.race(batches)
      else if (unlimited.size >= CONCURRENT_CLAIMS) await Promise.race(unlimited)
      if (due.length < limit) {
        await wakeSignal.wait(Math.min(SWEEP_INTERVAL_MS, outbox.waitMs?.() ?? SWEEP_INTERVAL_MS))
        await wakeSignal.sleep(outbox.delayMs)
      }
    } catch (error) {
      postgres.reportFailure(error)
    }
  }
  await Promise.all(batches)
  await outbox.stop?.().catch(() => {})
  await unlisten().catch(() => {})
}

const handOverAll = async <T extends Job>(
  outbox: Outbox<T>,
  deps: HandOverDeps,
  due: T[],
  signal?: AbortSignal,
): Promise<DispatchResult> => {
  const waiting = [...due]
  const started: T[] = []
  const left: T[] = []
  let failure: unknown
  const startSome = async () => {
    // After one failure the others are not tried, because each would take until its time-out.
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (signal?.aborted) {
        left.push(one)
        continue
      }
      try {
        await outbox.handOver(deps, one)
        started.push(one)
        deps.meter.recordHandOver(outbox.table, lagSeconds(one))
      } catch (error) {
        deps.meter.recordFailedHandOver(outbox.table)
        failure = error
        left.push(one, ...waiting.splice(0))
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_STARTS }, startSome))
  await Promise.all([
    started.length > 0 && outbox.markHandedOver(deps.sql, started),
    left.length > 0 && outbox.release(deps.sql, left),
  ])
  return { claimed: due.length, started: started.length, error: failure }
}

/** Seconds since the record was created. Undefined for later runs: the claim overwrites when they were due. */
const lagSeconds = ({ id, run }: Job) => {
  const createdAt = run === 1 ? idTimestamp(id) : undefined
  return createdAt && Math.max(0, (Date.now() - createdAt.getTime()) / 1000)
}
