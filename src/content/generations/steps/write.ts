/**
 * The steps of a generation (contract 6.26). The rows of generation and steps are the only state, so each call can be
 * repeated at any time, also by a second worker while the first one still runs, and goes on where the rows are.
 */
import type { Mode } from '../../../caller'
import { type Sql, type Tx, withTimeout } from '../../../db/connect'
import type { Log } from '../../../log'
import type { Meter } from '../../../metrics/meter'
import type { PublishChange } from '../../../notifications/changes'
import type { Job } from '../../../outbox/outbox'
import { countTokens } from '../../../usage/store'
import { offlineProvider } from '../providers/offline'
import { type ModelProvider, ProviderError } from '../providers/provider'
import { RATE_LIMITED_TIMEOUT_MS } from '../retry-schedule'
import {
  beginGeneration,
  type LoadedGeneration,
  loadGeneration,
  recordFailure,
} from '../transitions'
import { storeOutline } from './outline'
import { parseOutline, parseSection, toStorable } from './parse'
import { startReporting } from './report'
import { toStepRequest } from './request'
import {
  completeStep,
  OUTLINE,
  readSteps,
  recordRateLimit,
  type StepResult,
  type StoredStep,
  startStep,
} from './store'
import { storeWithRetries } from './store-with-retries'

export type StepDeps = {
  sql: Sql
  providers: { [mode in Mode]: ModelProvider }
  meter: Meter
  log: Log
  /** Publishes changes to open dashboards. */
  publishChange: PublishChange
  /** Called after a commit that can have fired events. */
  committed: () => void
}

export type StepOutcome =
  /** The step is finished. */
  | { status: 'DONE' }
  /** The generation is final, or waits for an approval. */
  | { status: 'ENDED'; generation: LoadedGeneration }
  /** The provider failed, `failures` times so far in this step, and may be called again. */
  | { status: 'FAILED'; error: ProviderError; failures: number }
  /** The rate limit of the provider permits no request now. */
  | { status: 'RATE_LIMITED'; waitMs: number }
  /** Another run owns the generation, or it was deleted with its project. */
  | { status: 'NOT_OURS' }

type OpenGeneration = LoadedGeneration & { status: 'QUEUED' | 'RUNNING' }

/** The generation with its steps, when it can continue; otherwise the outcome. */
export const loadOpen = async (
  sql: Sql,
  { id, run }: Job,
): Promise<
  | Exclude<StepOutcome, { status: 'DONE' }>
  | { status: 'OPEN'; generation: OpenGeneration; steps: StoredStep[] }
> => {
  const generation = await withTimeout(loadGeneration(sql, id))
  if (generation?.run !== run) return { status: 'NOT_OURS' }
  if (!isOpen(generation)) return { status: 'ENDED', generation }
  const steps = await withTimeout(readSteps(sql, id))
  // It was deleted in between: as long as it is there, it has its outline.
  return steps.length === 0 ? { status: 'NOT_OURS' } : { status: 'OPEN', generation, steps }
}

const isOpen = (generation: LoadedGeneration): generation is OpenGeneration =>
  generation.status === 'QUEUED' || generation.status === 'RUNNING'

/**
 * Requests the text of a step and stores it, unless it is stored already. Makes the generation RUNNING as soon as the
 * provider permits a request. `position`: of a step that a model writes.
 * @throws the reason of `signal`, or an internal error. A failure of the provider is part of the result.
 */
export const writeStep = async (
  deps: StepDeps,
  job: Job,
  position: number,
  signal: AbortSignal,
): Promise<StepOutcome> => {
  const loaded = await loadOpen(deps.sql, job)
  if (loaded.status !== 'OPEN') return loaded
  const { generation, steps } = loaded
  const step = steps.find(one => one.position === position)
  if (step === undefined) throw new Error(`${job.id} has no step ${position}`)
  if (step.status === 'COMPLETED') return { status: 'DONE' }
  try {
    const written = await requestText(deps, job, { generation, step, steps }, signal)
    if (written === 'ended') return await loadEnded(deps, job)
    if (written instanceof ProviderError)
      return await recordProviderFailure(deps, job, { generation, step }, written)
    await storeWithRetries(() => storeText(deps.sql, job, { generation, step }, written))
    return { status: 'DONE' }
  } finally {
    deps.publishChange(generation, 'generations', 'deliveries')
  }
}

/** A generation that was queued as an offline draft stays one: it was not taken from the quota. */
const providerOf = ({ providers }: StepDeps, { mode, offlineDraft }: LoadedGeneration) =>
  offlineDraft && !providers[mode].isOffline ? offlineProvider : providers[mode]

type Current = { generation: OpenGeneration; step: StoredStep; steps: StoredStep[] }

