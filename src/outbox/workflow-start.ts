import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { CALL_TIMEOUT_MS } from '../temporal/connection'
import { type SearchAttributes, searchAttributes } from '../temporal/search-attributes'

export type TemporalDeps = {
  client: Client
  taskQueue: string
  /** False where Temporal does not know them: it would refuse every start that names them. */
  withSearchAttributes: boolean
}

export type WorkflowStart<A> = {
  /** The name of the workflow's function. */
  type: string
  workflowId: string
  /** Its one argument. */
  arg: A
  /** For operators, in words. */
  summary: string
  attributes: SearchAttributes
}

/** Resolves when the workflow exists, whoever started it. */
export const startWorkflow = async <A>(
  { client, taskQueue, withSearchAttributes }: TemporalDeps,
  { type, workflowId, arg, summary, attributes }: WorkflowStart<A>,
): Promise<void> => {
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.start(type, {
        workflowId,
        taskQueue,
        args: [arg],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        requestEagerStart: true,
        staticSummary: summary,
        ...(withSearchAttributes && { typedSearchAttributes: searchAttributes(attributes) }),
      }),
    )
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
