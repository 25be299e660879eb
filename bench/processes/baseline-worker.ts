/**
 * The cost of a no-op workflow: one no-op activity on the same Temporal, with the options of Arden's worker
 * and as many concurrent starts as its dispatcher makes.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'
import { workerConcurrency } from '../../src/worker/temporal-workers'
import { handleJobs } from '../parts/child'

/** Runs `count` workflows and returns the seconds they took. */
export type BaselineWorkerJob = { address: string; count: number }

const TASK_QUEUE = `baseline-${randomUUID()}`
/** The same as in src/outbox/dispatcher.ts: two concurrent claims with four starts each. */
const STARTS = 8
const IN_FLIGHT = 2_000

let left = 0
let done = () => {}
const noop = async () => {
  if (--left === 0) done()
}
export type Activities = { noop: typeof noop }

const startBaselineWorker = async (address: string): Promise<Client> => {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await NativeConnection.connect({ address })
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('noop-workflow.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  })
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities: { noop },
    ...workerConcurrency(IN_FLIGHT),
  })
  worker.run()
  return new Client({ connection })
}

let client: Promise<Client> | undefined

handleJobs<BaselineWorkerJob, { seconds: number }>(async ({ address, count }) => {
  client ??= startBaselineWorker(address)
  const { workflow } = await client
  left = count
  const all = new Promise<void>(resolve => {
    done = resolve
  })
  let toStart = count
  const startSome = async () => {
    while (toStart-- > 0)
      await workflow.start('runNoop', {
        workflowId: `baseline:${randomUUID()}`,
        taskQueue: TASK_QUEUE,
        args: [],
        requestEagerStart: true,
      })
  }
  const began = performance.now()
  await Promise.all([all, ...Array.from({ length: STARTS }, startSome)])
  return { seconds: (performance.now() - began) / 1000 }
})
