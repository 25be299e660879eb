/**
 * A lane delivers without a workflow (docs/architecture.md, "Delivering without a workflow"): it makes the first
 * attempt of each run, and leaves the delivery to a workflow only when that failed. It needs PostgreSQL alone, so
 * it works while Temporal is unavailable.
 *
 * When the lane dies or cannot reach PostgreSQL for the time of its lease, other lanes claim what it has claimed. An
 * attempt that continues anyway is recorded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createAvailability } from '../../availability'
import { withTimeout } from '../../db/connect'
import { SWEEP_INTERVAL_MS, type Waker } from '../../notifications/wake'
import { createWakeSignal } from '../../notifications/wake-signal'
import { laneCapacity } from '../queue/capacity'
import { createClaimer } from '../queue/claimer'
import type { Entry } from '../queue/entry'
import { INFRASTRUCTURE_RETRY_MS } from '../retry-schedule'
import {
  InfrastructureError,
  logInfrastructureError,
  recordOutcome,
  type SendDeps,
  sendDelivery,
} from './attempt'
import { loadDeliveries } from './load'
import type { AttemptOutcome, DeliveryToSend } from './store'

/** Deliveries in one claim, which costs about the same for one as for many. */
const BATCH = 500
/**
 * Pause before the next claim, in ms for each delivery of the last one. Under load every commit and every response
 * wakes the lane, and a claim for each would cost more than sending.
 */
const CLAIM_PACE_MS = 2
const CLAIM_PACE_MAX_MS = 25
/** Completed attempts that end the pause. */
const ENOUGH_COMPLETED = 100
/** Time-out of each step of the shutdown, in ms. Deliveries that are not released are due when the lease ends. */
const RELEASE_TIMEOUT_MS = 1_000

type Claimed = { entry: Entry; delivery: DeliveryToSend }

type LaneDeps = SendDeps & {
  /** Concurrent attempts. */
  maxInFlight: number
  listen: Waker['listen']
}

/**
 * Sends until `signal` aborts. Then it claims nothing more; requests without a response after another `graceMs` are
 * cancelled and due again. Resolves when no attempt is in progress.
 */
export const runLane = async (
  deps: LaneDeps,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const { sql, log, listen } = deps
  let inProgress = 0
  let completed = 0
  const graceOver = new AbortController()
  const postgres = createAvailability(log, 'Postgres', 'Due deliveries wait until it is available.')
  const wakeSignal = createWakeSignal(graceOver.signal)
  const enoughCompleted = createWakeSignal(signal)
  const unlisten = await listen(sql, wakeSignal.notify, { log, what: 'deliveries' })

  const claimer = createClaimer(sql, {
    work: 'attempts',
    capacity: laneCapacity(deps.maxInFlight),
    onFound: wakeSignal.notify,
  })
  claimer.keepLease()

  const claim = async (limit: number): Promise<Claimed[]> => {
    const entries = await claimer.claim(limit)
    if (entries.length === 0) return []
    try {
      const loaded = await withTimeout(
        loadDeliveries(
          sql,
          entries.map(({ id }) => id),
        ),
      )
      const byId = new Map(entries.map(entry => [entry.id, entry]))
      return loaded.flatMap(delivery => {
        const entry = byId.get(delivery.id)
        return entry === undefined ? [] : [{ entry, delivery }]
      })
    } catch (error) {
      claimer.giveUp(entries)
      throw error
    }
  }
  const startAttempt = async ({ entry, delivery }: Claimed) => {
    inProgress++
    const isDone = await sendFirst(deps, delivery, { stop: signal, graceOver: graceOver.signal })
    if (isDone) claimer.finish(entry)
    else if (!graceOver.signal.aborted) await claimer.release([entry]).catch(postgres.reportFailure)
    inProgress--
    if (++completed === ENOUGH_COMPLETED) enoughCompleted.notify()
    // A slot is free, or a stop waited for this attempt.
    wakeSignal.notify()
  }
  const drain = () => {
    setTimeout(() => graceOver.abort(new Error('the worker was stopped')), graceMs).unref()
    wakeSignal.notify()
  }
  if (signal.aborted) drain()
  else signal.addEventListener('abort', drain, { once: true })

  while (!signal.aborted || (inProgress > 0 && !graceOver.signal.aborted)) {
    await wakeSignal.sleep(postgres.pauseMs())
    completed = 0
    const limit = signal.aborted ? 0 : Math.min(BATCH, deps.maxInFlight - inProgress)
    try {
      const due = await claim(limit)
      postgres.reportSuccess()
      for (const claimed of due) void startAttempt(claimed)
      if (due.length < limit || limit === 0) {
        if (due.length > 0)
          await enoughCompleted.wait(Math.min(due.length * CLAIM_PACE_MS, CLAIM_PACE_MAX_MS))
        await wakeSignal.wait(
          limit === 0 ? SWEEP_INTERVAL_MS : Math.min(SWEEP_INTERVAL_MS, claimer.waitMs()),
        )
      }
    } catch (error) {
      postgres.reportFailure(error)
    }
  }
  await withTimeout(claimer.stop(), RELEASE_TIMEOUT_MS).catch(() => {})
  await withTimeout(unlisten(), RELEASE_TIMEOUT_MS).catch(() => {})
}

/**
 * Makes the attempt and records it, however long that takes: an outcome that is not recorded is sent again. After
 * an infrastructure error it resolves with a delay, and the delivery is to be released. Returns whether it is not.
 */
const sendFirst = async (
  deps: LaneDeps,
  delivery: DeliveryToSend,
  { stop, graceOver }: { stop: AbortSignal; graceOver: AbortSignal },
): Promise<boolean> => {
  let unrecorded: AttemptOutcome | undefined
  while (!graceOver.aborted) {
    try {
      const result =
        unrecorded === undefined
          ? await sendDelivery(deps, delivery, graceOver)
          : await recordOutcome(deps, delivery.id, unrecorded, delivery)
      if (result !== 'paused' && result?.status === 'RETRYING') deps.committed()
      return true
    } catch (error) {
      if (graceOver.aborted) return false
      logInfrastructureError(deps, delivery.id, error, delivery)
      unrecorded = error instanceof InfrastructureError ? error.unrecorded : undefined
      if (unrecorded === undefined) {
        await sleep(INFRASTRUCTURE_RETRY_MS, undefined, { signal: stop }).catch(() => {})
        return false
      }
    }
  }
  return false
}
