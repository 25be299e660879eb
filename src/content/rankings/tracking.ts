import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { BATCH_SIZE, CONCURRENT_SEARCHES, MAX_FAILURES_IN_A_ROW } from './policy'
import { type SerpProvider, SerpProviderError, type SerpQuery } from './serp-provider'
import { recordRanking } from './store'

/** Some of the tracked keywords: those after the id `after`, in the run that began at `run`. */
export type TrackingBatch = { run: string; after: string | null }

/** A batch, and which try of it this is, from 1. */
export type BatchAttempt = TrackingBatch & { attempt: number }

export type BatchResult = {
  /** The id to go on after; null when these were the last. */
  last: string | null
  /** With a ranking from this run. */
  ranked: number
  /** With an answer that could not be used, and why, the last time. */
  failed: number
  unusable?: SerpProviderError
  /** Without an answer: to be asked again; and why, the last time. */
  unanswered: number
  unavailable?: SerpProviderError
}

type Tracked = SerpQuery &
  Tenant & {
    id: string
    /** In this run already, by an earlier try of its batch. */
    done: boolean
  }

/**
 * Asks `source` for the positions of a batch of tracked keywords, and records each as
 * `POST /keywords/<id>/rankings` does. Doing it again asks only for what has no ranking of this run, and
 * begins where a try before it may have given up: keywords without an answer are not in others' way.
 * Live keywords alone: test mode is free, and a source is paid for. A project without a domain has
 * nothing to be found. `committed` is called after each ranking, with whose it is, for it fires an event.
 * @throws {SerpProviderError} when the source refuses us; the reason of `signal`; a failure of our own.
 */
export const trackBatch = async (
  {
    sql,
    source,
    committed,
  }: { sql: Sql; source: SerpProvider; committed: (tenant: Tenant) => void },
  { run, after, attempt }: BatchAttempt,
  signal: AbortSignal,
): Promise<BatchResult> => {
  const keywords = await nextBatch(sql, run, after)
  const last = keywords.length < BATCH_SIZE ? null : (keywords.at(-1)?.id ?? null)
  const first = ((attempt - 1) * MAX_FAILURES_IN_A_ROW) % Math.max(1, keywords.length)
  const inTurn = [...keywords.slice(first), ...keywords.slice(0, first)]
  const waiting = inTurn.filter(one => !one.done)
  const batch: BatchResult = {
    last,
    ranked: keywords.length - waiting.length,
    failed: 0,
    unanswered: 0,
  }
  let silent = 0
  const track = async (one: Tracked) => {
    const { id, accountId, mode, done: _, ...search } = one
    try {
      const found = await source.findRanking(search, signal)
      silent = 0
      if (!(await record(sql, one, run, found))) return
      batch.ranked++
      committed(one)
    } catch (error) {
      const problem = asProblem(error)
      if (problem.reason === 'unusable') {
        silent = 0
        batch.failed++
        batch.unusable = problem
        return
      }
      batch.unanswered++
      batch.unavailable = problem
      silent = problem.retryAfterMs === undefined ? silent + 1 : MAX_FAILURES_IN_A_ROW
      if (silent >= MAX_FAILURES_IN_A_ROW) batch.unanswered += waiting.splice(0).length
    }
  }
  const trackSome = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await track(one)
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENT_SEARCHES }, trackSome))
  } finally {
    waiting.length = 0 // After a failure nobody goes on.
  }
  return batch
}

const nextBatch = (sql: Sql, run: string, after: string | null) => sql<Tracked[]>`
  SELECT k.id, k.account_id AS "accountId", k.mode, k.keyword, k.country, p.language, k.device,
    p.domain, coalesce(k.rank_run_at >= ${run}, false) AS done
  FROM keywords k JOIN projects p ON p.id = k.project_id
  WHERE k.tracked AND k.mode = 'live' AND k.deleted_at IS NULL
    AND p.deleted_at IS NULL AND p.domain IS NOT NULL
    ${after === null ? sql`` : sql`AND k.id > ${after}`}
  ORDER BY k.id LIMIT ${BATCH_SIZE}`

/** False, and nothing stored, when the keyword is gone, or no longer tracked, or has one of this run. */
const record = async (
  sql: Sql,
  { id, accountId, mode }: Tracked,
  run: string,
  found: Parameters<typeof recordRanking>[3],
): Promise<boolean> => {
  const recorded = sql.begin(async tx => {
    const [mine] = await tx`
      UPDATE keywords SET rank_run_at = ${run}
      WHERE id = ${id} AND tracked AND (rank_run_at IS NULL OR rank_run_at < ${run})
      RETURNING id`
    if (mine === undefined) return false
    await recordRanking(tx, { accountId, mode }, id, found)
    return true
  }) as Promise<boolean>
  return await recorded.catch(error => {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return false
    throw error
  })
}

/** What ends the batch is thrown on: a refusal, our own failure, the end of the worker. */
const asProblem = (error: unknown): SerpProviderError => {
  if (error instanceof SerpProviderError && error.reason !== 'refused') return error
  if (error instanceof DomainError) return new SerpProviderError('unusable', error.message)
  throw error
}
