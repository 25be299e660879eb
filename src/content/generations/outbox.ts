import { WorkflowNotFoundError } from '@temporalio/client'
import type { GenerateArticleInput } from '../../../workflows/generate-article'
import { type Sql, withTimeout } from '../../db/connect'
import type { Job } from '../../outbox/outbox'
import { createRowOutbox, LEASE_S } from '../../outbox/row-outbox'
import { startWorkflow, type TemporalDeps } from '../../outbox/workflow-start'
import { CALL_TIMEOUT_MS } from '../../temporal/connection'
import { generationTaskQueue } from '../../temporal/task-queues'
import { cancelRun, failGeneration } from './transitions'

type Due = Job & { cancelled: boolean; accountId: string; projectId: string; keyword: string }

/** Seconds after the start until the reconciliation checks the workflow in Temporal. */
const RECONCILE_AFTER_S = 60
/**
 * A workflow ends after this long, in ms, and the reconciliation starts another run: after a return to a version that
 * does not poll this task queue, generations continue.
 */
const WORKFLOW_TIMEOUT_MS = 24 * 3_600_000
/** Characters of the keyword in the summary of a workflow, whose length Temporal limits. */
const SUMMARY_KEYWORD_MAX = 60

/** The workflow id of a run in Temporal. */
export const generationWorkflowId = (id: string, run: number): string =>
  run === 1 ? `generation:${id}` : `generation:${id}:${run}`

/** Generations whose workflow is due to be started, or to be cancelled after `POST /generations/<id>/cancel`. */
export const generationOutbox = createRowOutbox<Due>({
  table: 'generations',
  delayMs: 20,
  workflowId: generationWorkflowId,
  claim: (sql, limit) => withTimeout(claimDue(sql, limit)),
  handOver: (deps, due) => (due.cancelled ? cancelWorkflow(deps, due) : startGeneration(deps, due)),
  checkAt: sql => sql`
    CASE WHEN d.status IN ('QUEUED', 'RUNNING')
      THEN clock_timestamp() + make_interval(secs => ${RECONCILE_AFTER_S}) END`,
  isOpen: sql => sql`d.status IN ('QUEUED', 'RUNNING')`,
  stopped: (sql, job, how) =>
    how === 'CANCELLED' ? cancelRun(sql, job) : failGeneration(sql, job, STOPPED),
})

const STOPPED = {
  code: 'stopped',
  message:
    'The operator of Arden stopped the generation. Generate it again, or ask the operator for the reason.',
} as const

const claimDue = (sql: Sql, limit: number): Promise<Due[]> => sql<Due[]>`
  WITH due AS MATERIALIZED (
    SELECT id FROM generations WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  UPDATE generations d SET due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
  FROM due WHERE d.id = due.id
  RETURNING d.id, d.run, d.status = 'CANCELLED' AS cancelled, d.account_id AS "accountId",
    d.project_id AS "projectId", d.keyword`

const startGeneration = (
  deps: TemporalDeps,
  { id, run, accountId, projectId, keyword }: Due,
): Promise<void> =>
  startWorkflow<GenerateArticleInput>(
    { ...deps, taskQueue: generationTaskQueue(deps.taskQueue) },
    {
      type: 'generateArticle',
      workflowId: generationWorkflowId(id, run),
      arg: { generationId: id, run, projectId, version: 2 },
      summary: `article for "${keyword.slice(0, SUMMARY_KEYWORD_MAX).toWellFormed()}"`,
      attributes: { ArdenAccount: accountId },
      timeoutMs: WORKFLOW_TIMEOUT_MS,
    },
  )

/** A workflow that does not exist yet finds its generation cancelled when it starts. */
const cancelWorkflow = async ({ client }: TemporalDeps, { id, run }: Due): Promise<void> => {
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(generationWorkflowId(id, run)).cancel(),
    )
  } catch (error) {
    // The same error when the workflow has ended.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}
