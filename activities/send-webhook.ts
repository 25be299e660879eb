import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connect'
import {
  deliveryIds,
  InfrastructureError,
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
 * How a call of `sendWebhook` can fail, as Temporal shows it:
 * - AttemptFailed: an attempt failed and is recorded, more are left. Retried by the retry policy.
 * - DeliveryFailed: the delivery is FAILED. Not retried.
 * - NotCounted: a failure of our own, no attempt. Not retried by the policy, for it would use up one of
 *   its three; the workflow calls again.
 */
export type SendFailure = 'AttemptFailed' | 'DeliveryFailed' | 'NotCounted'

/** An outcome on its way through Temporal: without the receiver's body and without any URL. */
export type UnrecordedOutcome = Omit<AttemptOutcome, 'responseBody' | 'requestUrl'>

export type SendWebhookInput = {
  deliveryId: string
  run: number
  /** What the last call could not record; this one records it and sends nothing. */
  unrecorded?: UnrecordedOutcome
}

export type SendWebhookResult =
  | { status: 'DELIVERED'; httpStatus: number | null; attempts: number }
  /** Another run owns the delivery, or it is gone with its event: nothing was sent. */
  | { status: 'NOT_OURS' }
  /** Deliveries are paused, or those to its webhook: another run goes on when they are resumed. */
  | { status: 'PAUSED' }

export type EndDeliveryInput = { deliveryId: string; run: number; reason: string }

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>

/** Half of the time after which a silent worker counts as dead; a fast send never gets there. */
const HEARTBEAT_MS = ATTEMPT_HEARTBEAT_TIMEOUT_MS / 2
/** The retry policy may be as far off the schedule; what is further off overrides it, in ms. */
const POLICY_OFF_BY_MS = 50

export const createDeliveryActivities = (deps: SendDeps) => ({
  /** Makes the attempt that is due, heartbeating while it waits for the endpoint. */
  async sendWebhook({ deliveryId, run, unrecorded }: SendWebhookInput): Promise<SendWebhookResult> {
    const { heartbeat, info } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    try {
      const standing = await send(
        deps,
        { deliveryId, run, ...(unrecorded && { unrecorded: whole(unrecorded) }) },
        abortOnCancel(Context.current()),
      )
      if (standing === 'not ours') return { status: 'NOT_OURS' }
      if (standing === 'paused') return { status: 'PAUSED' }
      const { status, httpStatus, attemptCount } = standing
      if (status === 'DELIVERED') return { status, httpStatus, attempts: attemptCount }
      throw status === 'FAILED' ? deliveryFailed(standing) : attemptFailed(standing, info.attempt)
    } catch (error) {
      if (error instanceof InfrastructureError) throw notCounted(error, deps, deliveryId)
      if (error instanceof CancelledFailure) throw whyCancelled(error)
      throw error
    } finally {
      clearInterval(heartbeats)
    }
  },

  /** Ends a delivery whose workflow was cancelled. */
  async endDelivery(end: EndDeliveryInput): Promise<void> {
    await failDelivery(deps.sql, end)
    // It may have been one that others wait for.
    deps.committed()
  },
})

type Answered = DeliveryState & { host: string }

/** Hosts only: a URL may carry a token, and everyone who sees Temporal reads this. */
const inWords = ({ host, httpStatus, error }: Answered) =>
  httpStatus === null ? `${host}: ${error}` : `${host} answered ${httpStatus}`

const attemptFailed = (answered: Answered, temporalAttempt: number) => {
  const { attemptCount, attemptLimit, waitMs } = answered
  // Temporal's count is ahead of ours when an attempt died with its worker. And this outcome may have been
  // recorded earlier, by whoever made the attempt: then the policy would begin to wait only now.
  const policyDelay = RETRY_DELAYS_MS[temporalAttempt - 1]
  const differs = policyDelay === undefined || Math.abs(policyDelay - waitMs) > POLICY_OFF_BY_MS
  return failure('AttemptFailed', {
    message: `${inWords(answered)} (attempt ${attemptCount} of ${attemptLimit})`,
    ...(differs && { nextRetryDelay: Math.ceil(waitMs) }),
  })
}

const deliveryFailed = (answered: Answered) => {
  const { attemptCount, attemptLimit, error } = answered
  return failure('DeliveryFailed', {
    message:
      attemptCount < attemptLimit
        ? `Not delivered: ${error}`
        : `Not delivered: ${inWords(answered)} (attempt ${attemptCount} of ${attemptLimit}, the last)`,
    nonRetryable: true,
  })
}

const notCounted = (error: InfrastructureError, { log, meter }: SendDeps, deliveryId: string) => {
  const { cause, unrecorded, delivery } = error
  const away = isDatabaseUnavailable(cause)
  meter.recordInfrastructureError()
  if (!away)
    log.error(
      {
        ...deliveryIds(deliveryId, delivery),
        attempt: delivery && delivery.attemptCount + 1,
        err: cause,
      },
      'an attempt could not be made or recorded',
    )
  return failure('NotCounted', {
    message: `Not counted as an attempt: ${away ? 'the database is away' : "an error of Arden's own, see its log"}`,
    nonRetryable: true,
    details: unrecorded === undefined ? [] : [bare(unrecorded)],
  })
}

/**
 * Ends a request that somebody wants ended. Not one that Temporal has lost sight of, because a heartbeat
 * came too late or its workflow was terminated: what is answered is recorded, and then not sent again.
 */
const abortOnCancel = (context: Context): AbortSignal => {
  const { cancellationSignal } = context
  const unwanted = new AbortController()
  const onCancel = () => {
    const { notFound, cancelRequested, workerShutdown } = context.cancellationDetails ?? {}
    if (!notFound || cancelRequested || workerShutdown) unwanted.abort(cancellationSignal.reason)
  }
  if (cancellationSignal.aborted) onCancel()
  else cancellationSignal.addEventListener('abort', onCancel, { once: true })
  return unwanted.signal
}

/** The end of a worker's grace period is our own failure; everything else is an operator's wish. */
const whyCancelled = (error: CancelledFailure) =>
  Context.current().cancellationDetails?.workerShutdown
    ? failure('NotCounted', {
        message: 'Not counted as an attempt: the worker was stopped while it waited for the answer',
        nonRetryable: true,
      })
    : error

/** `BENIGN`: what a receiver does is no warning in the worker's log. */
const failure = (
  type: SendFailure,
  options: {
    message: string
    nonRetryable?: boolean
    details?: unknown[]
    nextRetryDelay?: number
  },
) => ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, ...options })

const bare = ({
  responseBody: _body,
  requestUrl: _url,
  ...outcome
}: AttemptOutcome): UnrecordedOutcome => ({
  ...outcome,
  // The words for a redirect name its target.
  error: outcome.httpStatus === null ? outcome.error : describeStatus(outcome.httpStatus),
})

const whole = (outcome: UnrecordedOutcome): AttemptOutcome => ({
  ...outcome,
  responseBody: null,
  requestUrl: null,
})
