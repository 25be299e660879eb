import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  executeChild,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import { RUN_LATE_MS } from '../src/content/rankings/policy'
import type { TrackingBatch } from '../src/content/rankings/tracking'
import { type ShardEnd, type ShardProgress, trackBatches } from './rank-batches'

type RankingRunResult = { message: string; ranked: number; failed: number }

const { beginRankRun, reportLateRankRun, endRankRun } = proxyActivities<Activities>({
  // Counting millions of keywords takes seconds.
  startToCloseTimeout: '5 minutes',
  retry: { maximumInterval: '2 minutes' },
})

/**
 * Checks the tracked keywords of all projects that are due once, in shards that run at the same time (contract 6.20). A
 * schedule starts it every quarter of an hour, after the run before it. A run that takes longer than a day, or ends
 * early, is recorded and logged.
 */
export async function runRankTracking(): Promise<RankingRunResult> {
  const { startTime, workflowId } = workflowInfo()
  const run = startTime.toISOString()
  const plan = await beginRankRun({ run })
  if (plan.status === 'NO_PROVIDER') return NO_PROVIDER
  if (plan.shards.length === 0) return NOTHING_DUE
  const late = new CancellationScope()
  late
    .run(async () => {
      await sleep(RUN_LATE_MS)
      await reportLateRankRun({ run })
    })
    .catch(() => {}) // Cancelled below.
  const shards = plan.shards.map((range, n) =>
    executeChild(trackRankingShard, {
      workflowId: `${workflowId}/${n + 1}`,
      args: [{ run, searches: plan.searches, scheduled: plan.scheduled, ...range }],
      staticSummary: `Part ${n + 1} of ${plan.shards.length}`,
    }),
  )
  const ends = await Promise.all(shards).catch(async error => {
    const problem = isCancellation(error) ? 'It was cancelled in Temporal.' : 'A shard failed.'
    await CancellationScope.nonCancellable(() => endRankRun({ run, ...sum([]), problem }))
    throw error
  })
  late.cancel()
  const { ranked, failed } = sum(ends)
  const problem = ends.find(end => end.problem !== undefined)?.problem ?? null
  const isRefused = ends.some(end => end.isRefused)
  const { unranked } = await endRankRun({ run, ranked, failed, problem, isRefused })
  if (problem !== null)
    throw ApplicationFailure.nonRetryable(
      `${problem} The run ends, with ${ranked} keywords ranked and ${unranked} without a new ranking; these are tried again in an hour.`,
      'RankRunUnfinished',
    )
  return result({ ranked, failed })
}

/** A part of the keywords of a run. */
export async function trackRankingShard(shard: TrackingBatch | ShardProgress): Promise<ShardEnd> {
  const end = await trackBatches(
    'ranked' in shard ? shard : { ...shard, ranked: 0, failed: 0, empty: 0 },
  )
  return 'next' in end ? await continueAsNew<typeof trackRankingShard>(end.next) : end
}

/** Every tracked keyword, one batch after the other: runs that a version without shards started. */
export async function trackRankings(continued?: ShardProgress): Promise<RankingRunResult> {
  const run = workflowInfo().startTime.toISOString()
  const end = await trackBatches(continued ?? { run, after: null, ranked: 0, failed: 0, empty: 0 })
  if ('next' in end) return await continueAsNew<typeof trackRankings>(end.next)
  if (end.problem !== undefined)
    throw ApplicationFailure.nonRetryable(end.problem, 'SerpProviderUnavailable')
  return end.hasProvider ? result(end) : { ...NO_PROVIDER, ranked: end.ranked, failed: end.failed }
}

const NO_PROVIDER: RankingRunResult = {
  message:
    'No SERP provider is configured, so no keyword was checked. Set ARDEN_SERP_PROVIDER and ARDEN_SERP_API_KEY to track rankings.',
  ranked: 0,
  failed: 0,
}

const NOTHING_DUE: RankingRunResult = { message: 'No project is due.', ranked: 0, failed: 0 }

const result = ({ ranked, failed }: { ranked: number; failed: number }): RankingRunResult => ({
  message: `${ranked} keywords have a new ranking, ${failed} got no usable result.`,
  ranked,
  failed,
})

const sum = (ends: ShardEnd[]) => ({
  ranked: ends.reduce((total, end) => total + end.ranked, 0),
  failed: ends.reduce((total, end) => total + end.failed, 0),
})
