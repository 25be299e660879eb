/**
 * Writes the article of a generation and stores it. The row of the generation is the only state, so the call can be
 * repeated at any time, also by a second worker while the first one still runs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../caller'
import { type Sql, withTimeout } from '../../db/connect'
import type { Log } from '../../log'
import type { Meter } from '../../metrics/meter'
import type { PublishChange } from '../../notifications/changes'
import type { Job } from '../../outbox/outbox'
import { type ArticleDraft, parseDraft } from './draft'
import { offlineProvider } from './providers/offline'
import { createPrompt } from './providers/prompt'
import { type ArticleTask, type ModelProvider, ProviderError } from './providers/provider'
import { RATE_LIMITED_TIMEOUT_MS, STORE_TIMEOUT_MS } from './retry-schedule'
import {
  beginGeneration,
  completeGeneration,
  type GenerationDetails,
  loadGeneration,
  recordFailure,
  recordProgress,
} from './transitions'

export type WriterDeps = {
  sql: Sql
  providers: { [mode in Mode]: ModelProvider }
  meter: Meter
  log: Log
  /** Publishes changes to open dashboards. */
  publishChange: PublishChange
  /** Called after a commit that can have fired events. */
  committed: () => void
}

/** The state of the generation after the call. */
type WriteResult =
  | GenerationDetails
  /** The provider failed, `failures` times so far, and may be called again. */
  | { status: 'RUNNING'; failure: ProviderError; failures: number }
  /** The rate limit of the provider permits no request now. Its first request makes a generation RUNNING. */
  | { status: 'QUEUED' | 'RUNNING'; waitMs: number }
  /** Another run owns the generation, or it was deleted with its project. */
  | 'not ours'

/** How often progress is written, in ms; also how soon the writer notices a cancellation. */
const PROGRESS_INTERVAL_MS = 500
/** The delay between attempts to store, and the time after which they end, in ms. One attempt can take seconds. */
const STORE_RETRY_DELAY_MS = 1_000
const STORE_RETRY_TIMEOUT_MS = STORE_TIMEOUT_MS * 0.8
/** Characters after which progress is at 50 %, then 75 %, and so on: the length of the article is unknown. */
const HALF_LENGTH = 3_000

/**
 * Makes the generation RUNNING as soon as its provider permits a request, gets the article and stores it, unless the
 * generation is final or of another run.
 * @throws the reason of `signal`, or an internal error. A failure of the provider is part of the result.
 */
export const writeGeneration = async (
  deps: WriterDeps,
  job: Job,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const queued = await loadCurrent(deps.sql, job)
  if (!isOpen(queued)) return queued
  try {
    return await writeOpen(deps, job, queued, signal)
  } finally {
    deps.publishChange(queued, 'generations', 'articles', 'deliveries')
  }
}

/** A generation that was queued as an offline draft stays one: it was not taken from the quota. */
const providerOf = ({ providers }: WriterDeps, { mode, offlineDraft }: GenerationDetails) =>
  offlineDraft && !providers[mode].isOffline ? offlineProvider : providers[mode]

type OpenGeneration = GenerationDetails & { status: 'QUEUED' | 'RUNNING' }

const isOpen = (generation: GenerationDetails | 'not ours'): generation is OpenGeneration =>
  generation !== 'not ours' && (generation.status === 'QUEUED' || generation.status === 'RUNNING')

const writeOpen = async (
  deps: WriterDeps,
  job: Job,
  generation: OpenGeneration,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const { sql, meter } = deps
  const provider = providerOf(deps, generation)
  const draft = await getDraft(provider, generation, job, deps, signal)
  if (draft instanceof ProviderError) {
    const { code, message, options } = draft
    const isRateLimited = code === 'provider_rate_limited'
    if (isRateLimited && options.retryAfterMs !== undefined && mayWait(generation, options))
      return {
        status: options.isUnsent ? generation.status : 'RUNNING',
        waitMs: options.retryAfterMs,
      }
    reportFailure(deps, job.id, provider.name, draft)
    const final = options.final === true || isRateLimited
    const recorded = await storeWithRetries(() =>
      recordFailure(sql, job, generation.failures, { code, message }, final),
    )
    if (recorded?.failed === false)
      return { status: 'RUNNING', failure: draft, failures: recorded.failures }
  } else if (draft !== 'ended')
    await storeWithRetries(() =>
      completeGeneration(sql, job, draft, { isOffline: provider.isOffline === true }),
    )
  const after = await loadCurrent(sql, job)
  if (after !== 'not ours' && after.status !== 'QUEUED' && after.status !== 'RUNNING')
    meter.recordGeneration(after.status)
  return after
}

