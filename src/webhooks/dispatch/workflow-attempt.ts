/** An attempt that a workflow makes: at its time, and in the turn of its account. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EARLY_TOLERANCE_MS, MAX_ATTEMPTS } from '../retry-schedule'
import {
  load,
  recordOutcome,
  returnToQueue,
  type SendDeps,
  type SendResult,
  sendDelivery,
} from './attempt'
import type { RetrySlots } from './retry-slots'
import type { AttemptOutcome, DeliveryToSend } from './store'

export type WorkflowSendDeps = SendDeps & {
  retrySlots: RetrySlots
  /** Called when a retry begins, with how late that is, in ms. */
  onRetry: (lateMs: number) => void
}

type SendRequest = {
  deliveryId: string
  run: number
  /**
   * The number of the attempt that was claimed, within the limits of its webhook: every other one needs a slot for
   * retries. Undefined: the first of the three.
   */
  claimedAttempt?: number
  /** An outcome that an earlier call could not record; it is recorded before anything else. */
  unrecorded?: AttemptOutcome
}

export type WorkflowSendResult =
  | SendResult
  /** Another run owns the delivery, or retention has deleted it: nothing was sent. */
  | 'not ours'
  /** The retries of the account have their share of the slots: the delivery waits in the queue for another run. */
  | 'queued'

/**
 * Makes the attempt that is due now, if any, and returns the state of the delivery. Sends nothing when the delivery
 * is final, belongs to another `run`, or is not due: a recorded attempt is never sent twice.
 * @throws {InfrastructureError}; the reason of `signal` when that aborts.
 */
export const send = async (
  deps: WorkflowSendDeps,
  request: SendRequest,
  signal: AbortSignal,
): Promise<WorkflowSendResult> => {
  const { unrecorded, ...next } = request
  const { deliveryId, run, claimedAttempt } = next
  if (unrecorded !== undefined) await recordOutcome(deps, deliveryId, unrecorded)
  const delivery = await load(deps.sql, deliveryId)
  if (delivery === undefined || delivery.run !== run) return 'not ours'
  const { status, waitMs, attemptCount, attemptLimit } = delivery
  if (status !== 'RETRYING' || waitMs > EARLY_TOLERANCE_MS)
    return sendDelivery(deps, delivery, signal)
  if (waitMs > 0) {
    // By then it can be paused or final, so it is loaded again.
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    return send(deps, next, signal)
  }
  const isClaimed = attemptCount + 1 === (claimedAttempt ?? attemptLimit - MAX_ATTEMPTS + 1)
  return isClaimed ? sendDelivery(deps, delivery, signal) : sendRetry(deps, delivery, signal)
}

/** A retry that has no slot is claimed in its turn, like a first attempt, instead of using one (contract 5.3). */
const sendRetry = async (
  deps: WorkflowSendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<WorkflowSendResult> => {
  const freeSlot = deps.retrySlots.take(delivery.accountId)
  if (freeSlot === undefined) {
    await returnToQueue(deps, delivery)
    deps.committed()
    return 'queued'
  }
  deps.onRetry(delivery.lateMs)
  deps.meter.recordRetry(delivery.lateMs / 1000)
  try {
    return await sendDelivery(deps, delivery, signal)
  } finally {
    freeSlot()
  }
}
