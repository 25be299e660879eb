import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { CALL_TIMEOUT_MS } from '../temporal/connection'
import type { EagerStarts } from '../temporal/eager-starts'
import {
  isUnknownSearchAttribute,
  type SearchAttributeRegistration,
  type SearchAttributes,
  searchAttributes,
} from '../temporal/search-attributes'

export type TemporalDeps = {
  client: Client
  eagerStarts: EagerStarts
  taskQueue: string
  attributeRegistration: SearchAttributeRegistration
  /** The base URL of Arden, for links to its dashboard. */
  publicUrl?: string | undefined
}

export type WorkflowStart<A> = {
  /** The workflow type: the name of its function. */
  type: string
  workflowId: string
  arg: A
  /** The summary in the Temporal UI. */
  summary: string
  /** The details in the Temporal UI, in Markdown. */
  details?: string
  /** The account is also the fairness key: among waiting tasks, servers with fairness take turns by account. */
  attributes: SearchAttributes & { ArdenAccount: string }
  /** Ends the workflow, in ms; default: never. */
  timeoutMs?: number
  /** Timeout of a workflow task, in ms; default: 10 s. */
  taskTimeoutMs?: number
}

/**
 * Resolves when the workflow exists, also when another process started it. Where Temporal does not know the search
 * attributes (its store was lost), they are registered in the background, and the next start succeeds.
 */
export const startWorkflow = async <A>(
  { client, eagerStarts, taskQueue, attributeRegistration }: TemporalDeps,
  {
    type,
    workflowId,
    arg,
    summary,
    details,
    attributes,
    timeoutMs,
    taskTimeoutMs,
  }: WorkflowStart<A>,
): Promise<void> => {
  try {
    await eagerStarts.run(isEager =>
      client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
        client.workflow.start(type, {
          workflowId,
          taskQueue,
          args: [arg],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
          requestEagerStart: isEager,
          staticSummary: summary,
          ...(details !== undefined && { staticDetails: details }),
          priority: { fairnessKey: attributes.ArdenAccount },
          ...(timeoutMs !== undefined && { workflowExecutionTimeout: timeoutMs }),
          ...(taskTimeoutMs !== undefined && { workflowTaskTimeout: taskTimeoutMs }),
          ...(attributeRegistration.isUsable() && {
            typedSearchAttributes: searchAttributes(attributes),
          }),
        }),
      ),
    )
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return
    // The dispatcher reports why starts fail.
    if (isUnknownSearchAttribute(error)) attributeRegistration.ensure().catch(() => {})
    throw error
  }
}
