import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { WriteArticleResult } from '../activities/write-article'
import {
  INTERNAL_RETRY_DELAY_MAX_MS,
  INTERNAL_RETRY_DELAY_MS,
  WRITE_HEARTBEAT_TIMEOUT_MS,
  WRITE_TIMEOUT_MS,
} from '../src/content/generations/retry-schedule'

/** Ids and what an operator wants to see: never the article or the instructions. */
export type GenerateArticleInput = { generationId: string; run: number; projectId: string }

/** Without limit: what is retried by these policies is a failure of our own. */
const retry = {
  initialInterval: INTERNAL_RETRY_DELAY_MS,
  maximumInterval: INTERNAL_RETRY_DELAY_MAX_MS,
}

const { beginGeneration, cancelGeneration } = proxyActivities<Activities>({
  startToCloseTimeout: '10 seconds',
  retry,
})

/** When the provider failed, the failure itself says when to ask again, and whether. */
const { writeArticle } = proxyActivities<Activities>({
  startToCloseTimeout: WRITE_TIMEOUT_MS,
  heartbeatTimeout: WRITE_HEARTBEAT_TIMEOUT_MS,
  // A cancelled workflow hears first what became of the article, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry,
})

/**
 * Writes the article of a generation: RUNNING, then COMPLETED with its article, or the workflow fails as
 * its generation did. Cancelling it makes the generation CANCELLED.
 */
export async function generateArticle({
  generationId,
  run,
}: GenerateArticleInput): Promise<WriteArticleResult> {
  const job = { id: generationId, run }
  try {
    await beginGeneration(job)
    return await writeArticle(job)
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelGeneration(job))
    throw error
  }
}
