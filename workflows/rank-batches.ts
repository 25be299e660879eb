import { ActivityFailure, ApplicationFailure, proxyActivities, sleep } from '@temporalio/workflow'
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
import type { TrackingBatch } from '../src/content/rankings/tracking'

/** Passed on when the workflow continues as new. `empty`: consecutive batches without a single result. */
export type ShardProgress = TrackingBatch & { ranked: number; failed: number; empty: number }

/** `problem`: why it ended before its last keyword. `isRefused`: the provider refuses the key, or has no credit. */
export type ShardEnd = {
  ranked: number
  failed: number
  hasProvider: boolean
  problem?: string
  isRefused?: true
}

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

/** Checks keywords in batches, until the last one, a problem, or so many that the workflow continues as `next`. */
export const trackBatches = async (
  progress: ShardProgress,
): Promise<ShardEnd | { next: ShardProgress }> => {
  let { after, ranked, failed, empty, ...shard } = progress
  for (let n = 0; n < BATCHES_PER_RUN; n++) {
    const batch = await trackRankingsBatch({ ...shard, after }).catch(describeProblem)
    if (typeof batch === 'string')
      return { ranked, failed, hasProvider: true, problem: batch, isRefused: true }
    if (batch.status === 'NO_PROVIDER') return { ranked, failed, hasProvider: false }
    if (batch.status === 'RATE_LIMITED') {
      await sleep(batch.waitMs)
      continue
    }
    ranked += batch.ranked
    failed += batch.failed
    after = batch.last
    empty = batch.empty === undefined ? 0 : empty + 1
    const hasNoResult = ranked === 0 && after === null
    if (batch.empty !== undefined && (hasNoResult || empty >= MAX_EMPTY_BATCHES))
      return { ranked, failed, hasProvider: true, problem: `${batch.empty}.` }
    if (after === null) return { ranked, failed, hasProvider: true }
  }
  return { next: { ...shard, after, ranked, failed, empty } }
}

/** The SERP provider refused the key, or its account has no credit: the run ends. */
const describeProblem = (error: unknown): string => {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (cause instanceof ApplicationFailure && cause.type === 'SerpProviderRefused')
    return cause.message
  throw error
}
