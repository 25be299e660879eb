import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { CALL_TIMEOUT_MS } from '../temporal/connection'
import { type SearchAttributes, searchAttributes } from '../temporal/search-attributes'

export type TemporalDeps = {
  client: Client
  taskQueue: string
  /** False where they are not registered: Temporal would refuse every start with them. */
  withSearchAttributes: boolean
}

export type WorkflowStart<A> = {
  /** The workflow type: the name of its function. */
  type: string
  workflowId: string
  arg: A
  /** The summary in the Temporal UI. */
  summary: string
  attributes: SearchAttributes
}

/** Resolves when the workflow exists, also when another process started it. */
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
