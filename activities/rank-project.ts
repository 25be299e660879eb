import { beginRequestedRun, endRequestedRun } from '../src/content/rankings/requested-runs'
import type { RunErrorCode } from '../src/content/rankings/run-schema'
import type { TrackingBatch } from '../src/content/rankings/tracking'
import type { Sql } from '../src/db/connect'
import type { Log } from '../src/log'
import type { PublishChange } from '../src/notifications/changes'
import type { Job } from '../src/outbox/outbox'

type RequestedRunDeps = { sql: Sql; log: Log; publishChange: PublishChange }

export const createRequestedRunActivities = ({ sql, log, publishChange }: RequestedRunDeps) => ({
  /** Null when the run has ended. */
  async beginRequestedRun(job: Job): Promise<TrackingBatch | null> {
    const begun = await beginRequestedRun(sql, job)
    if (begun === undefined) return null
    publishChange({ accountId: begun.accountId, mode: 'live' }, 'rankings')
    return begun.batch
  },

  /** Records the end of the run, and logs why it ended early. */
  async endRequestedRun({
    error,
    problem,
    ...job
  }: Job & { error: RunErrorCode | null; problem: string | null }): Promise<void> {
    const accountId = await endRequestedRun(sql, job, error)
    if (accountId !== undefined) publishChange({ accountId, mode: 'live' }, 'rankings')
    if (error !== null)
      log.warn(
        { rank_run_id: job.id },
        `A requested run of the rank tracking ended early. ${problem ?? 'No SERP provider is configured.'}`,
      )
  },
})
