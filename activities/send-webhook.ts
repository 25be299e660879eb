import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connect'
import {
  InfrastructureError,
  logInfrastructureError,
  type SendDeps,
  send,
} from '../src/webhooks/dispatch/attempt'
import {
  type AttemptOutcome,
  type DeliveryState,
  failDelivery,
} from '../src/webhooks/dispatch/store'
import { ATTEMPT_HEARTBEAT_TIMEOUT_MS, RETRY_DELAYS_MS } from '../src/webhooks/retry-schedule'
import { describeStatus } from '../src/webhooks/transport/error-text'

/**
 * Failure types of `sendWebhook`. Running workflows compare them, so they do not change.
 * - AttemptFailed: a failed attempt was recorded and another one follows. Retried by the retry policy. Its detail is the
 *   delay to the next attempt, in ms.
 * - DeliveryFailed: the delivery is FAILED. Not retried.
 * - InfrastructureError: a failure of Arden itself, not an attempt (contract 5.4). The policy does not retry it,
 *   because that would use one of its three attempts; the workflow calls again.
 */
export type SendFailure = 'AttemptFailed' | 'DeliveryFailed' | 'InfrastructureError'

/** An outcome as Temporal stores it: without a response body and without a URL (contract 5.18). */
export type UnrecordedOutcome = Omit<AttemptOutcome, 'responseBody' | 'requestUrl'>

type SendWebhookInput = {
  deliveryId: string
  run: number
  /** The outcome that the last call could not record: this call records it and sends nothing. */
  unrecorded?: UnrecordedOutcome
}

export type SendWebhookResult =
  | { status: 'DELIVERED'; httpStatus: number | null; attempts: number }
  /** Another run owns the delivery, or retention has deleted it: nothing was sent. */
  | { status: 'NOT_OURS' }
  /** The webhook is paused: another run continues when it is resumed. */
  | { status: 'PAUSED' }

type EndDeliveryInput = { deliveryId: string; run: number; reason: string }

/** Half of the heartbeat time-out. An attempt of less sends no heartbeat. */
const HEARTBEAT_MS = ATTEMPT_HEARTBEAT_TIMEOUT_MS / 2
/** Difference between the retry policy and the schedule that needs no `nextRetryDelay`, in ms. */
const POLICY_TOLERANCE_MS = 50

type DeliveryDeps = SendDeps & {
  /** Called when a slot is free: it wakes the dispatcher of this worker. */
  attemptEnded: () => void
}

export const createDeliveryActivities = (deps: DeliveryDeps) => ({
  /** Makes the attempt that is due, with heartbeats while it waits for the endpoint. */
  async sendWebhook({ deliveryId, run, unrecorded }: SendWebhookInput): Promise<SendWebhookResult> {
    const { heartbeat, info } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    try {
      const result = await send(
        deps,
        { deliveryId, run, ...(unrecorded && { unrecorded: fromTemporal(unrecorded) }) },
        abortOnCancel(Context.current()),
      )
      if (result === 'not ours') return { status: 'NOT_OURS' }
      if (result === 'paused') return { status: 'PAUSED' }
      const { status, httpStatus, attemptCount } = result
      if (status === 'DELIVERED') return { status, httpStatus, attempts: attemptCount }
      throw status === 'FAILED' ? deliveryFailed(result) : attemptFailed(result, info.attempt)
    } catch (error) {
      if (error instanceof InfrastructureError) throw infrastructureFailure(error, deps, deliveryId)
      if (error instanceof CancelledFailure) throw cancellation(error)
      throw error
    } finally {
      clearInterval(heartbeats)
      deps.attemptEnded()
    }
  },

  /** Ends a delivery whose workflow was cancelled. */
  async endDelivery(end: EndDeliveryInput): Promise<void> {
    await failDelivery(deps.sql, end)
    // The next delivery of an ordered webhook can be due.
    deps.committed()
  },
})

