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

/** How far a run has come; handed on when it goes on with a fresh history. */
export type RankingRun = {
  /** When it began: a keyword gets one ranking of each run. */
  run: string
  after: string | null
  ranked: number
  failed: number
  /** Batches without any answer since the last one with some. */
  empty: number
}

export type RankingRunResult = { message: string; ranked: number; failed: number }

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

/** Asks the SERP source for every tracked keyword once, batch by batch. Started by a schedule each day. */
export async function trackRankings(begun?: RankingRun): Promise<RankingRunResult> {
  const now: RankingRun = begun ?? {
    run: workflowInfo().startTime.toISOString(),
    after: null,
    ranked: 0,
    failed: 0,
    empty: 0,
  }
  for (let n = 0; n < BATCHES_PER_RUN; n++) {
    const batch = await trackRankingsBatch({ run: now.run, after: now.after })
    if (batch.status === 'NO_SOURCE')
      return {
        message:
          'No SERP source is configured, nothing was asked. Set ARDEN_SERP_URL to track ranks.',
        ranked: now.ranked,
        failed: now.failed,
      }
    now.ranked += batch.ranked
    now.failed += batch.failed
    now.after = batch.last
    now.empty = batch.empty === undefined ? 0 : now.empty + 1
    const isVain = now.ranked === 0 && batch.last === null
    if (batch.empty !== undefined && (isVain || now.empty >= MAX_EMPTY_BATCHES))
      throw ApplicationFailure.nonRetryable(
        `${batch.empty}. The run ends, with ${now.ranked} keywords ranked; the next one begins tomorrow.`,
        'SourceUnavailable',
      )
    if (batch.last === null)
      return {
        message: `${now.ranked} keywords have a new ranking, ${now.failed} got no usable answer.`,
        ranked: now.ranked,
        failed: now.failed,
      }
  }
  return await continueAsNew<typeof trackRankings>(now)
}
