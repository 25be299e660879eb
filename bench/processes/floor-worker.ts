/**
 * What a workflow costs that does nothing: one activity that does nothing, on the same Temporal, with a worker
 * tuned as Arden's is and as many starts at a time as its dispatcher makes.
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
import { workerConcurrency } from '../../src/worker'
import { answerJobs } from '../parts/child'

/** `count` workflows: answers in how many seconds they were done. */
export type FloorWorkerJob = { address: string; count: number }

const TASK_QUEUE = `floor-${randomUUID()}`
/** As in src/outbox/dispatcher.ts: two claims at a time, four starts in each. */
const STARTS = 8
const IN_FLIGHT = 2_000

let left = 0
let done = () => {}
const doNothing = async () => {
  if (--left === 0) done()
}
export type Activities = { doNothing: typeof doNothing }

const begin = async (address: string): Promise<Client> => {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await NativeConnection.connect({ address })
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('do-nothing.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  })
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities: { doNothing },
    ...workerConcurrency(IN_FLIGHT),
  })
  worker.run()
  return new Client({ connection })
}

let client: Promise<Client> | undefined

answerJobs<FloorWorkerJob, { seconds: number }>(async ({ address, count }) => {
  client ??= begin(address)
  const { workflow } = await client
  left = count
  const all = new Promise<void>(resolve => {
    done = resolve
  })
  let toStart = count
  const startSome = async () => {
    while (toStart-- > 0)
      await workflow.start('doNothingOnce', {
        workflowId: `floor:${randomUUID()}`,
        taskQueue: TASK_QUEUE,
        args: [],
        requestEagerStart: true,
      })
  }
  const began = performance.now()
  await Promise.all([all, ...Array.from({ length: STARTS }, startSome)])
  return { seconds: (performance.now() - began) / 1000 }
})
