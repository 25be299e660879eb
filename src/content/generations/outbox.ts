import { WorkflowNotFoundError } from '@temporalio/client'
import type { GenerateArticleInput } from '../../../workflows/generate-article'
import type { Sql } from '../../db/connect'
import { type Job, LEASE_S, type Outbox } from '../../outbox/outbox'
import { startWorkflow, type TemporalDeps } from '../../outbox/workflow-start'
import { CALL_TIMEOUT_MS } from '../../temporal/connection'
import { cancelRun, failGeneration } from './transitions'

type Due = Job & { cancelled: boolean; accountId: string; projectId: string; keyword: string }

/** After the start, until the sweep asks Temporal what became of the workflow. */
const CHECK_AFTER_S = 60
/** Of a keyword in the summary of a workflow, whose length Temporal limits. */
const KEYWORD_SHOWN = 60

/** The id of the workflow of a run, as operators find it in Temporal. */
export const generationWorkflowId = (id: string, run: number): string =>
  run === 1 ? `generation:${id}` : `generation:${id}:${run}`

/** Generations whose workflow is to be started, or cancelled because the client cancelled them. */
export const generationOutbox: Outbox<Due> = {
  table: 'generations',
  due: 'due_at',
  delayMs: 20,
  workflowId: generationWorkflowId,
  claim: (sql, limit) => claimDue(sql, limit),
  handOver: (deps, due) => (due.cancelled ? cancelWorkflow(deps, due) : startGeneration(deps, due)),
  checkAt: sql => sql`
    CASE WHEN d.status IN ('QUEUED', 'RUNNING')
      THEN clock_timestamp() + make_interval(secs => ${CHECK_AFTER_S}) END`,
  isOpen: sql => sql`d.status IN ('QUEUED', 'RUNNING')`,
  stopped: (sql, job, how) =>
    how === 'CANCELLED' ? cancelRun(sql, job) : failGeneration(sql, job, STOPPED),
}

const STOPPED = {
  code: 'stopped',
  message: 'The operator of Arden stopped it. Generate it again, or ask why.',
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
  startWorkflow<GenerateArticleInput>(deps, {
    type: 'generateArticle',
    workflowId: generationWorkflowId(id, run),
    arg: { generationId: id, run, projectId },
    summary: `article for "${keyword.slice(0, KEYWORD_SHOWN).toWellFormed()}"`,
    attributes: { ArdenAccount: accountId },
  })

/** One that does not exist yet finds its generation cancelled as soon as it starts. */
const cancelWorkflow = async ({ client }: TemporalDeps, { id, run }: Due): Promise<void> => {
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(generationWorkflowId(id, run)).cancel(),
    )
  } catch (error) {
    // Also when it has ended already.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}
