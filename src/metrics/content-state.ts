import type { Tx } from '../db/connect'

/** What workers have to do beside deliveries. Ages in seconds, 0 without one. */
export type ContentState = {
  generations_waiting: number
  generations_waiting_age: number
  rank_run_seconds: number
  rank_run_unranked: number
  /** Of the latest run that ended. */
  rank_run_ranked: number
  rank_run_failed: number
}

/** Reads it by indexes only. `countMax`: the most generations to read. */
export const readContentState = async (tx: Tx, countMax: number): Promise<ContentState> => {
  const [waiting] = await tx<
    [Pick<ContentState, 'generations_waiting' | 'generations_waiting_age'>]
  >`
    SELECT count(*)::int AS generations_waiting,
      coalesce(extract(epoch FROM clock_timestamp() - min(queued_at)), 0)::float8 AS generations_waiting_age
    FROM (SELECT status, queued_at FROM generations WHERE check_at IS NOT NULL LIMIT ${countMax}) open
    WHERE status = 'QUEUED'`
  const [run = { rank_run_seconds: 0, rank_run_unranked: 0 }] = await tx<
    [Pick<ContentState, 'rank_run_seconds' | 'rank_run_unranked'>?]
  >`
    SELECT CASE WHEN finished_at IS NULL
        THEN extract(epoch FROM clock_timestamp() - started_at) ELSE 0 END::float8 AS rank_run_seconds,
      unranked AS rank_run_unranked
    FROM rank_runs ORDER BY started_at DESC LIMIT 1`
  const [ended = { rank_run_ranked: 0, rank_run_failed: 0 }] = await tx<
    [Pick<ContentState, 'rank_run_ranked' | 'rank_run_failed'>?]
  >`
    SELECT ranked AS rank_run_ranked, failed AS rank_run_failed
    FROM rank_runs WHERE finished_at IS NOT NULL ORDER BY started_at DESC LIMIT 1`
  return { ...waiting, ...run, ...ended }
}
