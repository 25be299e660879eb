import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { WriteArticleResult } from '../activities/write-article'
import {
  INTERNAL_RETRY_DELAY_MAX_MS,
  INTERNAL_RETRY_DELAY_MS,
  WRITE_HEARTBEAT_TIMEOUT_MS,
  WRITE_TIMEOUT_MS,
} from '../src/content/generations/retry-schedule'

/** Ids and what operators search for; never the article or the instructions. */
export type GenerateArticleInput = {
  generationId: string
  run: number
  projectId: string
  /** Absent in workflows of versions without a task queue of their own for generations. */
  version?: 2
}

/** Without limit: these policies retry infrastructure errors only. */
const retry = {
  initialInterval: INTERNAL_RETRY_DELAY_MS,
  maximumInterval: INTERNAL_RETRY_DELAY_MAX_MS,
}

const short = { startToCloseTimeout: '10 seconds', retry } as const
const { beginGeneration, cancelGeneration } = proxyActivities<Activities>(short)
/** A local activity needs no slot, and articles that are being written can have all of them. */
const { cancelGeneration: cancelLocally } = proxyLocalActivities<Activities>(short)

/** The failure of a provider carries the delay to the next call, or is not retryable. */
const { writeArticle } = proxyActivities<Activities>({
  startToCloseTimeout: WRITE_TIMEOUT_MS,
  heartbeatTimeout: WRITE_HEARTBEAT_TIMEOUT_MS,
  // A cancelled workflow waits for the result of the activity, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry,
})

/**
 * Writes the article of a generation (contract 6.5, 6.6). The workflow fails when the generation is FAILED;
 * cancelling it makes the generation CANCELLED.
 */
export async function generateArticle({
  generationId,
  run,
  version,
}: GenerateArticleInput): Promise<WriteArticleResult> {
  const job = { id: generationId, run }
  const cancel = version === 2 ? cancelLocally : cancelGeneration
  try {
    // From version 2 on, `writeArticle` begins the generation when it has a slot and the provider permits a request.
    if (version === undefined) await beginGeneration(job)
    return await writeArticle(job)
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancel(job))
    throw error
  }
}
