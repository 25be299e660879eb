import type { RankProjectInput } from '../../../workflows/rank-project'
import type { Sql } from '../../db/connect'
import type { Job } from '../../outbox/outbox'
import { createRowOutbox } from '../../outbox/row-outbox'
import { startWorkflow } from '../../outbox/workflow-start'
import { CONCURRENT_SEARCHES, RUN_TIMEOUT_MS } from './policy'
import type { RunErrorCode } from './run-schema'
import type { TrackingBatch } from './tracking'

/** Runs of the rank tracking that a user requested: each is a workflow of its own (contract 6.20). */

/** Seconds after the start until the reconciliation checks the workflow in Temporal. */
const RECONCILE_AFTER_S = 60

const workflowIdOf = (id: string, run: number) =>
  run === 1 ? `rank-run:${id}` : `rank-run:${id}:${run}`

type Due = Job & { accountId: string }

/** Requested runs whose workflow is due to be started. */
export const rankRunOutbox = createRowOutbox<Due>({
  table: 'project_rank_runs',
  what: 'requested rank runs',
  delayMs: 250,
  workflowId: workflowIdOf,
  columns: sql => sql`d.account_id AS "accountId"`,
  handOver: (deps, { id, run, accountId }) =>
    startWorkflow<RankProjectInput>(deps, {
      type: 'rankProject',
      workflowId: workflowIdOf(id, run),
      arg: { id, run },
      summary: 'Requested run of the rank tracking',
      attributes: { ArdenAccount: accountId },
      timeoutMs: RUN_TIMEOUT_MS,
    }),
  checkAt: sql => sql`
    CASE WHEN d.status IN ('QUEUED', 'RUNNING')
      THEN clock_timestamp() + make_interval(secs => ${RECONCILE_AFTER_S}) END`,
  isOpen: sql => sql`d.status IN ('QUEUED', 'RUNNING')`,
  stopped: (sql, job) => endRequestedRun(sql, job, 'stopped'),
})

/**
 * Begins a requested run, or continues it after a lost workflow, and returns its first batch and its account. Undefined
 * when it has ended, or another workflow has replaced this one.
 */
export const beginRequestedRun = async (
  sql: Sql,
  { id, run }: Job,
): Promise<{ batch: TrackingBatch; accountId: string } | undefined> => {
  const [row] = await sql<[{ projectId: string; runAt: Date; accountId: string }?]>`
    UPDATE project_rank_runs SET status = 'RUNNING',
      run_at = coalesce(run_at, date_trunc('milliseconds', clock_timestamp()))
    WHERE id = ${id} AND run = ${run} AND status IN ('QUEUED', 'RUNNING')
    RETURNING project_id AS "projectId", run_at AS "runAt", account_id AS "accountId"`
  if (row === undefined) return undefined
  const { projectId, runAt, accountId } = row
  const batch = {
    run: runAt.toISOString(),
    after: null,
    until: null,
    searches: CONCURRENT_SEARCHES,
    projectId,
  }
  return { batch, accountId }
}

/** Records the end of a requested run, and returns its account. Changes nothing, undefined, when it has ended. */
export const endRequestedRun = async (
  sql: Sql,
  { id, run }: Job,
  error: RunErrorCode | null,
): Promise<string | undefined> => {
  const [ended] = await sql<[{ accountId: string }?]>`
    WITH c AS MATERIALIZED (
      SELECT count(*) FILTER (WHERE k.rank_run_at >= r.run_at)::int AS ranked,
        count(*) FILTER (WHERE k.rank_run_at IS NULL OR k.rank_run_at < r.run_at)::int AS unranked
      FROM project_rank_runs r JOIN keywords k ON k.project_id = r.project_id
        AND k.tracked AND k.deleted_at IS NULL
      WHERE r.id = ${id}
    )
    UPDATE project_rank_runs r SET ranked = c.ranked, failed = c.unranked,
      status = ${error === null ? 'COMPLETED' : 'FAILED'}, error_code = ${error},
      finished_at = clock_timestamp(), due_at = NULL, check_at = NULL
    FROM c WHERE r.id = ${id} AND r.run = ${run} AND r.status IN ('QUEUED', 'RUNNING')
    RETURNING r.account_id AS "accountId"`
  return ended?.accountId
}
