import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { HEARTBEAT_TIMEOUT_MS, TRIES } from '../src/content/rank-policy'
import { type BatchOf, trackBatch } from '../src/content/rank-tracking'
import { type SerpSource, SourceError } from '../src/content/serp-source'
import type { Sql } from '../src/db/connect'
import type { Log } from '../src/log'

export type RankingDeps = { sql: Sql; log: Log; serpSource: SerpSource | undefined }

export type TrackedBatch =
  | { status: 'NO_SOURCE' }
  | { status: 'TRACKED'; last: string | null; ranked: number; failed: number }

const HEARTBEAT_MS = HEARTBEAT_TIMEOUT_MS / 4

export const createRankingActivities = ({ sql, log, serpSource }: RankingDeps) => ({
  /**
   * Asks for a batch of keywords. Fails, to be tried again, while some have no answer; at the last try
   * only when none has one. A refused key ends the run at once.
   */
  async trackRankingsBatch(batchOf: BatchOf): Promise<TrackedBatch> {
    if (serpSource === undefined) return { status: 'NO_SOURCE' }
    const { cancellationSignal, heartbeat, info } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    const deps = { sql, source: serpSource }
    try {
      const batch = await trackBatch(deps, batchOf, cancellationSignal)
      const { last, ranked, failed, unanswered, unavailable, unusable } = batch
      const answered = ranked + failed
      if (unanswered > 0 && (answered === 0 || info.attempt < TRIES))
        throw ApplicationFailure.create({
          type: 'SourceUnavailable',
          message: `${serpSource.host} gave no answer for ${unanswered} of ${answered + unanswered} keywords: it ${unavailable?.message}`,
          ...(unavailable?.retryAfterMs !== undefined && {
            nextRetryDelay: unavailable.retryAfterMs,
          }),
        })
      const problem = unusable ?? unavailable
      if (problem !== undefined)
        log.warn(
          { host: serpSource.host, failed, unanswered },
          `The SERP source has no usable answer for some keywords: it ${problem.message}`,
        )
      return { status: 'TRACKED', last, ranked, failed: failed + unanswered }
    } catch (error) {
      if (error instanceof SourceError)
        throw ApplicationFailure.nonRetryable(
          `${serpSource.host} refuses the key of Arden: it ${error.message}. Check ARDEN_SERP_API_KEY.`,
          'SourceRefused',
        )
      if (
        error instanceof CancelledFailure &&
        Context.current().cancellationDetails?.workerShutdown
      )
        throw ApplicationFailure.retryable('The worker was stopped.', 'WorkerStopped')
      throw error
    } finally {
      clearInterval(heartbeats)
    }
  },
})
