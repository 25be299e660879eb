import { ApplicationFailure } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connect'
import type { InfrastructureError } from '../src/webhooks/dispatch/attempt'
import type { AttemptOutcome, DeliveryState } from '../src/webhooks/dispatch/store'
import { RETRY_DELAYS_MS } from '../src/webhooks/retry-schedule'
import { describeStatus } from '../src/webhooks/transport/error-text'

/**
 * Failure types of `sendWebhook`. Running workflows compare them, so they do not change.
 * - AttemptFailed: a failed attempt was recorded and another one follows. Retried by the retry policy. Its details
 *   are the delay to the next attempt, in ms, and the status of the response.
 * - DeliveryFailed: the delivery is FAILED. Not retried. Its detail is the status of the last response.
 * - InfrastructureError: a failure of Arden itself, not an attempt (contract 5.4). The policy does not retry it,
 *   because that would use one of its three attempts; the workflow calls again.
 */
export type SendFailure = 'AttemptFailed' | 'DeliveryFailed' | 'InfrastructureError'

/** An outcome as Temporal stores it: without a response body and without a URL (contract 5.18). */
export type UnrecordedOutcome = Omit<AttemptOutcome, 'responseBody' | 'requestUrl'>

/** Difference between the retry policy and the schedule that needs no `nextRetryDelay`, in ms. */
const POLICY_TOLERANCE_MS = 50

type FailedResult = DeliveryState & { host: string }

/** The host only: a URL can contain tokens (contract 5.18). */
const describeFailure = ({ host, httpStatus, error }: FailedResult) =>
  httpStatus === null ? `${host}: ${error}` : `${host} responded with ${httpStatus}`

/** What operators read under *details*; none without a response. */
const statusDetail = ({ httpStatus }: FailedResult) => (httpStatus === null ? [] : [{ httpStatus }])

/** `temporalAttempt`: the attempt that the retry policy counts. */
export const attemptFailed = (result: FailedResult, temporalAttempt: number) => {
  const { attemptCount, attemptLimit, waitMs } = result
  // Temporal's count is ahead when an attempt died with its worker. And where an earlier call made the attempt, the
  // delay began then, while the policy starts it now.
  const policyDelay = RETRY_DELAYS_MS[temporalAttempt - 1]
  const differs = policyDelay === undefined || Math.abs(policyDelay - waitMs) > POLICY_TOLERANCE_MS
  return failure('AttemptFailed', {
    message: `${describeFailure(result)} (attempt ${attemptCount} of ${attemptLimit})`,
    // Also in the details: the workflow does not get `nextRetryDelay`, which the SDK drops when it decodes a failure.
    details: [Math.ceil(waitMs), ...statusDetail(result)],
    ...(differs && { nextRetryDelay: Math.ceil(waitMs) }),
  })
}

export const deliveryFailed = (result: FailedResult) => {
  const { attemptCount, attemptLimit, error } = result
  return failure('DeliveryFailed', {
    message:
      attemptCount < attemptLimit
        ? `Not delivered: ${error}`
        : `Not delivered: ${describeFailure(result)} (attempt ${attemptCount} of ${attemptLimit}, the last)`,
    nonRetryable: true,
    details: statusDetail(result),
  })
}

export const infrastructureFailure = ({ cause, unrecorded }: InfrastructureError) => {
  const reason = isDatabaseUnavailable(cause)
    ? 'the database is unavailable'
    : "an error of Arden's own, see its log"
  return failure('InfrastructureError', {
    message: `Not an attempt: ${reason}`,
    nonRetryable: true,
    details: unrecorded === undefined ? [] : [toTemporal(unrecorded)],
  })
}

export const workerStopped = () =>
  failure('InfrastructureError', {
    message: 'Not an attempt: the worker was stopped while it waited for the response',
    nonRetryable: true,
  })

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

export const fromTemporal = (outcome: UnrecordedOutcome): AttemptOutcome => ({
  ...outcome,
  responseBody: null,
  requestUrl: null,
})
