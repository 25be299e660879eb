import { ApplicationFailure, continueAsNew, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities'
import { type ShardProgress, trackBatches } from './rank-batches'

export type RankProjectInput = {
  /** A requested run, and which of its workflows this is. */
  id: string
  run: number
  /** Passed on when the workflow continues as new. */
  progress?: ShardProgress
}

const { beginRequestedRun, endRequestedRun } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumInterval: '2 minutes' },
})

/** Checks the tracked keywords of one project once, because a user requested it (contract 6.20). */
export async function rankProject({
  id,
  run,
  progress,
}: RankProjectInput): Promise<{ message: string }> {
  const shard = progress ?? (await begin({ id, run }))
  if (shard === null) return { message: 'The run has ended.' }
  const end = await trackBatches(shard)
  if ('next' in end) return await continueAsNew<typeof rankProject>({ id, run, progress: end.next })
  const error = !end.hasProvider
    ? 'no_provider'
    : end.problem === undefined
      ? null
      : end.isRefused
        ? 'provider_rejected'
        : 'provider_unavailable'
  await endRequestedRun({ id, run, error, problem: end.problem ?? null })
  if (end.problem !== undefined)
    throw ApplicationFailure.nonRetryable(end.problem, 'RankRunUnfinished')
  return {
    message: `${end.ranked} keywords have a new ranking, ${end.failed} got no usable result.`,
  }
}

const begin = async (job: Pick<RankProjectInput, 'id' | 'run'>): Promise<ShardProgress | null> => {
  const batch = await beginRequestedRun(job)
  return batch && { ...batch, ranked: 0, failed: 0, empty: 0 }
}
