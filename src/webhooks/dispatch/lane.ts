/**
 * The lane for volume (docs/architecture.md, "Delivering without a workflow"): makes the first attempt of each
 * run itself, and leaves the delivery to a workflow only when that failed. It needs Postgres alone, so it goes on
 * while Temporal is away.
 *
 * What it has under way is one row of `lanes`, which each claim writes anew: a lane that dies, or that
 * Postgres has not heard of for the lease's time, holds nothing any more, and its deliveries are claimed
 * by another. An attempt that goes on all the same is recorded, as one that Temporal has lost sight of.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAvailability } from '../../availability'
import { isDatabaseUnavailable, withTimeout } from '../../db/connect'
import { listenForWakeUps } from '../../notifications/wake'
import { createWakeSignal } from '../../notifications/wake-signal'
import { INFRASTRUCTURE_RETRY_MS } from '../retry-schedule'
import { deliveryIds, InfrastructureError, record, type SendDeps, sendDelivery } from './attempt'
import { claimForLane } from './claim'
import type { AttemptOutcome, DeliveryToSend } from './store'

/** Deliveries in one claim: many, for a claim costs about as much for one as for many. */
const BATCH = 500
/**
 * Under load each commit wakes and each answer makes room, and a claim for each would cost more than sending. So the
 * next waits this long for each delivery that the last one found, up to the most, both in ms; but not where
 * `ENOUGH` have ended meanwhile. One that comes alone waits for nothing.
 */
const PACE_MS = 2
const PACE_MAX_MS = 25
const ENOUGH = 100
/** Between claims when nothing is due, in ms: a wake-up may be lost, and each claim renews the lease. */
const SWEEP_MS = 1_000
/** At the end, for each thing to let go of; deliveries that are not are due again when the lease ends. In ms. */
const RELEASE_MS = 1_000

export type LaneDeps = SendDeps & {
  /** Attempts at a time. */
  inFlight: number
}

/**
 * Sends until `signal`; then it claims no more, and what endpoints have not answered `graceMs` later is no
 * attempt, and due again. Resolves when nothing is under way.
 */
export const runLane = async (
  deps: LaneDeps,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const { sql, log } = deps
  const id = randomUUID()
  const held = new Map<string, DeliveryToSend>()
  let ended = 0
  const over = new AbortController()
  const postgres = createAvailability(log, 'Postgres', 'Due deliveries wait until it is back.')
  const wakeSignal = createWakeSignal(over.signal)
  const enough = createWakeSignal(signal)
  const unlisten = await withTimeout(listenForWakeUps(sql, wakeSignal.notify)).catch(
    () => undefined,
  )
  if (unlisten === undefined)
    log.warn(
      'Postgres does not let Arden LISTEN: due deliveries are found each second, not at once.',
    )

  const begin = async (delivery: DeliveryToSend) => {
    held.set(delivery.id, delivery)
    await sendFirst(deps, delivery, { stop: signal, over: over.signal })
    held.delete(delivery.id)
    if (++ended === ENOUGH) enough.notify()
    // There is room for another, or this was what a stop waited for.
    wakeSignal.notify()
  }
  const drain = () => {
    setTimeout(() => over.abort(new Error('the worker was stopped')), graceMs).unref()
    wakeSignal.notify()
  }
  if (signal.aborted) drain()
  else signal.addEventListener('abort', drain, { once: true })

  while (!signal.aborted || (held.size > 0 && !over.signal.aborted)) {
    await wakeSignal.sleep(postgres.pauseMs())
    ended = 0
    const limit = signal.aborted ? 0 : Math.min(BATCH, deps.inFlight - held.size)
    try {
      const due = await withTimeout(claimForLane(sql, id, [...held.values()], limit))
      postgres.reportSuccess()
      // One that Postgres had given up, while its request was under way here, goes on.
      for (const delivery of due) if (!held.has(delivery.id)) void begin(delivery)
      if (due.length < limit || limit === 0) {
        if (due.length > 0) await enough.wait(Math.min(due.length * PACE_MS, PACE_MAX_MS))
        await wakeSignal.wait(SWEEP_MS)
      }
    } catch (error) {
      postgres.reportFailure(error)
    }
  }
  await withTimeout(sql`DELETE FROM lanes WHERE id = ${id}`, RELEASE_MS).catch(() => {})
  if (unlisten !== undefined) await withTimeout(unlisten(), RELEASE_MS).catch(() => {})
}

/**
 * Makes the attempt and records it, for as long as that takes: what is not recorded is sent again. After a
 * failure of our own it resolves a little later; the delivery is due again then.
 */
const sendFirst = async (
  deps: LaneDeps,
  delivery: DeliveryToSend,
  { stop, over }: { stop: AbortSignal; over: AbortSignal },
): Promise<void> => {
  let unrecorded: AttemptOutcome | undefined
  while (!over.aborted) {
    try {
      const standing =
        unrecorded === undefined
          ? await sendDelivery(deps, delivery, over)
          : await record(deps, delivery.id, unrecorded, delivery)
      if (standing !== 'paused' && standing?.status === 'RETRYING') deps.committed()
      return
    } catch (error) {
      if (over.aborted) return
      logInfrastructureError(deps, delivery, error)
      unrecorded = error instanceof InfrastructureError ? error.unrecorded : undefined
      if (unrecorded === undefined)
        return sleep(INFRASTRUCTURE_RETRY_MS, undefined, { signal: stop }).catch(() => {})
    }
  }
}

const logInfrastructureError = (
  { log, meter }: LaneDeps,
  delivery: DeliveryToSend,
  error: unknown,
) => {
  const cause = error instanceof InfrastructureError ? error.cause : error
  meter.recordInfrastructureError()
  if (!isDatabaseUnavailable(cause))
    log.error(
      { ...deliveryIds(delivery.id, delivery), err: cause },
      'an attempt could not be made or recorded',
    )
}
