import type { Temporal } from '../../../src/temporal/connection'
import { listPollers } from '../../../src/temporal/pollers'
import { until } from '../until'

/** Polls a task queue for workflow tasks as a worker of this identity. Resolves when Temporal lists it. */
export const pollAs = async (
  temporal: Temporal,
  taskQueue: string,
  identity: string,
): Promise<void> => {
  const { connection, namespace } = temporal
  // Longer than a test: the server refuses short ones.
  const poll = connection.withDeadline(Date.now() + 60_000, () =>
    connection.workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      identity,
    }),
  )
  poll.catch(() => {}) // It is cancelled.
  await until('Temporal knows the worker', async () => {
    const pollers = await listPollers(temporal, taskQueue, 'workflow')
    return pollers.some(one => one.identity === identity)
  })
}
