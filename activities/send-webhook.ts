import { CancelledFailure, Context } from '@temporalio/activity'
import { InfrastructureError, logInfrastructureError } from '../src/webhooks/dispatch/attempt'
import { type DeliveryState, failDelivery, loadDelivery } from '../src/webhooks/dispatch/store'
import {
  send,
  type WorkflowSendDeps,
  type WorkflowSendResult,
} from '../src/webhooks/dispatch/workflow-attempt'
import { ATTEMPT_HEARTBEAT_TIMEOUT_MS } from '../src/webhooks/retry-schedule'
import { createAttempts, onCancel } from './attempts-in-progress'
import {
  attemptFailed,
  deliveryFailed,
  fromTemporal,
  infrastructureFailure,
  type UnrecordedOutcome,
  workerStopped,
} from './send-failure'

type SendWebhookInput = {
  deliveryId: string
  run: number
  /** Absent in workflows that were started for retries, and in those of earlier versions. */
  claimedAttempt?: number
  /** The outcome that the last call could not record: this call records it and sends nothing. */
  unrecorded?: UnrecordedOutcome
}

export type SendWebhookResult =
  | { status: 'DELIVERED'; httpStatus: number | null; attempts: number }
  /** Another run owns the delivery, or retention has deleted it: nothing was sent. */
  | { status: 'NOT_OURS' }
  /** The webhook is paused: another run continues when it is resumed. */
  | { status: 'PAUSED' }
  /** The retries of the account have their share of the slots: another run continues in its turn. */
  | { status: 'QUEUED' }

type EndDeliveryInput = { deliveryId: string; run: number; reason: string }

/** Half of the heartbeat time-out. An attempt of less sends no heartbeat. */
const HEARTBEAT_MS = ATTEMPT_HEARTBEAT_TIMEOUT_MS / 2
type DeliveryDeps = WorkflowSendDeps & {
  /** Called when a slot is free: it wakes the dispatcher of this worker. */
  attemptEnded: () => void
  /** Aborts when a worker that stops no longer waits for responses. */
  graceOver: AbortSignal
}

export const createDeliveryActivities = (deps: DeliveryDeps) => {
  const attempts = createAttempts<WorkflowSendResult>()
  return {
    /** Makes the attempt that is due, with heartbeats while it waits for the endpoint. */
    async sendWebhook({ unrecorded, ...request }: SendWebhookInput): Promise<SendWebhookResult> {
      const { deliveryId } = request
      const context = Context.current()
      const heartbeats = setInterval(() => context.heartbeat(), HEARTBEAT_MS)
      const { result, cancel } = attempts(`${deliveryId}:${request.run}`, signal =>
        send(
          deps,
          { ...request, ...(unrecorded && { unrecorded: fromTemporal(unrecorded) }) },
          signal,
        ),
      )
      const dispose = onCancel(context, deps.graceOver, cancel)
      try {
        return toResult(await result, context.info.attempt)
      } catch (error) {
        if (error instanceof InfrastructureError) {
          logInfrastructureError(deps, deliveryId, error, error.delivery)
          throw infrastructureFailure(error)
        }
        // Every other cancellation comes from an operator.
        if (error instanceof CancelledFailure && isStopping(context, deps)) throw workerStopped()
        throw error
      } finally {
        clearInterval(heartbeats)
        dispose()
        deps.attemptEnded()
      }
    },

    /** Ends a delivery whose workflow was cancelled. Returns the result of one that was DELIVERED before. */
    async endDelivery(end: EndDeliveryInput): Promise<SendWebhookResult | undefined> {
      const hasEnded = await failDelivery(deps.sql, end)
      // The next delivery of an ordered webhook can be due.
      deps.committed()
      if (hasEnded) return undefined
      const delivery = await loadDelivery(deps.sql, end.deliveryId)
      return delivery?.status === 'DELIVERED' && delivery.run === end.run
        ? delivered(delivery)
        : undefined
    },
  }
}

/** @throws ApplicationFailure for a failed attempt. */
const toResult = (result: WorkflowSendResult, temporalAttempt: number): SendWebhookResult => {
  if (result === 'not ours') return { status: 'NOT_OURS' }
  if (result === 'paused') return { status: 'PAUSED' }
  if (result === 'queued') return { status: 'QUEUED' }
  if (result.status === 'DELIVERED') return delivered(result)
  throw result.status === 'FAILED' ? deliveryFailed(result) : attemptFailed(result, temporalAttempt)
}

const delivered = ({ httpStatus, attemptCount }: DeliveryState) =>
  ({ status: 'DELIVERED', httpStatus, attempts: attemptCount }) as const

/** Temporal cancels regular activities when the grace period of their worker is over; nothing cancels local ones. */
const isStopping = ({ cancellationDetails }: Context, { graceOver }: DeliveryDeps) =>
  graceOver.aborted || cancellationDetails?.workerShutdown === true
