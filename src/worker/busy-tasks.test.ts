import { afterAll, expect, test } from 'bun:test'
import type { Activities } from '../../activities'
import { testEnvironment } from '../../test/support/environment'
import { createTaskQueue } from '../../test/support/task-queue'
import { until } from '../../test/support/until'
import { readConfig } from '../config'
import { createLog } from '../log'
import { startWorkflow } from '../outbox/workflow-start'
import { workflowBundle } from '../temporal/bundle'
import { connectTemporal } from '../temporal/connection'
import { createEagerStarts } from '../temporal/eager-starts'
import { busyTaskQueue } from '../temporal/task-queues'
import { createTemporalWorkers, deliveryWorkflowSlots } from './temporal-workers'

/** The tasks of busy accounts that may use the CPU while others are late (contract 5.3). */
const LEAST = 6
/** More than the polls and tasks at a time, so that some wait. */
const WORKFLOWS = 40

const environment = testEnvironment()
const { taskQueue, clear } = createTaskQueue()
const config = readConfig({
  TEMPORAL_ADDRESS: environment.temporalAddress,
  ARDEN_TASK_QUEUE: taskQueue,
  LOG_LEVEL: 'fatal',
})
const temporal = await connectTemporal(config, createLog(config))
let limit = 50
let sent = 0
const activities = {
  sendWebhook: async () => {
    sent++
    return { status: 'NOT_OURS' }
  },
} as unknown as Activities
const workers = await createTemporalWorkers(temporal, {
  config,
  workflowBundle: await workflowBundle(environment.workflowBundle),
  deliveries: { activities, workflowSlots: deliveryWorkflowSlots(config.inFlight) },
  busyDeliveries: {
    activities,
    workflowSlots: deliveryWorkflowSlots(config.inFlight, () => limit),
  },
  shutdownGraceTime: 100,
  shutdownForceTime: 10_000,
})
const running = workers.run()
afterAll(async () => {
  await workers.shutdown()
  await running
  await clear()
  await temporal.connection.close()
})

const start = (name: string, isEager: boolean) => {
  const eagerStarts = createEagerStarts()
  if (!isEager) void eagerStarts.end()
  return startWorkflow(
    {
      ...temporal,
      eagerStarts,
      taskQueue: busyTaskQueue(taskQueue),
      attributeRegistration: { isUsable: () => false, ensure: async () => {} },
    },
    {
      type: 'deliverWebhook',
      workflowId: `${taskQueue}-${name}`,
      arg: { deliveryId: 'dlv', run: 1, localAttempts: true },
      summary: '',
      attributes: { ArdenAccount: 'acc' },
      timeoutMs: 120_000,
    },
  )
}

test('workflows of busy accounts begin although their limit shrank while the worker polled for more', async () => {
  // The worker polls for as many as the limit allows.
  await start('first', false)
  await until('it is sent', () => sent === 1)
  limit = LEAST
  await Promise.all(Array.from({ length: WORKFLOWS }, (_, n) => start(`${n}`, false)))
  // A poll that has no task ends after 60 s.
  await until('all are sent', () => sent === WORKFLOWS + 1, 30)
  expect(sent).toBe(WORKFLOWS + 1)
})
