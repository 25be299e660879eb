import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import type { ProviderError } from '../src/content/generations/providers/provider'
import { delayAfter, WRITE_HEARTBEAT_TIMEOUT_MS } from '../src/content/generations/retry-schedule'
import {
  runAssembly,
  runChecks,
  runMetadata,
  runOutline,
  runSection,
} from '../src/content/generations/steps/run'
import type { StepDeps, StepOutcome } from '../src/content/generations/steps/write'
import { beginGeneration, cancelRun } from '../src/content/generations/transitions'
import { isDatabaseUnavailable } from '../src/db/connect'
import type { Log } from '../src/log'
import type { Job } from '../src/outbox/outbox'

/**
 * Failure types of the steps. Running workflows compare them, so they do not change.
 * - ProviderFailed: a failure of the provider was recorded. Retried after the delay of the schedule or the provider.
 * - ProviderRateLimited: the rate limit of the provider permits no request now. Retried without limit, and no failure.
 * - GenerationFailed: the generation is FAILED. Not retried.
 * - InfrastructureError: a failure of Arden itself, which uses none of the provider's attempts. Retried without limit.
 */
type StepFailure =
  | 'ProviderFailed'
  | 'ProviderRateLimited'
  | 'GenerationFailed'
  | 'InfrastructureError'

export type GenerationEnd = {
  /** NOT_OURS: another run owns the generation, or it was deleted with its project. */
  status: 'COMPLETED' | 'CANCELLED' | 'NOT_OURS'
  articleId: string | null
}

/** DONE: the next step follows. */
type StepEnd = { status: 'DONE' } | { status: 'AWAITING_APPROVAL' } | GenerationEnd

/** Also the delay until the activity learns of a cancellation. */
const HEARTBEAT_MS = WRITE_HEARTBEAT_TIMEOUT_MS / 5

export const createGenerationActivities = (deps: StepDeps) => ({
  /** The headings. `sections`: how many follow, the introduction included. */
  writeOutline: (job: Job): Promise<StepEnd & { sections?: number }> =>
    runActivity(deps, job, signal => runOutline(deps, job, signal)),

  writeSection: (job: Job & { section: number }): Promise<StepEnd> =>
    runActivity(deps, job, signal => runSection(deps, job, signal)),

  assembleArticle: (job: Job): Promise<StepEnd> =>
    runActivity(deps, job, () => runAssembly(deps, job)),

  writeMetadata: (job: Job): Promise<StepEnd> =>
    runActivity(deps, job, signal => runMetadata(deps, job, signal)),

  /** Checks the article and stores it. */
  completeArticle: (job: Job): Promise<StepEnd> =>
    runActivity(deps, job, () => runChecks(deps, job)),

  /** All steps, one after the other: for workflows that an older version started. */
  async writeArticle(job: Job): Promise<GenerationEnd> {
    const end = await runActivity(deps, job, signal => runAll(deps, job, signal))
    if (end.status !== 'DONE' && end.status !== 'AWAITING_APPROVAL') return end
    throw new Error(`the generation is ${end.status} after all of its steps`)
  },

  /** Makes the generation RUNNING, for workflows of an older version; now the first request does. */
  beginGeneration: (job: Job): Promise<void> => beginGeneration(deps.sql, job).then(deps.committed),

  /** Ends a generation whose workflow was cancelled. */
  async cancelGeneration(job: Job): Promise<void> {
    const tenant = await cancelRun(deps.sql, job)
    if (tenant !== undefined) deps.publishChange(tenant, 'generations')
  },
})

const runAll = async (deps: StepDeps, job: Job, signal: AbortSignal): Promise<StepOutcome> => {
  const { sections = 0, ...outline } = await runOutline(deps, job, signal)
  if (outline.status !== 'DONE') return outline
  const steps = [
    ...Array.from(
      { length: sections },
      (_, n) => () => runSection(deps, { ...job, section: n + 1 }, signal),
    ),
    () => runAssembly(deps, job),
    () => runMetadata(deps, job, signal),
    () => runChecks(deps, job),
  ]
  for (const run of steps) {
    const outcome = await run()
    if (outcome.status !== 'DONE') return outcome
  }
  throw new Error(`${job.id} has not ended after its last step`)
}

/** Runs a step with heartbeats. Temporal stores no text of it: only what the workflow has to know. */
const runActivity = async (
  deps: StepDeps,
  job: Job,
  run: (signal: AbortSignal) => Promise<StepOutcome & { sections?: number }>,
): Promise<StepEnd> => {
  const { cancellationSignal, heartbeat } = Context.current()
  const heartbeats = setInterval(heartbeat, HEARTBEAT_MS)
  try {
    return toEnd(await run(cancellationSignal))
  } catch (error) {
    if (error instanceof ApplicationFailure) throw error
    if (error instanceof CancelledFailure) throw cancellation(error)
    throw infrastructureFailure(error, deps.log, job.id)
  } finally {
    clearInterval(heartbeats)
    deps.committed()
  }
}

/** @throws {ApplicationFailure} where the workflow has to retry the step, or fails. */
const toEnd = (outcome: StepOutcome & { sections?: number }): StepEnd => {
  switch (outcome.status) {
    case 'DONE':
      return outcome
    case 'NOT_OURS':
      return { status: 'NOT_OURS', articleId: null }
    case 'RATE_LIMITED':
      throw rateLimited(outcome.waitMs)
    case 'FAILED':
      throw providerFailed(outcome.error, outcome.failures)
    case 'ENDED': {
      const { status, articleId, errorMessage } = outcome.generation
      if (status === 'FAILED') throw generationFailed(errorMessage)
      if (status === 'AWAITING_APPROVAL') return { status }
      if (status === 'COMPLETED' || status === 'CANCELLED') return { status, articleId }
      throw new Error(`the generation is ${status} after it ended`)
    }
  }
}

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
  type: StepFailure,
  options: { message: string; nonRetryable?: boolean; nextRetryDelay?: number },
) => ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, ...options })
