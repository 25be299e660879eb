import { CancelledFailure, type Context } from '@temporalio/activity'
import { CALL_TIMEOUT_MS } from '../src/temporal/connection'

type Attempt<T> = { result: Promise<T>; cancel: (reason: unknown) => void }

/**
 * Attempts in progress in this process, by `key`. Temporal starts an activity again when a heartbeat or a workflow task
 * is late, also in the worker that still waits for the endpoint: the second call gets the result of the first, and
 * nothing is sent twice.
 */
export const createAttempts = <T>() => {
  const inProgress = new Map<string, Attempt<T>>()
  const begin = (key: string, send: (signal: AbortSignal) => Promise<T>): Attempt<T> => {
    const cancelled = new AbortController()
    const attempt = {
      result: send(cancelled.signal).finally(() => inProgress.delete(key)),
      cancel: (reason: unknown) => cancelled.abort(reason),
    }
    inProgress.set(key, attempt)
    return attempt
  }
  return (key: string, send: (signal: AbortSignal) => Promise<T>): Attempt<T> =>
    inProgress.get(key) ?? begin(key, send)
}

/**
 * Calls `cancel` when the workflow is cancelled, or when `graceOver` aborts because the worker stops. Not when Temporal
 * has lost the activity, after a late heartbeat or a termination: the outcome is then recorded, and not sent again.
 */
export const onCancel = (
  context: Context,
  graceOver: AbortSignal,
  cancel: (reason: unknown) => void,
): (() => void) => {
  const { cancellationSignal } = context
  const check = async () => {
    if (await isRequested(context)) cancel(cancellationSignal.reason)
  }
  const stop = () => cancel(new CancelledFailure('the worker was stopped'))
  if (cancellationSignal.aborted) check()
  else cancellationSignal.addEventListener('abort', check, { once: true })
  if (graceOver.aborted) stop()
  else graceOver.addEventListener('abort', stop, { once: true })
  return () => graceOver.removeEventListener('abort', stop)
}

const isRequested = async ({ cancellationDetails, info, client }: Context): Promise<boolean> => {
  const { notFound, cancelRequested, workerShutdown } = cancellationDetails ?? {}
  const isRequestedHere = !notFound || cancelRequested === true || workerShutdown === true
  if (!info.isLocal || !isRequestedHere) return isRequestedHere
  // The SDK cancels local activities also when it drops their workflow from its cache, with the same details.
  const { workflowId, runId } = info.workflowExecution ?? {}
  if (workflowId === undefined) return true
  return await client
    .withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    )
    .then(
      ({ raw }) => raw.workflowExtendedInfo?.cancelRequested === true,
      () => false,
    )
}
