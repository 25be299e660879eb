/**
 * A process of its own, because it may hang: shuts Temporal workers down while the SDK asks them for the slot of an
 * eager start. Prints "ended" when they have ended.
 */
import { randomBytes } from 'node:crypto'
import type { Activities } from '../../../activities'
import { readConfig } from '../../../src/config'
import { createLog } from '../../../src/log'
import { startWorkflow } from '../../../src/outbox/workflow-start'
import { workflowBundle } from '../../../src/temporal/bundle'
import { connectTemporal } from '../../../src/temporal/connection'
import { createTemporalWorkers, deliveryWorkflowSlots } from '../../../src/worker/temporal-workers'
import { testEnvironment } from '../environment'

/** Time in which the SDK asks for the slot, in ms; the main thread, which would answer, is blocked meanwhile. */
const ASKS_MS = 500

const environment = testEnvironment()
const config = readConfig({
  TEMPORAL_ADDRESS: environment.temporalAddress,
  ARDEN_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
  LOG_LEVEL: 'fatal',
})
const temporal = await connectTemporal(config, createLog(config))
const deliveries = {
  activities: {} as Activities,
  workflowSlots: deliveryWorkflowSlots(config.inFlight),
}
const workers = await createTemporalWorkers(temporal, {
  config,
  workflowBundle: await workflowBundle(environment.workflowBundle),
  deliveries,
  busyDeliveries: deliveries,
  shutdownGraceTime: 100,
  shutdownForceTime: 10_000,
})
const running = workers.run()
startWorkflow(
  {
    ...temporal,
    taskQueue: config.taskQueue,
    attributeRegistration: { isUsable: () => false, ensure: async () => {} },
  },
  {
    type: 'deliverWebhook',
    workflowId: config.taskQueue,
    arg: {},
    summary: '',
    attributes: { ArdenAccount: 'acc' },
    timeoutMs: 1_000,
  },
).catch(() => {})
// In one task, so that the main thread handles no question of the SDK before the shutdown: until the client has passed
// the request on, and the SDK has asked.
for (let step = 0; step < 1_000; step++) await undefined
Bun.sleepSync(ASKS_MS)
await workers.shutdown()
// How the abandoned workflow ends is another matter.
await running.catch(() => {})
await temporal.connection.close()
process.stdout.write('ended')