/** `ended`: the generation became final meanwhile. */
const requestText = async (
  deps: StepDeps,
  job: Job,
  { generation, step, steps }: Current,
  signal: AbortSignal,
): Promise<(StepResult & { text: string }) | ProviderError | 'ended'> => {
  const { promptVersion, ...request } = toStepRequest(generation, step, steps)
  const { position } = step
  const ended = new AbortController()
  let text = ''
  let stopReporting: (() => Promise<void>) | undefined
  try {
    const { model, ...completion } = await providerOf(deps, generation).complete({
      ...request,
      ...(generation.model !== null && { model: generation.model }),
      signal: AbortSignal.any([signal, ended.signal]),
      onStart: async () => {
        if (!(await begin(deps, job, generation, position))) ended.abort()
        ended.signal.throwIfAborted()
        text = ''
        stopReporting ??= startReporting(
          { ...deps, job, position, tenant: generation, textSoFar: () => text },
          ended,
        )
      },
      onText: piece => {
        text += piece
      },
    })
    // Without a model there is no prompt.
    return {
      ...completion,
      model,
      promptVersion,
      ...parsed(step, completion.text),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (ended.signal.aborted) return 'ended'
    if (error instanceof ProviderError) return error
    throw error
  } finally {
    await stopReporting?.()
  }
}

/** @throws {ProviderError} for a text that the next step cannot use. */
const parsed = ({ kind }: StoredStep, text: string): { text: string } => {
  if (kind === 'outline') return { text: parseOutline(text).join('\n') }
  return {
    text: kind === 'section' ? parseSection(text) : toStorable(text),
  }
}

/** Returns whether it is RUNNING: it can have ended while the request waited for the rate limit. */
const begin = async (
  deps: StepDeps,
  job: Job,
  generation: OpenGeneration,
  position: number,
): Promise<boolean> => {
  if (generation.status === 'QUEUED') {
    await withTimeout(beginGeneration(deps.sql, job))
    deps.committed()
  }
  const now = await loadOpen(deps.sql, job)
  if (now.status !== 'OPEN') return false
  await withTimeout(startStep(deps.sql, job, position))
  deps.publishChange(generation, 'generations', 'deliveries')
  return true
}

const storeText = async (
  sql: Sql,
  job: Job,
  { generation, step: { position } }: Pick<Current, 'generation' | 'step'>,
  result: StepResult & { text: string },
): Promise<void> => {
  await sql.begin(async tx => {
    const isFirst = await completeStep(tx as Tx, job.id, position, result)
    if (isFirst) await countTokens(tx as Tx, generation, result)
    if (position === OUTLINE) await storeOutline(tx as Tx, job, result.text.split('\n'))
  })
}

/** The outcome of a generation that is not open any more. */
export const loadEnded = async (deps: StepDeps, job: Job): Promise<StepOutcome> => {
  const loaded = await loadOpen(deps.sql, job)
  if (loaded.status === 'OPEN') throw new Error(`${job.id} runs again after it ended`)
  return loaded
}

const recordProviderFailure = async (
  deps: StepDeps,
  job: Job,
  { generation, step }: Pick<Current, 'generation' | 'step'>,
  error: ProviderError,
): Promise<StepOutcome> => {
  const { code, message, options } = error
  const isRateLimited = code === 'provider_rate_limited'
  if (isRateLimited && options.retryAfterMs !== undefined && mayWait(generation, options)) {
    await withTimeout(recordRateLimit(deps.sql, job, step.position, code))
    return { status: 'RATE_LIMITED', waitMs: options.retryAfterMs }
  }
  reportFailure(deps, job.id, providerOf(deps, generation).name, error)
  const recorded = await storeWithRetries(() =>
    recordFailure(
      deps.sql,
      job,
      { position: step.position, seen: step.failures },
      { code, message },
      options.final === true || isRateLimited,
    ),
  )
  if (recorded?.failed === false) return { status: 'FAILED', error, failures: recorded.failures }
  if (recorded?.failed) deps.meter.recordGeneration('FAILED')
  return await loadEnded(deps, job)
}

/** A 429 is no failure of the generation, unless there was nothing else for a day. */
const mayWait = (
  { startedAt }: LoadedGeneration,
  { isUnsent }: ProviderError['options'],
): boolean =>
  isUnsent === true ||
  startedAt === null ||
  Date.now() - startedAt.getTime() < RATE_LIMITED_TIMEOUT_MS

const reportFailure = (
  { log, meter }: StepDeps,
  generationId: string,
  provider: string,
  { code, message, options }: ProviderError,
) => {
  if (options.isSimulated) return
  meter.recordModelError(code)
  log.warn(
    { generation_id: generationId, provider, code, provider_text: options.providerText },
    `A step of a generation failed: ${message}`,
  )
}
