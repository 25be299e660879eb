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
import type { Admission } from '../provider-limits/limiter'
import { type ArticleDraft, parseDraft } from './draft'
import { offlineProvider } from './providers/offline'
import { type ArticleProvider, type ArticleRequest, ProviderError } from './providers/provider'
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
  providers: { [mode in Mode]: ArticleProvider }
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
  const { limiter } = providerOf(deps, queued)
  const admission = await limiter?.admit(signal)
  try {
    if (limiter !== undefined && admission === undefined)
      return { status: queued.status, waitMs: limiter.returnMs() }
    if (queued.status === 'QUEUED') {
      await withTimeout(beginGeneration(deps.sql, job))
      deps.committed()
    }
    const generation = await loadCurrent(deps.sql, job)
    if (!isOpen(generation)) return generation
    deps.publishChange(generation, 'generations', 'deliveries')
    return await writeRunning(deps, job, generation, signal, admission)
  } finally {
    admission?.end()
    deps.publishChange(queued, 'generations', 'articles', 'deliveries')
  }
}

/** A generation that was queued as an offline draft stays one: it was not taken from the quota. */
const providerOf = ({ providers }: WriterDeps, { mode, offlineDraft }: GenerationDetails) =>
  offlineDraft && !providers[mode].isOffline ? offlineProvider : providers[mode]

type OpenGeneration = GenerationDetails & { status: 'QUEUED' | 'RUNNING' }

const isOpen = (generation: GenerationDetails | 'not ours'): generation is OpenGeneration =>
  generation !== 'not ours' && (generation.status === 'QUEUED' || generation.status === 'RUNNING')

const writeRunning = async (
  deps: WriterDeps,
  job: Job,
  generation: OpenGeneration,
  signal: AbortSignal,
  admission: Admission | undefined,
): Promise<WriteResult> => {
  const { sql, meter } = deps
  const provider = providerOf(deps, generation)
  const draft = await getDraft(provider, generation, job, deps, signal, admission)
  if (draft instanceof ProviderError) {
    const { code, message, options } = draft
    if (provider.limiter !== undefined && code === 'provider_rate_limited' && mayWait(generation))
      return { status: 'RUNNING', waitMs: provider.limiter.returnMs() }
    reportFailure(deps, job.id, provider.name, draft)
    const recorded = await storeWithRetries(() =>
      recordFailure(
        sql,
        job,
        generation.failures,
        { code, message },
        options.final === true || code === 'provider_rate_limited',
      ),
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
const mayWait = ({ startedAt }: GenerationDetails): boolean =>
  startedAt === null || Date.now() - startedAt.getTime() < RATE_LIMITED_TIMEOUT_MS

const loadCurrent = async (sql: Sql, { id, run }: Job): Promise<GenerationDetails | 'not ours'> => {
  const generation = await withTimeout(loadGeneration(sql, id))
  return generation?.run === run ? generation : 'not ours'
}

/** `ended`: the generation became final meanwhile. */
const getDraft = async (
  provider: ArticleProvider,
  generation: GenerationDetails,
  job: Job,
  { sql, publishChange }: WriterDeps,
  signal: AbortSignal,
  admission: Admission | undefined,
): Promise<ArticleDraft | ProviderError | 'ended'> => {
  let length = 0
  const report = startReporting(() => {
    publishChange(generation, 'generations')
    return recordProgress(sql, job, percent(length))
  })
  try {
    let text = ''
    const pieces = provider.write(
      toArticleRequest(job.id, generation),
      AbortSignal.any([signal, report.ended]),
      admission,
    )
    for await (const piece of pieces) {
      text += piece
      length = text.length
    }
    return parseDraft(text, generation.keyword)
  } catch (error) {
    signal.throwIfAborted()
    if (report.ended.aborted) return 'ended'
    if (error instanceof ProviderError) return error
    throw error
  } finally {
    await report.stop()
  }
}

/** Calls `report` at an interval. The signal `ended` is aborted when it returns false. */
const startReporting = (report: () => Promise<boolean>) => {
  const ended = new AbortController()
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
  return {
    ended: ended.signal,
    stop: () => {
      stop.abort()
      return reporting
    },
  }
}

const percent = (length: number): number =>
  Math.min(99, Math.floor(100 - 100 / 2 ** (length / HALF_LENGTH)))

const toArticleRequest = (seed: string, generation: GenerationDetails): ArticleRequest => ({
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
