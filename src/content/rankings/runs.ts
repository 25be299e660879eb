import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import type { Log } from '../../log'
import { BATCH_SIZE, CONCURRENT_SEARCHES, RUN_LATE_MS } from './policy'

/** The daily runs of the rank tracking (contract 6.3), as `rank_runs` records them. */

/** Keywords of a shard: those after the id `after`, up to and including `until`; null is open. */
type ShardRange = { after: string | null; until: string | null }

/** `searches`: concurrent ones of each shard. */
export type RankRunPlan = { shards: ShardRange[]; searches: number }

export type RankRunEnd = { ranked: number; failed: number; problem: string | null }

/** How much later than a day after the last one a run may start and be that of the next day, in ms. */
const START_TOLERANCE_MS = 3_600_000

/** SQL conditions on keyword `k` and its project `p`: the keyword is checked every day. */
export const isTracked = (db: Db): Fragment => db`
  k.tracked AND k.mode = 'live' AND k.deleted_at IS NULL
  AND p.deleted_at IS NULL AND p.domain IS NOT NULL`

/**
 * Records the start of a run, and divides its keywords into shards of the same size, for at most `inFlight` concurrent
 * searches together. A run before it that has no end gets one. What was not checked is logged. A second call for the
 * same run changes nothing.
 */
export const beginRankRun = async (
  sql: Sql,
  run: string,
  inFlight: number,
  log: Log,
): Promise<RankRunPlan> => {
  const keywords = await countKeywords(sql)
  await sql.begin(async transaction => {
    const tx = transaction as Tx
    const [last] = await tx<[{ startedAt: Date; isOpen: boolean }?]>`
      SELECT started_at AS "startedAt", finished_at IS NULL AS "isOpen" FROM rank_runs
      WHERE started_at < ${run} ORDER BY started_at DESC LIMIT 1 FOR UPDATE`
    const missedDays = last === undefined ? 0 : daysBetween(last.startedAt, new Date(run))
    const begun = await tx`
      INSERT INTO rank_runs (started_at, keywords, missed_days)
      VALUES (${run}, ${keywords}, ${missedDays})
      ON CONFLICT DO NOTHING RETURNING 1`
    if (last === undefined || begun.length === 0) return
    if (last.isOpen) {
      const problem = 'Its workflow ended before its last keyword.'
      await endRankRun(tx, last.startedAt.toISOString(), { ranked: 0, failed: 0, problem }, log)
    }
    if (missedDays > 0)
      log.warn(
        { run },
        `There was no rank tracking for ${missedDays} days before this run: the last one began at ${last.startedAt.toISOString()}. Check the schedule in Temporal, and that workers run.`,
      )
  })
  const most = Math.max(1, Math.floor(inFlight / CONCURRENT_SEARCHES))
  const shards = Math.max(1, Math.min(most, Math.ceil(keywords / BATCH_SIZE)))
  return {
    shards: await splitKeywords(sql, Math.max(1, Math.ceil(keywords / shards))),
    searches: Math.min(CONCURRENT_SEARCHES, inFlight),
  }
}

/** Records and logs that a run has taken longer than a day. It goes on. */
export const reportLateRankRun = async (sql: Sql, run: string, log: Log): Promise<void> => {
  const unranked = await countKeywords(sql, run)
  await sql`
    UPDATE rank_runs SET unranked = ${unranked} WHERE started_at = ${run} AND finished_at IS NULL`
  log.warn(
    { run, unranked },
    `The rank tracking that began at ${run} has taken a day, and ${unranked} keywords have no new ranking. It goes on, and the next run begins when it ends. Raise ARDEN_SERP_IN_FLIGHT, or the rate limit of the SERP provider.`,
  )
}

/** Records the end of a run. Returns, and logs, how many keywords have no ranking of it because it ended early. */
export const endRankRun = async (
  db: Sql | Tx,
  run: string,
  { ranked, failed, problem }: RankRunEnd,
  log: Log,
): Promise<number> => {
  const unranked = problem === null ? 0 : await countKeywords(db, run)
  const [row] = await db<[{ hours: number }?]>`
    UPDATE rank_runs
    SET ranked = greatest(ranked, ${ranked}), failed = ${failed}, unranked = ${unranked},
      problem = ${problem}, finished_at = clock_timestamp()
    WHERE started_at = ${run}
    RETURNING extract(epoch FROM clock_timestamp() - started_at)::float8 / 3600 AS hours`
  if (row === undefined) return unranked
  if (problem !== null)
    log.warn(
      { run, ranked, failed, unranked },
      `The rank tracking that began at ${run} ended, and ${unranked} keywords have no new ranking. ${problem}`,
    )
  else if (row.hours * 3_600_000 > RUN_LATE_MS)
    log.warn(
      { run, ranked, failed },
      `The rank tracking that began at ${run} took ${row.hours.toFixed(1)} hours, longer than a day.`,
    )
  return unranked
}

/** Adds what the provider charged for searches of a run, in US dollars. */
export const addCharges = async (
  sql: Sql,
  run: string,
  { searches, usd }: { searches: number; usd: number },
): Promise<void> => {
  if (searches === 0) return
  await sql`
    UPDATE rank_runs SET searches = searches + ${searches}, cost_usd = cost_usd + ${usd}
    WHERE started_at = ${run}`
}

/** Tracked keywords; those without a ranking of `run`, if it is given. */
const countKeywords = async (db: Sql | Tx, run?: string): Promise<number> => {
  const [{ count }] = await db<[{ count: number }]>`
    SELECT count(*)::int FROM keywords k JOIN projects p ON p.id = k.project_id
    WHERE ${isTracked(db)}
      ${run === undefined ? db`` : db`AND (k.rank_run_at IS NULL OR k.rank_run_at < ${run})`}`
  return count
}

/** Ranges of `size` keywords. The last one is open, for keywords that are created meanwhile. */
const splitKeywords = async (sql: Sql, size: number): Promise<ShardRange[]> => {
  const ends = await sql<{ id: string }[]>`
    SELECT id FROM (
      SELECT k.id, row_number() OVER (ORDER BY k.id) AS position, count(*) OVER () AS total
      FROM keywords k JOIN projects p ON p.id = k.project_id
      WHERE ${isTracked(sql)}
    ) numbered
    WHERE position % ${size} = 0 AND position < total
    ORDER BY id`
  const bounds = ends.map(({ id }) => id)
  return [null, ...bounds].map((after, n) => ({ after, until: bounds[n] ?? null }))
}

const daysBetween = (last: Date, next: Date): number => {
  const ms = next.getTime() - last.getTime() + START_TOLERANCE_MS
  return Math.max(0, Math.floor(ms / (24 * 3_600_000)) - 1)
}
