import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import type { ProviderError } from '../src/content/generations/providers/provider'
import { delayAfter, WRITE_HEARTBEAT_TIMEOUT_MS } from '../src/content/generations/retry-schedule'
import { beginGeneration, cancelRun } from '../src/content/generations/transitions'
import { type WriterDeps, writeGeneration } from '../src/content/generations/writer'
import { isDatabaseUnavailable } from '../src/db/connect'
import type { Log } from '../src/log'
import type { Job } from '../src/outbox/outbox'

/**
 * How a call of `writeArticle` can fail, as Temporal shows it:
 * - ProviderFailed: the provider failed, which is recorded. Retried when the schedule or the provider says.
 * - GenerationFailed: the generation is FAILED. Not retried.
 * - NotCounted: a failure of our own, which the provider's attempts do not count. Retried without limit.
 */
type WriteFailure = 'ProviderFailed' | 'GenerationFailed' | 'NotCounted'

export type WriteArticleResult = {
  /** NOT_OURS: another run owns the generation, or it is gone with its project. */
  status: 'COMPLETED' | 'CANCELLED' | 'NOT_OURS'
  articleId: string | null
}

/** Also how soon a cancellation gets here. */
const HEARTBEAT_MS = WRITE_HEARTBEAT_TIMEOUT_MS / 5

type Deps = WriterDeps & {
  log: Log
  /** Called after a commit that may have fired events. */
  committed: () => void
}

export const createGenerationActivities = (deps: Deps) => ({
  /** Picks the generation up from the queue. Doing it twice does nothing more. */
  beginGeneration: (job: Job): Promise<void> => beginGeneration(deps.sql, job).then(deps.committed),

  /** Has the article written, heartbeating meanwhile, and stores it. It never goes through Temporal. */
  async writeArticle(job: Job): Promise<WriteArticleResult> {
    const { cancellationSignal, heartbeat } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    try {
      const standing = await writeGeneration(deps, job, cancellationSignal)
      if (standing === 'not ours') return { status: 'NOT_OURS', articleId: null }
      if ('failure' in standing) throw providerFailed(standing.failure, standing.failures)
      const { status, articleId, errorMessage } = standing
      if (status === 'FAILED') throw generationFailed(errorMessage)
      if (status === 'COMPLETED' || status === 'CANCELLED') return { status, articleId }
      throw new Error(`the generation is ${status} after it was written`)
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error
      if (error instanceof CancelledFailure) throw whyCancelled(error)
      throw notCounted(error, deps.log, job.id)
    } finally {
      clearInterval(heartbeats)
      deps.committed()
    }
  },

  /** Ends a generation whose workflow was cancelled. */
  async cancelGeneration(job: Job): Promise<void> {
    const tenant = await cancelRun(deps.sql, job)
    if (tenant !== undefined) deps.publishChange(tenant, 'generations')
  },
})

const providerFailed = ({ message, options }: ProviderError, failures: number) =>
  failure('ProviderFailed', {
    message: `${message} (failure ${failures})`,
    nextRetryDelay: delayAfter(failures, options.retryAfterMs),
  })

const generationFailed = (message: string | null) =>
  failure('GenerationFailed', { message: `Not written: ${message}`, nonRetryable: true })

const notCounted = (error: unknown, log: Log, generationId: string) => {
  const away = isDatabaseUnavailable(error)
  if (!away)
    log.error(
      { err: error, generation_id: generationId },
      'an article could not be written or stored',
    )
  return failure('NotCounted', {
    message: away
      ? 'The database is unavailable.'
      : "The article could not be written: an error of Arden's own, see its log.",
  })
}

/** The end of a worker's grace period is our own failure; everything else is an operator's wish. */
const whyCancelled = (error: CancelledFailure) =>
  Context.current().cancellationDetails?.workerShutdown
    ? failure('NotCounted', { message: 'The worker was stopped while it wrote.' })
    : error

/** `BENIGN`: what a provider does is no warning in the worker's log. */
const failure = (
  type: WriteFailure,
  options: { message: string; nonRetryable?: boolean; nextRetryDelay?: number },
) => ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, ...options })
