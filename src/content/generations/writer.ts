/**
 * Writes the article of a generation and stores it. The row of the generation is the only state, so the call can be
 * repeated at any time, also by a second worker while the first one still runs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../caller'
import { type Sql, withTimeout } from '../../db/connect'
import type { Meter } from '../../metrics/meter'
import type { PublishChange } from '../../notifications/changes'
import type { Job } from '../../outbox/outbox'
import { type ArticleDraft, parseDraft } from './draft'
import { type ArticleProvider, type ArticleRequest, ProviderError } from './providers/provider'
import { STORE_TIMEOUT_MS } from './retry-schedule'
import {
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
  /** Publishes changes to open dashboards. */
  publishChange: PublishChange
}

/** The state of the generation after the call. */
type WriteResult =
  | GenerationDetails
  /** The provider failed, `failures` times so far, and may be called again. */
  | { status: 'RUNNING'; failure: ProviderError; failures: number }
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
 * Gets the article from the provider of the generation's mode and stores it, if the generation is RUNNING in this run.
 * @throws the reason of `signal`, or an internal error. A failure of the provider is part of the result.
 */
export const writeGeneration = async (
  deps: WriterDeps,
  job: Job,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const generation = await loadCurrent(deps.sql, job)
  if (generation === 'not ours' || generation.status !== 'RUNNING') return generation
  deps.publishChange(generation, 'generations')
  try {
    return await writeRunning(deps, job, generation, signal)
  } finally {
    deps.publishChange(generation, 'generations', 'articles', 'deliveries')
  }
}

const writeRunning = async (
  deps: WriterDeps,
  job: Job,
  generation: GenerationDetails,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const { sql, providers, meter } = deps
  const draft = await getDraft(providers[generation.mode], generation, job, deps, signal)
  if (draft instanceof ProviderError) {
    const { code, message, options } = draft
    const recorded = await storeWithRetries(() =>
      recordFailure(sql, job, generation.failures, { code, message }, options.final ?? false),
    )
    if (recorded?.failed === false)
      return { status: 'RUNNING', failure: draft, failures: recorded.failures }
  } else if (draft !== 'ended') await storeWithRetries(() => completeGeneration(sql, job, draft))
  const after = await loadCurrent(sql, job)
  if (after !== 'not ours' && after.status !== 'QUEUED' && after.status !== 'RUNNING')
    meter.recordGeneration(after.status)
  return after
}

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
