import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client'
import type { GenerateArticleInput } from '../../../workflows/generate-article'
import type { Job } from '../../outbox/outbox'
import { createRowOutbox } from '../../outbox/row-outbox'
import { startWorkflow, type TemporalDeps } from '../../outbox/workflow-start'
import { CALL_TIMEOUT_MS } from '../../temporal/connection'
import { generationTaskQueue } from '../../temporal/task-queues'
import { isOpen } from './record'
import { cancelRun, failGeneration } from './transitions'

type Due = Job & {
  cancelled: boolean
  /** The outline is to be reviewed, or was. */
  reviewed: boolean
  /** Its workflow may wait for the approval that the outline now has. */
  approved: boolean
  accountId: string
  projectId: string
  keyword: string
}

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
  what: 'generations',
  delayMs: 20,
  workflowId: generationWorkflowId,
  columns: sql => sql`
    d.status = 'CANCELLED' AS cancelled, d.review_outline AS reviewed,
    d.outline_approved_at IS NOT NULL AS approved, d.account_id AS "accountId",
    d.project_id AS "projectId", d.keyword`,
  handOver: async (deps, due) => {
    if (due.cancelled) return await cancelWorkflow(deps, due)
    await startGeneration(deps, due)
    if (due.approved) await notifyWorkflow(deps, due)
  },
  checkAt: sql => sql`
    CASE WHEN ${isOpen(sql)}
      THEN clock_timestamp() + make_interval(secs => ${RECONCILE_AFTER_S}) END`,
  isOpen,
  stopped: (sql, job, how) =>
    how === 'CANCELLED' ? cancelRun(sql, job) : failGeneration(sql, job, STOPPED),
})

const STOPPED = {
  code: 'stopped',
  message:
    'The operator of Arden stopped the generation. Retry it, or ask the operator for the reason.',
} as const

/** Does nothing where the workflow exists already. */
const startGeneration = (
  deps: TemporalDeps,
  { id, run, reviewed, accountId, projectId, keyword }: Due,
): Promise<void> =>
  startWorkflow<GenerateArticleInput>(
    { ...deps, taskQueue: generationTaskQueue(deps.taskQueue) },
    {
      type: 'generateArticle',
      workflowId: generationWorkflowId(id, run),
      arg: { generationId: id, run, projectId, version: 3 },
      summary: `article for "${keyword.slice(0, SUMMARY_KEYWORD_MAX).toWellFormed()}"`,
      attributes: { ArdenAccount: accountId },
      // A review can take days.
      ...(!reviewed && { timeoutMs: WORKFLOW_TIMEOUT_MS }),
    },
  )

/** A workflow that does not exist yet finds its generation cancelled when it starts. */
const cancelWorkflow = (deps: TemporalDeps, due: Due) =>
  callWorkflow(deps, due, workflow => workflow.cancel())

/** A workflow that has ended is replaced by the reconciliation; the next run finds the outline approved. */
const notifyWorkflow = (deps: TemporalDeps, due: Due) =>
  callWorkflow(deps, due, workflow => workflow.signal('outlineApproved'))

const callWorkflow = async (
  { client }: TemporalDeps,
  { id, run }: Due,
  call: (workflow: WorkflowHandle) => Promise<unknown>,
): Promise<void> => {
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      call(client.workflow.getHandle(generationWorkflowId(id, run))),
    )
  } catch (error) {
    // The same error when the workflow has ended.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}
