/**
 * Writes the article of a generation and stores it. What must be done is told by the generation's row
 * alone, so that it can be called again at any time, and by a second worker while the first still runs.
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
  /** Tells the open dashboards. */
  publishChange: PublishChange
}

/** Where the generation stands after the call. */
export type WriteResult =
  | GenerationDetails
  /** The provider failed for the `failures`th time and may be asked again. */
  | { status: 'RUNNING'; failure: ProviderError; failures: number }
  /** Another run owns it, or it is gone with its project: nothing is left to do. */
  | 'not ours'

/** Progress is written at most twice a second; no later than this a writer sees that it was cancelled. */
const PROGRESS_EVERY_MS = 500
/** How often and for how long storing is tried, in ms; each try may take some seconds. */
const STORE_AGAIN_MS = 1_000
const STORE_FOR_MS = STORE_TIMEOUT_MS * 0.8
/** Characters: with each, half of the way that is left counts as done, for the whole is not known. */
const HALF_LENGTH = 3_000

/**
 * Asks the provider of the generation's mode for the article, if it is RUNNING in this run.
 * @throws the reason of `signal` when that ended it; otherwise only what is a failure of our own.
 */
export const writeGeneration = async (
  deps: WriterDeps,
  job: Job,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const generation = await standing(deps.sql, job)
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
  const draft = await draftFrom(providers[generation.mode], generation, job, deps, signal)
  if (draft instanceof ProviderError) {
    const { code, message, options } = draft
    const counted = await stored(() =>
      recordFailure(sql, job, generation.failures, { code, message }, options.final ?? false),
    )
    if (counted?.failed === false)
      return { status: 'RUNNING', failure: draft, failures: counted.failures }
  } else if (draft !== 'ended') await stored(() => completeGeneration(sql, job, draft))
  const after = await standing(sql, job)
  if (after !== 'not ours' && after.status !== 'QUEUED' && after.status !== 'RUNNING')
    meter.recordGeneration(after.status)
  return after
}

const standing = async (sql: Sql, { id, run }: Job): Promise<GenerationDetails | 'not ours'> => {
  const generation = await withTimeout(loadGeneration(sql, id))
  return generation?.run === run ? generation : 'not ours'
}

/** 'ended' when the generation was, meanwhile. */
const draftFrom = async (
  provider: ArticleProvider,
  generation: GenerationDetails,
  job: Job,
  { sql, publishChange }: WriterDeps,
  signal: AbortSignal,
): Promise<ArticleDraft | ProviderError | 'ended'> => {
  let length = 0
  const report = startReport(() => {
    publishChange(generation, 'generations')
    return recordProgress(sql, job, percent(length))
  })
  try {
    let answer = ''
    const pieces = provider.write(
      assignment(job.id, generation),
      AbortSignal.any([signal, report.ended]),
    )
    for await (const piece of pieces) {
      answer += piece
      length = answer.length
    }
    return parseDraft(answer, generation.keyword)
  } catch (error) {
    signal.throwIfAborted()
    if (report.ended.aborted) return 'ended'
    if (error instanceof ProviderError) return error
    throw error
  } finally {
    await report.stop()
  }
}

/** Calls `report` again and again. `ended` is aborted when it answers that nobody waits any more. */
const startReport = (report: () => Promise<boolean>) => {
  const ended = new AbortController()
  const stop = new AbortController()
  const reporting = (async () => {
    while (!stop.signal.aborted && !ended.signal.aborted) {
      await sleep(PROGRESS_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return
      // What Postgres misses is made up for by the next report.
      const isWanted = await withTimeout(report()).catch(() => true)
      if (!isWanted) ended.abort()
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

const assignment = (seed: string, generation: GenerationDetails): ArticleRequest => ({
  seed,
  keyword: generation.keyword,
  instructions: generation.instructions,
  project: {
    name: generation.projectName,
    domain: generation.projectDomain,
    language: generation.projectLanguage,
  },
})

/** Tries for a while: what is lost here is paid for again. Trying again stores nothing twice. */
const stored = async <T>(store: () => Promise<T>): Promise<T> => {
  const giveUp = performance.now() + STORE_FOR_MS
  for (;;) {
    try {
      return await withTimeout(store())
    } catch (error) {
      if (performance.now() > giveUp) throw error
      await sleep(STORE_AGAIN_MS)
    }
  }
}