const reportFailure = (
  { log, meter }: WriterDeps,
  generationId: string,
  provider: string,
  { code, message, options }: ProviderError,
) => {
  if (options.isSimulated) return
  meter.recordModelError(code)
  log.warn(
    { generation_id: generationId, provider, code, provider_text: options.providerText },
    `A generation failed: ${message}`,
  )
}

/** A 429 is no failure of the generation, unless there was nothing else for a day. */
const mayWait = (
  { startedAt }: GenerationDetails,
  { isUnsent }: ProviderError['options'],
): boolean =>
  isUnsent === true ||
  startedAt === null ||
  Date.now() - startedAt.getTime() < RATE_LIMITED_TIMEOUT_MS

const loadCurrent = async (sql: Sql, { id, run }: Job): Promise<GenerationDetails | 'not ours'> => {
  const generation = await withTimeout(loadGeneration(sql, id))
  return generation?.run === run ? generation : 'not ours'
}

/** `ended`: the generation became final meanwhile. */
const getDraft = async (
  provider: ModelProvider,
  generation: OpenGeneration,
  job: Job,
  deps: WriterDeps,
  signal: AbortSignal,
): Promise<ArticleDraft | ProviderError | 'ended'> => {
  const { sql, publishChange } = deps
  const task = toTask(job.id, generation)
  const ended = new AbortController()
  let length = 0
  let reporting: (() => Promise<void>) | undefined
  try {
    const { text } = await provider.complete({
      ...createPrompt(task),
      task,
      signal: AbortSignal.any([signal, ended.signal]),
      onStart: async () => {
        if (!(await begin(deps, job, generation))) ended.abort()
        ended.signal.throwIfAborted()
        reporting ??= startReporting(() => {
          publishChange(generation, 'generations')
          return recordProgress(sql, job, percent(length))
        }, ended)
      },
      onText: piece => {
        length += piece.length
      },
    })
    return parseDraft(text, generation.keyword)
  } catch (error) {
    signal.throwIfAborted()
    if (ended.signal.aborted) return 'ended'
    if (error instanceof ProviderError) return error
    throw error
  } finally {
    await reporting?.()
  }
}

/** Returns whether it is RUNNING: it can have ended while the request waited for the rate limit. */
const begin = async (deps: WriterDeps, job: Job, generation: OpenGeneration): Promise<boolean> => {
  if (generation.status === 'QUEUED') {
    await withTimeout(beginGeneration(deps.sql, job))
    deps.committed()
  }
  const now = await loadCurrent(deps.sql, job)
  deps.publishChange(generation, 'generations', 'deliveries')
  return now !== 'not ours' && now.status === 'RUNNING'
}

/** Calls `report` at an interval, and aborts `ended` when it returns false. Returns what stops it. */
const startReporting = (report: () => Promise<boolean>, ended: AbortController) => {
  const stop = new AbortController()
  const reporting = (async () => {
    while (!stop.signal.aborted && !ended.signal.aborted) {
      await sleep(PROGRESS_INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return
      // The next report repeats a failed one.
      const isRunning = await withTimeout(report()).catch(() => true)
      if (!isRunning) ended.abort()
    }
  })()
  return () => {
    stop.abort()
    return reporting
  }
}

const percent = (length: number): number =>
  Math.min(99, Math.floor(100 - 100 / 2 ** (length / HALF_LENGTH)))

const toTask = (seed: string, generation: GenerationDetails): ArticleTask => ({
  seed,
  keyword: generation.keyword,
  instructions: generation.instructions,
  project: {
    name: generation.projectName,
    domain: generation.projectDomain,
    language: generation.projectLanguage,
  },
})

/** Retries `store`, which is idempotent, because without its result the provider would be paid again. */
const storeWithRetries = async <T>(store: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + STORE_RETRY_TIMEOUT_MS
  for (;;) {
    try {
      return await withTimeout(store())
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(STORE_RETRY_DELAY_MS)
    }
  }
}
