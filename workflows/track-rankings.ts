import {
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import {
  BATCH_ATTEMPTS,
  BATCH_HEARTBEAT_TIMEOUT_MS,
  BATCH_RETRY_BACKOFF,
  BATCH_RETRY_DELAY_MAX_MS,
  BATCH_RETRY_DELAY_MS,
  BATCH_TIMEOUT_MS,
  BATCHES_PER_RUN,
  MAX_EMPTY_BATCHES,
} from '../src/content/rankings/policy'

/** Progress of a run, passed on when the workflow continues as new. */
type RankingRun = {
  /** Start time of the run: a keyword gets one ranking per run. */
  run: string
  after: string | null
  ranked: number
  failed: number
  /** Consecutive batches without a single result. */
  empty: number
}

type RankingRunResult = { message: string; ranked: number; failed: number }

const { trackRankingsBatch } = proxyActivities<Activities>({
  startToCloseTimeout: BATCH_TIMEOUT_MS,
  heartbeatTimeout: BATCH_HEARTBEAT_TIMEOUT_MS,
  retry: {
    initialInterval: BATCH_RETRY_DELAY_MS,
    backoffCoefficient: BATCH_RETRY_BACKOFF,
    maximumInterval: BATCH_RETRY_DELAY_MAX_MS,
    maximumAttempts: BATCH_ATTEMPTS,
  },
})

/** Checks every tracked keyword once, in batches (contract 6.3). A schedule starts it every day. */
export async function trackRankings(continued?: RankingRun): Promise<RankingRunResult> {
  const progress: RankingRun = continued ?? {
    run: workflowInfo().startTime.toISOString(),
    after: null,
    ranked: 0,
    failed: 0,
    empty: 0,
  }
  for (let n = 0; n < BATCHES_PER_RUN; n++) {
    const batch = await trackRankingsBatch({ run: progress.run, after: progress.after })
    if (batch.status === 'NO_PROVIDER')
      return {
        message:
          'No SERP provider is configured, so no keyword was checked. Set ARDEN_SERP_URL to track rankings.',
        ranked: progress.ranked,
        failed: progress.failed,
      }
    progress.ranked += batch.ranked
    progress.failed += batch.failed
    progress.after = batch.last
    progress.empty = batch.empty === undefined ? 0 : progress.empty + 1
    const hasNoResult = progress.ranked === 0 && batch.last === null
    if (batch.empty !== undefined && (hasNoResult || progress.empty >= MAX_EMPTY_BATCHES))
      throw ApplicationFailure.nonRetryable(
        `${batch.empty}. The run ends, with ${progress.ranked} keywords ranked; the next one begins tomorrow.`,
        'SerpProviderUnavailable',
      )
    if (batch.last === null)
      return {
        message: `${progress.ranked} keywords have a new ranking, ${progress.failed} got no usable result.`,
        ranked: progress.ranked,
        failed: progress.failed,
      }
  }
  return await continueAsNew<typeof trackRankings>(progress)
}
