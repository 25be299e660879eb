import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { SendFailure, UnrecordedOutcome } from '../activities/send-failure'
import type { SendWebhookResult } from '../activities/send-webhook'
import {
  ATTEMPT_HEARTBEAT_TIMEOUT_MS,
  EARLY_TOLERANCE_MS,
  FIRST_RETRY_DELAY_MS,
  INFRASTRUCTURE_RETRY_MS,
  MAX_ATTEMPT_MS,
  MAX_ATTEMPTS,
  RETRY_BACKOFF,
} from '../src/webhooks/retry-schedule'

/** Ids and what operators search for; never a body, a URL or a secret (contract 5.18). */
export type DeliverWebhookInput = {
  deliveryId: string
  run: number
  eventType: string
  webhookId: string
  /** The host of the receiver, for operators. */
  host: string
  /** Absent in workflows of earlier versions. */
  eventId?: string
  /** Attempts are local activities. Absent in workflows of earlier versions, whose histories have regular ones. */
  localAttempts?: true
  /**
   * The number of the attempt that was claimed within the limits of tenant isolation. Absent where the workflow was
   * started for retries, and in workflows of earlier versions.
   */
  claimedAttempt?: number
  /** Passed on when the workflow continues as new. */
  unrecorded?: UnrecordedOutcome
}

const attempt = {
  startToCloseTimeout: EARLY_TOLERANCE_MS + MAX_ATTEMPT_MS,
  // A cancelled workflow waits for the outcome of its request, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: FIRST_RETRY_DELAY_MS,
    backoffCoefficient: RETRY_BACKOFF,
    maximumAttempts: MAX_ATTEMPTS,
  },
} as const

const { endDelivery } = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' })

/**
 * Sends one event to one webhook: three attempts, 5 s and 25 s apart (contract 5.3). The workflow fails when the
 * delivery is FAILED; cancelling it makes the delivery FAILED.
 */
export async function deliverWebhook(delivery: DeliverWebhookInput): Promise<SendWebhookResult> {
  try {
    return await untilFinal(delivery)
  } catch (error) {
    if (!isCancellation(error)) throw error
    const delivered = await CancellationScope.nonCancellable(() =>
      endDelivery({
        deliveryId: delivery.deliveryId,
        run: delivery.run,
        reason: 'cancelled in Temporal',
      }),
    )
    if (delivered) return delivered
    throw error
  }
}

/** Calls again after an infrastructure error, without limit (contract 5.4). */
const untilFinal = async (delivery: DeliverWebhookInput): Promise<SendWebhookResult> => {
  const { deliveryId, run, claimedAttempt } = delivery
  const request = { deliveryId, run, ...(claimedAttempt && { claimedAttempt }) }
  const { sendWebhook } = attemptsOf(delivery)
  let unrecorded = delivery.unrecorded
  for (;;) {
    try {
      return await sendWebhook({ ...request, ...(unrecorded && { unrecorded }) })
    } catch (error) {
      if (isCancellation(error)) throw error
      const cause = applicationFailure(error)
      const type = cause?.type as SendFailure | undefined
      if (cause !== undefined && type === 'DeliveryFailed') throw cause
      if (type === 'InfrastructureError')
        unrecorded = (cause?.details?.[0] as UnrecordedOutcome) ?? unrecorded
      // AttemptFailed, when the retry policy ran out before the schedule.
      const delayMs = type === 'AttemptFailed' ? (cause?.details?.[0] as number) : undefined
      await sleep(delayMs ?? INFRASTRUCTURE_RETRY_MS)
      if (workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof deliverWebhook>({
          ...delivery,
          ...(unrecorded && { unrecorded }),
        })
    }
  }
}

const attemptsOf = ({ localAttempts, eventType, host }: DeliverWebhookInput) => {
  const options = { ...attempt, summary: `${eventType} to ${host}` }
  return localAttempts
    ? // With this threshold, each wait of the retry policy is a timer in the history.
      proxyLocalActivities<Activities>({ ...options, localRetryThreshold: '1s' })
    : proxyActivities<Activities>({ ...options, heartbeatTimeout: ATTEMPT_HEARTBEAT_TIMEOUT_MS })
}

/** A local activity fails with the failure itself, a regular one with an `ActivityFailure` around it. */
const applicationFailure = (error: unknown) => {
  const failure = error instanceof ActivityFailure ? error.cause : error
  return failure instanceof ApplicationFailure ? failure : undefined
}
