import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { CALL_TIMEOUT_MS } from '../temporal/connection'
import {
  isUnknownSearchAttribute,
  type SearchAttributeRegistration,
  type SearchAttributes,
  searchAttributes,
} from '../temporal/search-attributes'

export type TemporalDeps = {
  client: Client
  taskQueue: string
  attributeRegistration: SearchAttributeRegistration
}

type WorkflowStart<A> = {
  /** The workflow type: the name of its function. */
  type: string
  workflowId: string
  arg: A
  /** The summary in the Temporal UI. */
  summary: string
  /** The account is also the fairness key: among waiting tasks, servers with fairness take turns by account. */
  attributes: SearchAttributes & { ArdenAccount: string }
  /** Ends the workflow, in ms; default: never. */
  timeoutMs?: number
}

/**
 * Resolves when the workflow exists, also when another process started it. Where Temporal does not know the search
 * attributes (its store was lost), they are registered in the background, and the next start succeeds.
 */
export const startWorkflow = async <A>(
  { client, taskQueue, attributeRegistration }: TemporalDeps,
  { type, workflowId, arg, summary, attributes, timeoutMs }: WorkflowStart<A>,
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
        priority: { fairnessKey: attributes.ArdenAccount },
        ...(timeoutMs !== undefined && { workflowExecutionTimeout: timeoutMs }),
        ...(attributeRegistration.isUsable() && {
          typedSearchAttributes: searchAttributes(attributes),
        }),
      }),
    )
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return
    // The dispatcher reports why starts fail.
    if (isUnknownSearchAttribute(error)) attributeRegistration.ensure().catch(() => {})
    throw error
  }
}
