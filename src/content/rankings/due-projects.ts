import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import { newId } from '../../ids'
import { nextRankRunAt } from '../projects/next-rank-run'
import type { RankSchedule } from '../projects/schema'
import { RUN_RETRY_MS } from './policy'
import type { RunErrorCode } from './run-schema'

/** The projects of a scheduled run of the rank tracking (contract 6.20), and what it did for each. */

/** SQL condition on project `p`: its keywords are checked on a schedule. */
const isScheduled = (db: Sql | Tx): Fragment => db`
  p.mode = 'live' AND p.deleted_at IS NULL AND p.domain IS NOT NULL AND p.rank_schedule <> 'off'`

/** SQL condition on keyword `k` of a scheduled project: it is tracked. */
const isTrackedKeyword = (db: Db): Fragment =>
  db`k.tracked AND k.mode = 'live' AND k.deleted_at IS NULL`

/** SQL conditions on keyword `k` and its project `p`: the keyword can be checked. */
export const isTracked = (db: Db): Fragment => db`
  ${isTrackedKeyword(db)} AND p.deleted_at IS NULL AND p.domain IS NOT NULL`

/** SQL conditions on keyword `k` and its project `p`: a scheduled run still has to check it. */
export const isUnrankedIn = (db: Sql | Tx, run: string): Fragment => db`
  p.rank_run_at = ${run} AND (k.rank_run_at IS NULL OR k.rank_run_at < p.rank_from)`

/**
 * Takes the projects that are due at `run` (ISO 8601) into that run, and sets when each is due next. Those without a
 * tracked keyword are in no run. Returns how many are in it, since when the oldest was due, and the accounts of all.
 */
export const takeDueProjects = async (
  tx: Tx,
  run: string,
): Promise<{ projects: number; dueSince: Date | null; accounts: string[] }> => {
  const isDue = tx`${isScheduled(tx)} AND p.rank_due_at <= ${run}`
  const schedules = await tx<{ rank_schedule: RankSchedule; time_zone: string }[]>`
    SELECT DISTINCT rank_schedule, time_zone FROM projects p WHERE ${isDue}`
  if (schedules.length === 0) return { projects: 0, dueSince: null, accounts: [] }
  const next = schedules.map(one => nextRankRunAt(one, new Date(run))?.toISOString() ?? null)
  const taken = await tx<{ id: string; account_id: string; due_at: Date; keywords: number }[]>`
    WITH due AS MATERIALIZED (
      SELECT p.id, p.rank_due_at AS due_at, (
        SELECT count(*)::int FROM keywords k
        WHERE k.project_id = p.id AND ${isTrackedKeyword(tx)}
          AND (p.rank_from IS NULL OR k.rank_run_at IS NULL OR k.rank_run_at < p.rank_from)
      ) AS keywords
      FROM projects p WHERE ${isDue} ORDER BY p.id FOR NO KEY UPDATE OF p
    )
    UPDATE projects p SET
      rank_due_at = s.next,
      rank_run_at = CASE WHEN due.keywords > 0 THEN ${run}::timestamptz ELSE p.rank_run_at END,
      rank_from = CASE WHEN due.keywords > 0 THEN coalesce(p.rank_from, ${run}::timestamptz) END
    FROM due, unnest(
      ${schedules.map(one => one.rank_schedule)}::text[],
      ${schedules.map(one => one.time_zone)}::text[],
      ${next}::timestamptz[]
    ) AS s (rank_schedule, time_zone, next)
    WHERE p.id = due.id AND p.rank_schedule = s.rank_schedule AND p.time_zone = s.time_zone
    RETURNING p.id, p.account_id, due.due_at, due.keywords`
  const accounts = [...new Set(taken.map(one => one.account_id))]
  const inRun = taken.filter(({ keywords }) => keywords > 0)
  if (inRun.length === 0) return { projects: 0, dueSince: null, accounts }
  await tx`
    INSERT INTO project_rank_runs
      (id, account_id, mode, project_id, origin, status, run_at, keywords)
    SELECT id, account_id, 'live', project_id, 'schedule', 'RUNNING', ${run}, keywords FROM unnest(
      ${inRun.map(() => newId('rrn'))}::text[], ${inRun.map(one => one.account_id)}::text[],
      ${inRun.map(one => one.id)}::text[], ${inRun.map(one => one.keywords)}::int[]
    ) AS one (id, account_id, project_id, keywords)`
  const dueSince = new Date(Math.min(...inRun.map(one => one.due_at.getTime())))
  return { projects: inRun.length, dueSince, accounts }
}

/**
 * Records what a scheduled run did for each project. With an `error`, projects with keywords that it did not check are
 * due again in an hour, for these keywords alone. Returns their accounts.
 */
export const finishProjects = async (
  db: Sql | Tx,
  run: string,
  error: RunErrorCode | null,
): Promise<string[]> => {
  const isUnfinished = db`${error !== null}::boolean AND c.unranked > 0`
  const finished = await db<{ account_id: string }[]>`
    WITH c AS MATERIALIZED (
      SELECT r.id, r.project_id,
        count(k.id) FILTER (WHERE k.rank_run_at >= r.run_at)::int AS ranked,
        count(k.id) FILTER (WHERE k.rank_run_at IS NULL OR k.rank_run_at < p.rank_from)::int AS unranked
      FROM project_rank_runs r JOIN projects p ON p.id = r.project_id
      LEFT JOIN keywords k ON k.project_id = p.id AND ${isTrackedKeyword(db)}
      WHERE r.run_at = ${run} AND r.status = 'RUNNING' AND r.origin = 'schedule'
      GROUP BY r.id
    ), recorded AS (
      UPDATE project_rank_runs r SET
        ranked = c.ranked, failed = c.unranked, finished_at = clock_timestamp(),
        status = CASE WHEN ${isUnfinished} THEN 'FAILED' ELSE 'COMPLETED' END,
        error_code = CASE WHEN ${isUnfinished} THEN ${error} END
      FROM c WHERE r.id = c.id
    )
    UPDATE projects p SET
      rank_from = CASE WHEN ${isUnfinished} THEN p.rank_from END,
      rank_due_at = CASE WHEN ${isUnfinished}
        THEN least(p.rank_due_at, clock_timestamp() + make_interval(secs => ${RUN_RETRY_MS / 1000}))
        ELSE p.rank_due_at END
    FROM c WHERE p.id = c.project_id AND p.rank_run_at = ${run}
    RETURNING p.account_id`
  return [...new Set(finished.map(one => one.account_id))]
}
