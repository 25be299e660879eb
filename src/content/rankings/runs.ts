import type { Sql, Tx } from '../../db/connect'
import type { Log } from '../../log'
import { finishProjects, isTracked, isUnrankedIn, takeDueProjects } from './due-projects'
import { BATCH_SIZE, CONCURRENT_SEARCHES, RUN_LATE_MS } from './policy'

/** The scheduled runs of the rank tracking (contract 6.20), as `rank_runs` records them. */

/** Keywords of a shard: those after the id `after`, up to and including `until`; null is open. */
type ShardRange = { after: string | null; until: string | null }

/** `searches`: concurrent ones of each shard. `scheduled`: as of `TrackingBatch`. */
export type RankRunPlan = { shards: ShardRange[]; searches: number; scheduled: true }

export type RankRunEnd = {
  ranked: number
  failed: number
  problem: string | null
  /** The provider refuses the key, or its account has no credit. */
  isRefused?: boolean
}

/** Called after the commit with the accounts whose projects and runs have changed. */
type Changed = (accountIds: readonly string[]) => void

const DAY_MS = 24 * 3_600_000

/**
 * Records the start of a run of the projects that are due, and divides their keywords into shards of the same size, for
 * at most `inFlight` concurrent searches together; no shards where none is due. A run before it that has no end gets
 * one. What was not checked is logged. A second call for the same run changes nothing.
 */
export const beginRankRun = async (
  sql: Sql,
  run: string,
  inFlight: number,
  log: Log,
  changed: Changed,
): Promise<RankRunPlan> => {
  const accounts: string[] = []
  await sql.begin(async transaction => {
    const tx = transaction as Tx
    const [open] = await tx<[{ startedAt: Date }?]>`
      SELECT started_at AS "startedAt" FROM rank_runs
      WHERE started_at < ${run} AND finished_at IS NULL ORDER BY started_at DESC LIMIT 1 FOR UPDATE`
    if (open !== undefined) {
      const problem = 'Its workflow ended before its last keyword.'
      await endRankRun(
        tx,
        open.startedAt.toISOString(),
        { ranked: 0, failed: 0, problem },
        log,
        ids => accounts.push(...ids),
      )
    }
    const { projects, dueSince, accounts: ofDue } = await takeDueProjects(tx, run)
    accounts.push(...ofDue)
    if (projects === 0 || dueSince === null) return
    const missedDays = Math.floor((Date.parse(run) - dueSince.getTime()) / DAY_MS)
    await tx`
      INSERT INTO rank_runs (started_at, keywords, missed_days)
      VALUES (${run}, ${await countUnranked(tx, run)}, ${missedDays})`
    if (missedDays > 0)
      log.warn(
        { run },
        `There was no rank tracking for ${missedDays} days before this run: projects were due at ${dueSince.toISOString()}. Check the schedule in Temporal, and that workers run.`,
      )
  })
  changed(accounts)
  const keywords = await countUnranked(sql, run)
  if (keywords === 0) return { shards: [], searches: 0, scheduled: true }
  const most = Math.max(1, Math.floor(inFlight / CONCURRENT_SEARCHES))
  const shards = Math.max(1, Math.min(most, Math.ceil(keywords / BATCH_SIZE)))
  return {
    shards: await splitKeywords(sql, run, Math.max(1, Math.ceil(keywords / shards))),
    searches: Math.min(CONCURRENT_SEARCHES, inFlight),
    scheduled: true,
  }
}

/** Records and logs that a run has taken longer than a day. It goes on. */
export const reportLateRankRun = async (sql: Sql, run: string, log: Log): Promise<void> => {
  const unranked = await countUnranked(sql, run)
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
  { ranked, failed, problem, isRefused = false }: RankRunEnd,
  log: Log,
  changed: Changed,
): Promise<number> => {
  const unranked = problem === null ? 0 : await countUnranked(db, run)
  const [row] = await db<[{ hours: number }?]>`
    UPDATE rank_runs
    SET ranked = greatest(ranked, ${ranked}), failed = ${failed}, unranked = ${unranked},
      problem = ${problem}, finished_at = clock_timestamp()
    WHERE started_at = ${run}
    RETURNING extract(epoch FROM clock_timestamp() - started_at)::float8 / 3600 AS hours`
  const error = isRefused ? 'provider_rejected' : 'provider_unavailable'
  changed(await finishProjects(db, run, problem === null ? null : error))
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

/** The keywords of a run that have no ranking of it, nor of the run that it repeats. */
const countUnranked = async (db: Sql | Tx, run: string): Promise<number> => {
  const [{ count }] = await db<[{ count: number }]>`
    SELECT count(*)::int FROM keywords k JOIN projects p ON p.id = k.project_id
    WHERE ${isTracked(db)} AND ${isUnrankedIn(db, run)}`
  return count
}

/** Ranges of `size` keywords. The last one is open, for keywords that are created meanwhile. */
const splitKeywords = async (sql: Sql, run: string, size: number): Promise<ShardRange[]> => {
  const ends = await sql<{ id: string }[]>`
    SELECT id FROM (
      SELECT k.id, row_number() OVER (ORDER BY k.id) AS position, count(*) OVER () AS total
      FROM keywords k JOIN projects p ON p.id = k.project_id
      WHERE ${isTracked(sql)} AND ${isUnrankedIn(sql, run)}
    ) numbered
    WHERE position % ${size} = 0 AND position < total
    ORDER BY id`
  const bounds = ends.map(({ id }) => id)
  return [null, ...bounds].map((after, n) => ({ after, until: bounds[n] ?? null }))
}
