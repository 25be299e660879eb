/**
 * Hands due records to Temporal (docs/architecture.md, "From a commit to the receiver"): claims them, starts a
 * workflow for each, and lets go of them. Any number of dispatchers share the work; starting one twice does no
 * harm, for its id is taken.
 */
import { createAvailability } from '../availability'
import { type Sql, withTimeout } from '../db/connect'
import { idTimestamp } from '../ids'
import type { Log } from '../log'
import type { Meter } from '../metrics/meter'
import { listenForWakeUps } from '../notifications/wake'
import { createWakeSignal } from '../notifications/wake-signal'
import { type Job, markStarted, type Outbox, release } from './outbox'
import type { TemporalDeps } from './workflow-start'

/** Records in one claim, and claims that are worked on at the same time. */
const BATCH = 20
const BATCHES = 2
/**
 * Starts at a time, in each claim. Few on purpose: Temporal's store takes writes in turn, and a burst of
 * starts keeps what was started from going on. For 1,000 on 2 cores (SQLite), 8 starts at a time gave 92
 * deliveries a second, evenly; 100 gave 25 a second while it started, and no more over all.
 */
const STARTS = 4
/** A wake-up may be lost: what is due is looked for this often, in ms. */
const SWEEP_MS = 1_000

export type DispatcherDeps = TemporalDeps & { sql: Sql; log: Log; meter: Meter }

/**
 * Claims up to `limit` due records and hands them over. What Temporal could not be told is due again when
 * this resolves. Rejects when Postgres is away: the claims then come due by themselves.
 */
export const dispatchOnce = async <T extends Job>(
  outbox: Outbox<T>,
  deps: DispatcherDeps,
  limit: number,
): Promise<DispatchResult> => handOverAll(outbox, deps, await outbox.claim(deps.sql, limit))

/** `error` is why some could not be started. */
export type DispatchResult = { claimed: number; started: number; error?: unknown }

/** Dispatches until `signal`, whatever is away meanwhile. Resolves when no start is left under way. */
export const runDispatcher = async <T extends Job>(
  outbox: Outbox<T>,
  deps: DispatcherDeps,
  signal: AbortSignal,
): Promise<void> => {
  const { sql, log } = deps
  const { table } = outbox
  const postgres = createAvailability(log, 'Postgres', `Due ${table} wait until it is back.`)
  const temporal = createAvailability(log, 'Temporal', `Due ${table} wait until it is back.`)
  const wakeSignal = createWakeSignal(signal)
  const unlisten = await listenForWakeUps(sql, wakeSignal.notify).catch(() => undefined)
  if (unlisten === undefined)
    log.warn(`Postgres does not let Arden LISTEN: due ${table} are found each second, not at once.`)

  const batches = new Set<Promise<void>>()
  const startBatch = (due: T[]) => {
    const batch = handOverAll(outbox, deps, due)
      .then(({ started, error }) => {
        if (error === undefined || started > 0) temporal.reportSuccess()
        else temporal.reportFailure(error)
      }, postgres.reportFailure)
      .finally(() => batches.delete(batch))
    batches.add(batch)
  }
  while (!signal.aborted) {
    const pauseMs = Math.max(postgres.pauseMs(), temporal.pauseMs())
    await wakeSignal.sleep(pauseMs)
    try {
      // While something is away, one record tries whether it is back.
      const limit = pauseMs > 0 ? 1 : BATCH
      // A claim that is given up and made later only holds its records for the lease.
      const due = await withTimeout(outbox.claim(sql, limit))
      postgres.reportSuccess()
      if (due.length > 0) startBatch(due)
      // A race of none would never end.
      if (batches.size > 0 && (pauseMs > 0 || batches.size >= BATCHES)) await Promise.race(batches)
      if (due.length < limit) {
        await wakeSignal.wait(SWEEP_MS)
        await wakeSignal.sleep(outbox.delayMs)
      }
    } catch (error) {
      postgres.reportFailure(error)
    }
  }
  await Promise.all(batches)
  await unlisten?.().catch(() => {})
}

const handOverAll = async <T extends Job>(
  outbox: Outbox<T>,
  deps: DispatcherDeps,
  due: T[],
): Promise<DispatchResult> => {
  const waiting = [...due]
  const started: T[] = []
  const failed: T[] = []
  let failure: unknown
  const startSome = async () => {
    // After one failure the others are not tried: each would wait for as long.
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      try {
        await outbox.handOver(deps, one)
        started.push(one)
        deps.meter.recordHandOver(outbox.table, lagSeconds(one))
      } catch (error) {
        deps.meter.recordFailedHandOver(outbox.table)
        failure = error
        failed.push(one, ...waiting.splice(0))
      }
    }
  }
  await Promise.all(Array.from({ length: STARTS }, startSome))
  if (started.length > 0) await markStarted(deps.sql, outbox, started)
  if (failed.length > 0) await release(deps.sql, outbox, failed)
  return { claimed: due.length, started: started.length, error: failure }
}

/** Since it was made. Of later runs nothing is told: when they came due is overwritten by the claim. */
const lagSeconds = ({ id, run }: Job) => {
  const made = run === 1 ? idTimestamp(id) : undefined
  return made && Math.max(0, (Date.now() - made.getTime()) / 1000)
}
