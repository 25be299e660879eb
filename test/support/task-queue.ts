import { randomBytes } from 'node:crypto'
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { publishScheduleId } from '../../src/content/articles/publish-schedule'
import { rankScheduleId } from '../../src/content/rankings/schedule'
import { expireScheduleId } from '../../src/retention/schedule'
import { busyTaskQueue, generationTaskQueue } from '../../src/temporal/task-queues'
import { testEnvironment } from './environment'

/** For one removal, in ms; as long as a worker waits for the creation of a schedule. */
const TIMEOUT_MS = 30_000

/**
 * A task queue of its own in the Temporal of all tests. `clear` removes what workers left there: a schedule would start
 * a workflow each minute that no worker takes, until the last test has ended.
 */
export const createTaskQueue = (): { taskQueue: string; clear: () => Promise<void> } => {
  const taskQueue = `test-${randomBytes(6).toString('hex')}`
  return { taskQueue, clear: () => clearTaskQueue(taskQueue) }
}

/** One for all files of the process. */
let shared: Client | undefined
const connect = (): Client => {
  shared ??= new Client({
    connection: Connection.lazy({
      address: testEnvironment().temporalAddress,
      // Without the proxy of the environment: the server is on this machine.
      channelArgs: { 'grpc.enable_http_proxy': 0 },
    }),
  })
  return shared
}

const clearTaskQueue = async (taskQueue: string): Promise<void> => {
  const client = connect()
  await client.withDeadline(Date.now() + TIMEOUT_MS, async () => {
    const schedules = [publishScheduleId, rankScheduleId, expireScheduleId]
    await Promise.all(
      schedules.map(idOf =>
        client.schedule.getHandle(idOf(taskQueue)).delete().catch(ignoreMissing),
      ),
    )
    const queues = [taskQueue, busyTaskQueue(taskQueue), generationTaskQueue(taskQueue)]
    const query = `ExecutionStatus = 'Running' AND TaskQueue IN ('${queues.join("', '")}')`
    for await (const { workflowId, runId } of client.workflow.list({ query }))
      await client.workflow.getHandle(workflowId, runId).terminate().catch(ignoreMissing)
  })
}

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof ScheduleNotFoundError || error instanceof WorkflowNotFoundError))
    throw error
}
