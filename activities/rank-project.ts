import { beginRequestedRun, endRequestedRun } from '../src/content/rankings/requested-runs'
import type { RunErrorCode } from '../src/content/rankings/run-schema'
import type { TrackingBatch } from '../src/content/rankings/tracking'
import type { Sql } from '../src/db/connect'
import type { Log } from '../src/log'
import type { Job } from '../src/outbox/outbox'

type RequestedRunDeps = { sql: Sql; log: Log }

export const createRequestedRunActivities = ({ sql, log }: RequestedRunDeps) => ({
  /** Null when the run has ended. */
  beginRequestedRun: async (job: Job): Promise<TrackingBatch | null> =>
    (await beginRequestedRun(sql, job)) ?? null,

  /** Records the end of the run, and logs why it ended early. */
  async endRequestedRun({
    error,
    problem,
    ...job
  }: Job & { error: RunErrorCode | null; problem: string | null }): Promise<void> {
    await endRequestedRun(sql, job, error)
    if (error !== null)
      log.warn(
        { rank_run_id: job.id },
        `A requested run of the rank tracking ended early. ${problem ?? 'No SERP provider is configured.'}`,
      )
  },
})
