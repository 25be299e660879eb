import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { SendFailure, Sent, Unrecorded } from '../activities/send-webhook'
import {
  ATTEMPTS,
  BACKOFF,
  EARLY_MS,
  FIRST_DELAY_MS,
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_ATTEMPT_MS,
  OWN_FAILURE_DELAY_MS,
} from '../src/webhooks/retry-schedule'

/** Ids and what an operator wants to see: never a body, a URL or a secret. */
export type DeliverWebhook = {
  deliveryId: string
  run: number
  eventType: string
  webhookId: string
  /** The receiver's, for who looks at the workflow. */
  host: string
  /** Handed on when a long history goes on as a new one. */
  unrecorded?: Unrecorded
}

const { sendWebhook } = proxyActivities<Activities>({
  startToCloseTimeout: EARLY_MS + LONGEST_ATTEMPT_MS,
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // A cancelled workflow hears first what became of its request, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: FIRST_DELAY_MS,
    backoffCoefficient: BACKOFF,
    maximumAttempts: ATTEMPTS,
  },
})

const { endDelivery } = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' })

/**
 * Sends one event to one webhook: three attempts, 5 s and 25 s apart, then the workflow fails as its
 * delivery did. Cancelling it makes the delivery FAILED.
 */
export async function deliverWebhook(delivery: DeliverWebhook): Promise<Sent> {
  try {
    return await untilFinal(delivery)
  } catch (error) {
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() =>
        endDelivery({
          deliveryId: delivery.deliveryId,
          run: delivery.run,
          reason: 'cancelled in Temporal',
        }),
      )
    throw error
  }
}

/** Calls again after whatever was not the endpoint's failure, without limit. */
const untilFinal = async (delivery: DeliverWebhook): Promise<Sent> => {
  const { deliveryId, run } = delivery
  let unrecorded = delivery.unrecorded
  for (;;) {
    try {
      return await sendWebhook({ deliveryId, run, ...(unrecorded && { unrecorded }) })
    } catch (error) {
      if (isCancellation(error)) throw error
      const cause = failureIn(error)
      const type = cause?.type as SendFailure | undefined
      if (cause !== undefined && type === 'DeliveryFailed') throw cause
      if (type === 'NotCounted') unrecorded = (cause?.details?.[0] as Unrecorded) ?? unrecorded
      // AttemptFailed gets here when Temporal's count ran out before ours: it says when to go on.
      await sleep(cause?.nextRetryDelay ?? OWN_FAILURE_DELAY_MS)
      if (workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof deliverWebhook>({
          ...delivery,
          ...(unrecorded && { unrecorded }),
        })
    }
  }
}

const failureIn = (error: unknown) =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? error.cause
    : undefined