type FailedResult = DeliveryState & { host: string }

/** The host only: a URL can contain tokens (contract 5.18). */
const describeFailure = ({ host, httpStatus, error }: FailedResult) =>
  httpStatus === null ? `${host}: ${error}` : `${host} responded with ${httpStatus}`

const attemptFailed = (result: FailedResult, temporalAttempt: number) => {
  const { attemptCount, attemptLimit, waitMs } = result
  // Temporal's count is ahead when an attempt died with its worker. And where an earlier call made the attempt, the
  // delay began then, while the policy starts it now.
  const policyDelay = RETRY_DELAYS_MS[temporalAttempt - 1]
  const differs = policyDelay === undefined || Math.abs(policyDelay - waitMs) > POLICY_TOLERANCE_MS
  return failure('AttemptFailed', {
    message: `${describeFailure(result)} (attempt ${attemptCount} of ${attemptLimit})`,
    // Also in the details: the workflow does not get `nextRetryDelay`, which the SDK drops when it decodes a failure.
    details: [Math.ceil(waitMs)],
    ...(differs && { nextRetryDelay: Math.ceil(waitMs) }),
  })
}

const deliveryFailed = (result: FailedResult) => {
  const { attemptCount, attemptLimit, error } = result
  return failure('DeliveryFailed', {
    message:
      attemptCount < attemptLimit
        ? `Not delivered: ${error}`
        : `Not delivered: ${describeFailure(result)} (attempt ${attemptCount} of ${attemptLimit}, the last)`,
    nonRetryable: true,
  })
}

const infrastructureFailure = (error: InfrastructureError, deps: SendDeps, deliveryId: string) => {
  const { cause, unrecorded, delivery } = error
  logInfrastructureError(deps, deliveryId, error, delivery)
  const reason = isDatabaseUnavailable(cause)
    ? 'the database is unavailable'
    : "an error of Arden's own, see its log"
  return failure('InfrastructureError', {
    message: `Not an attempt: ${reason}`,
    nonRetryable: true,
    details: unrecorded === undefined ? [] : [toTemporal(unrecorded)],
  })
}

/**
 * A signal that aborts when the workflow is cancelled or the worker stops. Not when Temporal has lost the activity,
 * after a late heartbeat or a termination: the outcome is then recorded, and not sent again.
 */
const abortOnCancel = (context: Context): AbortSignal => {
  const { cancellationSignal } = context
  const controller = new AbortController()
  const onCancel = () => {
    const { notFound, cancelRequested, workerShutdown } = context.cancellationDetails ?? {}
    if (!notFound || cancelRequested || workerShutdown) controller.abort(cancellationSignal.reason)
  }
  if (cancellationSignal.aborted) onCancel()
  else cancellationSignal.addEventListener('abort', onCancel, { once: true })
  return controller.signal
}

/** A worker that stops is an infrastructure error; every other cancellation comes from an operator. */
const cancellation = (error: CancelledFailure) =>
  Context.current().cancellationDetails?.workerShutdown
    ? failure('InfrastructureError', {
        message: 'Not an attempt: the worker was stopped while it waited for the response',
        nonRetryable: true,
      })
    : error

/** `BENIGN`: a failure of a receiver is not a warning in the log of the worker. */
const failure = (
  type: SendFailure,
  options: {
    message: string
    nonRetryable?: boolean
    details?: unknown[]
    nextRetryDelay?: number
  },
) => ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, ...options })

const toTemporal = ({
  responseBody: _body,
  requestUrl: _url,
  ...outcome
}: AttemptOutcome): UnrecordedOutcome => ({
  ...outcome,
  // The error of a redirect contains its target URL.
  error: outcome.httpStatus === null ? outcome.error : describeStatus(outcome.httpStatus),
})

const fromTemporal = (outcome: UnrecordedOutcome): AttemptOutcome => ({
  ...outcome,
  responseBody: null,
  requestUrl: null,
})
