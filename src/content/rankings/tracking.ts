import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { createTally } from './charges'
import { isTracked } from './due-projects'
import { BATCH_SIZE, CONCURRENT_SEARCHES, MAX_FAILURES_IN_A_ROW } from './policy'
import {
  type SerpFailureReason,
  type SerpProvider,
  SerpProviderError,
  type SerpQuery,
} from './serp/provider'
import { recordRanking } from './store'

/** The tracked keywords after the id `after`, up to `until`, in the run that started at `run`. */
export type TrackingBatch = {
  run: string
  after: string | null
  /** Absent, with `searches`, in runs that a version without shards started. */
  until?: string | null
  /** Concurrent searches. */
  searches?: number
  /** Only keywords of the projects that are in the scheduled run. Absent in runs that an older version started. */
  scheduled?: true
  /** Only keywords of this project, in a run that was requested. */
  projectId?: string
}

/** `attempt` counts from 1. */
type BatchAttempt = TrackingBatch & { attempt: number }

type BatchResult = {
  /** The id to continue after; null with the last keyword. */
  last: string | null
  /** Keywords with a ranking of this run. */
  ranked: number
  /** Keywords with an unusable response, and the last reason. */
  failed: number
  unusable?: SerpProviderError
  /** Keywords without a response, which the next attempt searches again, and the last reason. */
  noResponse: number
  unavailable?: SerpProviderError
  /** The rate limit of the provider permits no request now: the time in ms after which the batch is repeated. */
  rateLimitedMs?: number
}

type TrackedKeyword = SerpQuery &
  Tenant & {
    id: string
    projectId: string
    /** Has a ranking of this run from an earlier attempt. */
    done: boolean
  }

/**
 * Gets the rankings of a batch of tracked keywords from the provider, and stores each like
 * `POST /keywords/<id>/rankings` (contract 6.3). A further attempt searches only keywords without a ranking of this run,
 * and begins with later ones, so that keywords without a response do not block the others. Live keywords of projects
 * with a domain only: test mode is free, and searches cost money.
 * @param deps.committed called with the tenant after each stored ranking, which may have fired an event.
 * @throws {SerpProviderError} when the provider refuses the key, or its account has no credit; the reason of `signal`; an internal error.
 */
export const trackBatch = async (
  {
    sql,
    provider,
    committed,
  }: { sql: Sql; provider: SerpProvider; committed: (tenant: Tenant) => void },
  { attempt, ...input }: BatchAttempt,
  signal: AbortSignal,
): Promise<BatchResult> => {
  const { run, searches = CONCURRENT_SEARCHES } = input
  // One more than a batch shows whether this is the last one.
  const next = await nextBatch(sql, input, BATCH_SIZE + 1)
  const keywords = next.slice(0, BATCH_SIZE)
  const last = next.length > BATCH_SIZE ? (keywords.at(-1)?.id ?? null) : null
  const first = ((attempt - 1) * MAX_FAILURES_IN_A_ROW) % Math.max(1, keywords.length)
  const ordered = [...keywords.slice(first), ...keywords.slice(0, first)]
  const pending = ordered.filter(one => !one.done)
  const batch: BatchResult = {
    last,
    ranked: keywords.length - pending.length,
    failed: 0,
    noResponse: 0,
  }
  const tally = createTally()
  let failuresInARow = 0
  const track = async (keyword: TrackedKeyword) => {
    const { id, accountId, mode, projectId, done: _, ...query } = keyword
    try {
      const ranking = await provider.findRanking(query, signal, usd => tally.charge(projectId, usd))
      failuresInARow = 0
      if (!(await storeRanking(sql, keyword, run, ranking))) return
      batch.ranked++
      tally.ranked(projectId)
      committed(keyword)
    } catch (error) {
      const failure = toSearchFailure(error)
      if (failure.reason === 'unusable') {
        failuresInARow = 0
        batch.failed++
        batch.unusable = failure
        return
      }
      batch.noResponse++
      batch.unavailable = failure
      if (failure.reason === 'rate limited') batch.rateLimitedMs = failure.retryAfterMs ?? 0
      failuresInARow =
        failure.retryAfterMs === undefined ? failuresInARow + 1 : MAX_FAILURES_IN_A_ROW
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW) batch.noResponse += pending.splice(0).length
    }
  }
  const trackNext = async () => {
    for (let one = pending.shift(); one !== undefined; one = pending.shift()) await track(one)
  }
  try {
    await Promise.all(Array.from({ length: searches }, trackNext))
  } finally {
    // After an error, stops the other searches.
    pending.length = 0
    await tally.save(sql, run)
  }
  return batch
}

const nextBatch = (
  sql: Sql,
  { run, after, until = null, scheduled, projectId }: TrackingBatch,
  limit: number,
) => sql<TrackedKeyword[]>`
  SELECT k.id, k.project_id AS "projectId", k.account_id AS "accountId", k.mode, k.keyword, k.country, p.language, k.device,
    p.domain, p.domain_match, coalesce(k.rank_run_at >= ${scheduled ? sql`p.rank_from` : run}, false) AS done
  FROM keywords k JOIN projects p ON p.id = k.project_id
  WHERE ${isTracked(sql)}
    ${scheduled ? sql`AND p.rank_run_at = ${run}` : sql``}
    ${projectId === undefined ? sql`` : sql`AND k.project_id = ${projectId}`}
    ${after === null ? sql`` : sql`AND k.id > ${after}`}
    ${until === null ? sql`` : sql`AND k.id <= ${until}`}
  ORDER BY k.id LIMIT ${limit}`

/** Returns false and stores nothing when the keyword was deleted, is not tracked, or has a ranking of this run. */
const storeRanking = async (
  sql: Sql,
  { id, accountId, mode }: TrackedKeyword,
  run: string,
  ranking: Parameters<typeof recordRanking>[3],
): Promise<boolean> => {
  const stored = sql.begin(async tx => {
    const [claimed] = await tx`
      UPDATE keywords SET rank_run_at = ${run}
      WHERE id = ${id} AND tracked AND (rank_run_at IS NULL OR rank_run_at < ${run})
      RETURNING id`
    if (claimed === undefined) return false
    await recordRanking(tx, { accountId, mode }, id, ranking)
    return true
  }) as Promise<boolean>
  return await stored.catch(error => {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return false
    throw error
  })
}

/**
 * The failure of one search. Rethrows what ends the batch: a refused key, an account without credit, an internal error,
 * the end of the worker.
 */
const toSearchFailure = (error: unknown): SerpProviderError => {
  if (error instanceof SerpProviderError && !ENDS_RUN.has(error.reason)) return error
  if (error instanceof DomainError) return new SerpProviderError('unusable', error.message)
  throw error
}

const ENDS_RUN = new Set<SerpFailureReason>(['refused', 'out of credit'])
