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
 * Failure types of `writeArticle`. Running workflows compare them, so they do not change.
 * - ProviderFailed: a failure of the provider was recorded. Retried after the delay of the schedule or the provider.
 * - ProviderRateLimited: the rate limit of the provider permits no request now. Retried without limit, and no failure.
 * - GenerationFailed: the generation is FAILED. Not retried.
 * - InfrastructureError: a failure of Arden itself, which uses none of the provider's attempts. Retried without limit.
 */
type WriteFailure =
  | 'ProviderFailed'
  | 'ProviderRateLimited'
  | 'GenerationFailed'
  | 'InfrastructureError'

export type WriteArticleResult = {
  /** NOT_OURS: another run owns the generation, or it was deleted with its project. */
  status: 'COMPLETED' | 'CANCELLED' | 'NOT_OURS'
  articleId: string | null
}

/** Also the delay until the activity learns of a cancellation. */
const HEARTBEAT_MS = WRITE_HEARTBEAT_TIMEOUT_MS / 5

export const createGenerationActivities = (deps: WriterDeps) => ({
  /** Makes the generation RUNNING, for workflows that an older version started: `writeArticle` does so as well. */
  beginGeneration: (job: Job): Promise<void> => beginGeneration(deps.sql, job).then(deps.committed),

  /** Begins the generation, writes and stores the article, with heartbeats meanwhile. Temporal never stores its text. */
  async writeArticle(job: Job): Promise<WriteArticleResult> {
    const { cancellationSignal, heartbeat } = Context.current()
    const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
    try {
      const result = await writeGeneration(deps, job, cancellationSignal)
      if (result === 'not ours') return { status: 'NOT_OURS', articleId: null }
      if ('waitMs' in result) throw rateLimited(result.waitMs)
      if ('failure' in result) throw providerFailed(result.failure, result.failures)
      const { status, articleId, errorMessage } = result
      if (status === 'FAILED') throw generationFailed(errorMessage)
      if (status === 'COMPLETED' || status === 'CANCELLED') return { status, articleId }
      throw new Error(`the generation is ${status} after it was written`)
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error
      if (error instanceof CancelledFailure) throw cancellation(error)
      throw infrastructureFailure(error, deps.log, job.id)
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

const rateLimited = (waitMs: number) =>
  failure('ProviderRateLimited', {
    message: `The rate limit of the provider is exceeded: the next try is in ${Math.ceil(waitMs / 1000)} s. This is no failure of the generation.`,
    nextRetryDelay: waitMs,
  })

const generationFailed = (message: string | null) =>
  failure('GenerationFailed', { message: `Not written: ${message}`, nonRetryable: true })

const infrastructureFailure = (error: unknown, log: Log, generationId: string) => {
  const unavailable = isDatabaseUnavailable(error)
  if (!unavailable)
    log.error(
      { err: error, generation_id: generationId },
      'an article could not be written or stored',
    )
  return failure('InfrastructureError', {
    message: unavailable
      ? 'The database is unavailable.'
      : "The article could not be written: an error of Arden's own, see its log.",
  })
}

/** A worker that stops is an infrastructure error; every other cancellation comes from an operator. */
const cancellation = (error: CancelledFailure) =>
  Context.current().cancellationDetails?.workerShutdown
    ? failure('InfrastructureError', { message: 'The worker was stopped while it wrote.' })
    : error

/** `BENIGN`: a failure of a provider is not a warning in the log of the worker. */
const failure = (
  type: WriteFailure,
  options: { message: string; nonRetryable?: boolean; nextRetryDelay?: number },
) => ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, ...options })
