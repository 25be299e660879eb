import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import type { Tenant } from '../src/caller'
import { BATCH_ATTEMPTS, BATCH_HEARTBEAT_TIMEOUT_MS } from '../src/content/rankings/policy'
import {
  beginRankRun,
  endRankRun,
  type RankRunEnd,
  type RankRunPlan,
  reportLateRankRun,
} from '../src/content/rankings/runs'
import { type SerpProvider, SerpProviderError } from '../src/content/rankings/serp/provider'
import { type TrackingBatch, trackBatch } from '../src/content/rankings/tracking'
import type { Sql } from '../src/db/connect'
import type { Log } from '../src/log'
import type { PublishChange } from '../src/notifications/changes'

type RankingDeps = {
  sql: Sql
  log: Log
  serpProvider: SerpProvider | undefined
  /** Concurrent searches of a run. */
  serpInFlight: number
  /** Called after a commit that can have fired events. */
  committed: () => void
  /** Notifies open dashboards. */
  publishChange: PublishChange
}

type TrackBatchResult =
  | { status: 'NO_PROVIDER' }
  /** The batch is repeated after this time in ms; only keywords without a ranking of the run are searched again. */
  | { status: 'RATE_LIMITED'; waitMs: number }
  | {
      status: 'TRACKED'
      last: string | null
      ranked: number
      failed: number
      /** Set when no keyword of the batch has a result: why. */
      empty?: string
    }

const HEARTBEAT_MS = BATCH_HEARTBEAT_TIMEOUT_MS / 4

export const createRankingActivities = ({
  sql,
  log,
  serpProvider,
  serpInFlight,
  committed,
  publishChange,
}: RankingDeps) => ({
  /** Records the start of a run and divides its keywords. */
  async beginRankRun({
    run,
  }: {
    run: string
  }): Promise<{ status: 'NO_PROVIDER' } | ({ status: 'BEGUN' } & RankRunPlan)> {
    if (serpProvider === undefined) return { status: 'NO_PROVIDER' }
    const changed = changedBy(publishChange)
    return { status: 'BEGUN', ...(await beginRankRun(sql, run, serpInFlight, log, changed)) }
  },

  reportLateRankRun: ({ run }: { run: string }): Promise<void> => reportLateRankRun(sql, run, log),

  /** Records the end of a run, and returns how many keywords have no ranking of it. */
  async endRankRun({ run, ...end }: { run: string } & RankRunEnd): Promise<{ unranked: number }> {
    return { unranked: await endRankRun(sql, run, end, log, changedBy(publishChange)) }
  },

  /**
   * Checks a batch of keywords. Fails, and is retried, while some have no result; after the last attempt the run
   * continues without them. A refused API key ends the run at once.
   */
  async trackRankingsBatch(input: TrackingBatch): Promise<TrackBatchResult> {
    if (serpProvider === undefined) return { status: 'NO_PROVIDER' }
    const { cancellationSignal, heartbeat, info } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    const deps = {
      sql,
      provider: serpProvider,
      committed: (tenant: Tenant) => {
        committed()
        publishChange(tenant, 'keywords', 'rankings', 'deliveries')
      },
    }
    try {
      const { attempt } = info
      const batch = await trackBatch(deps, { ...input, attempt }, cancellationSignal)
      const { last, ranked, failed, noResponse, unavailable, unusable, rateLimitedMs } = batch
      // Older workflows do not know this status: for them it is a response that is missing.
      if (rateLimitedMs !== undefined && input.until !== undefined)
        return { status: 'RATE_LIMITED', waitMs: rateLimitedMs }
      const responded = ranked + failed
      const noResult = `${serpProvider.host} returned no result for ${noResponse} of ${responded + noResponse} keywords: it ${unavailable?.message}`
      if (noResponse > 0 && attempt < BATCH_ATTEMPTS)
        throw ApplicationFailure.create({
          type: 'SerpProviderUnavailable',
          message: noResult,
          ...(unavailable?.retryAfterMs !== undefined && {
            nextRetryDelay: unavailable.retryAfterMs,
          }),
        })
      const problem = unusable ?? unavailable
      if (problem !== undefined)
        log.warn(
          {
            host: serpProvider.host,
            failed,
            noResponse,
            reason: problem.reason,
            provider: problem.providerText,
          },
          `The SERP provider returned no usable result for some keywords: it ${problem.message}`,
        )
      const isEmpty = noResponse > 0 && responded === 0
      return {
        status: 'TRACKED',
        last,
        ranked,
        failed: failed + noResponse,
        ...(isEmpty && { empty: noResult }),
      }
    } catch (error) {
      if (error instanceof SerpProviderError) {
        const message = describeRefusal(serpProvider.host, error)
        log.error({ reason: error.reason, provider: error.providerText }, message)
        throw ApplicationFailure.nonRetryable(message, 'SerpProviderRefused')
      }
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

/** Notifies the dashboards of accounts that a scheduled run has begun or ended. */
const changedBy = (publishChange: PublishChange) => (accountIds: readonly string[]) => {
  for (const accountId of accountIds)
    publishChange({ accountId, mode: 'live' }, 'projects', 'rankings')
}

/** What ends a run, and what the operator does about it. */
const describeRefusal = (host: string, { reason, message }: SerpProviderError): string =>
  reason === 'out of credit'
    ? `${host} makes no more searches for this account: it ${message}. Add credit there, or raise its limit.`
    : `${host} refused the API key: it ${message}. Check ARDEN_SERP_API_KEY.`
