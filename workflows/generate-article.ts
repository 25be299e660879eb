import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { Written } from '../activities/write-article'
import {
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_WRITING_MS,
  OWN_FIRST_DELAY_MS,
  OWN_LONGEST_DELAY_MS,
} from '../src/content/generations/retry-schedule'

/** Ids and what an operator wants to see: never the article or the instructions. */
export type GenerateArticle = { generationId: string; run: number; projectId: string }

/** Without limit: what is retried by these policies is a failure of our own. */
const retry = { initialInterval: OWN_FIRST_DELAY_MS, maximumInterval: OWN_LONGEST_DELAY_MS }

const { beginGeneration, cancelGeneration } = proxyActivities<Activities>({
  startToCloseTimeout: '10 seconds',
  retry,
})

/** When the provider failed, the failure itself says when to ask again, and whether. */
const { writeArticle } = proxyActivities<Activities>({
  startToCloseTimeout: LONGEST_WRITING_MS,
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // A cancelled workflow hears first what became of the article, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry,
})

/**
 * Writes the article of a generation: RUNNING, then COMPLETED with its article, or the workflow fails as
 * its generation did. Cancelling it makes the generation CANCELLED.
 */
export async function generateArticle({ generationId, run }: GenerateArticle): Promise<Written> {
  const job = { id: generationId, run }
  try {
    await beginGeneration(job)
    return await writeArticle(job)
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelGeneration(job))
    throw error
  }
}
