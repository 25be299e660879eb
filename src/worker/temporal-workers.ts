import { setTimeout as sleep } from 'node:timers/promises'
import { Worker, type WorkerTuner } from '@temporalio/worker'
import type { Activities } from '../../activities'
import type { Config } from '../config'
import type { Temporal } from '../temporal/connection'
import { busyTaskQueue, generationTaskQueue } from '../temporal/task-queues'
import { ACTIVE_WORKFLOW_TASKS } from '../temporal/workflow-tasks'
import { createWorkflowSlots, type WorkflowSlots } from './workflow-slots'

/** Cached workflows beside those with an attempt in flight, which the SDK must not drop. */
const CACHED_WORKFLOWS = 1_000
/** Polls at a time. The SDK's `maxConcurrentWorkflowTaskPolls` and its like have no effect. */
export const WORKFLOW_POLLS = 10
/** A poll for new workflows keeps one of the few slots of busy accounts. */
const BUSY_WORKFLOW_POLLS = 2
/**
 * How long a task waits for the worker that has its workflow in its cache, in ms, before any worker may begin it: less
 * than a second, for the worker may be frozen. The default is 10 s.
 */
const STICKY_TIMEOUT_MS = 500
const ACTIVITY_POLLS = 10
const atMost = (maximum: number) => ({ type: 'simple-maximum', maximum }) as const
const GENERATION_POLLS = 2
/** How often it is checked whether a worker has failed without an end, in ms. */
const FAILED_CHECK_MS = 2_000
/** The same for generations, whose activities take seconds. */
const GENERATIONS = {
  maxConcurrentWorkflowTaskExecutions: 10,
  workflowTaskPollerBehavior: atMost(GENERATION_POLLS),
  maxCachedWorkflows: 200,
}

/** Slots for the workflow tasks of deliveries, of which `busy` may use the CPU; an attempt in flight uses one. */
export const deliveryWorkflowSlots = (
  inFlight: number,
  busy = () => ACTIVE_WORKFLOW_TASKS,
): WorkflowSlots => createWorkflowSlots({ busy, all: inFlight + ACTIVE_WORKFLOW_TASKS })

/** Concurrency of the Temporal worker of deliveries. The benchmarks use it for their baseline too. */
export const workerConcurrency = (
  inFlight: number,
  workflowSlots = deliveryWorkflowSlots(inFlight),
) => {
  const attempts = { type: 'fixed-size', numSlots: inFlight } as const
  return {
    tuner: {
      workflowTaskSlotSupplier: workflowSlots.supplier,
      activityTaskSlotSupplier: attempts,
      localActivityTaskSlotSupplier: attempts,
      nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    } satisfies WorkerTuner,
    workflowTaskPollerBehavior: atMost(WORKFLOW_POLLS),
    activityTaskPollerBehavior: atMost(Math.min(ACTIVITY_POLLS, inFlight)),
    maxCachedWorkflows: inFlight + CACHED_WORKFLOWS,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT_MS,
  }
}

type TemporalWorkers = {
  /** Polls until `shutdown`. Rejects, and shuts the others down, when one fails. */
  run: () => Promise<void>
  /** Waits for eager starts under way. */
  shutdown: () => Promise<void>
}

type Deliveries = { activities: Activities; workflowSlots: WorkflowSlots }

type Options = {
  config: Config
  workflowBundle: { code: string }
  deliveries: Deliveries
  /** Of busy accounts. */
  busyDeliveries: Deliveries
  /** In ms: running activities may finish within the first, and are abandoned after the second. */
  shutdownGraceTime: number
  shutdownForceTime: number
}

/**
 * The Temporal workers of a process: one for each task queue. Both register everything: generations that the previous
 * version started are on the task queue of deliveries.
 * @throws while Temporal is unavailable.
 */
export const createTemporalWorkers = async (
  { connection, namespace, eagerStarts }: Temporal,
  { config, deliveries, busyDeliveries, ...options }: Options,
): Promise<TemporalWorkers> => {
  const shared = {
    ...options,
    connection,
    namespace,
    identity: config.identity,
    // Attempts that are regular activities send a heartbeat every 5 s. With the default throttle, a busy worker would
    // look dead.
    maxHeartbeatThrottleInterval: '2 seconds',
  } as const
  const created = await Promise.allSettled([
    Worker.create({
      ...shared,
      taskQueue: config.taskQueue,
      activities: deliveries.activities,
      ...workerConcurrency(config.inFlight, deliveries.workflowSlots),
    }),
    Worker.create({
      ...shared,
      taskQueue: busyTaskQueue(config.taskQueue),
      activities: busyDeliveries.activities,
      ...workerConcurrency(config.inFlight, busyDeliveries.workflowSlots),
      workflowTaskPollerBehavior: atMost(BUSY_WORKFLOW_POLLS),
      activityTaskPollerBehavior: atMost(1),
      workflowThreadPoolSize: 1,
    }),
    Worker.create({
      ...shared,
      taskQueue: generationTaskQueue(config.taskQueue),
      activities: deliveries.activities,
      ...GENERATIONS,
      maxConcurrentActivityTaskExecutions: config.generationsInFlight,
      activityTaskPollerBehavior: atMost(Math.min(GENERATION_POLLS, config.generationsInFlight)),
    }),
  ])
  const workers = created.flatMap(one => (one.status === 'fulfilled' ? one.value : []))
  const failed = created.find(one => one.status === 'rejected')
  const shutdown = async () => {
    await eagerStarts.end()
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  const run = async () => {
    const ends = await Promise.allSettled(workers.map(worker => runToEnd(worker).finally(shutdown)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  if (failed !== undefined) {
    // The connection can only be closed when no worker uses it, and a worker only ends after it has run.
    const running = run()
    await shutdown()
    await running
    throw failed.reason
  }
  return { run, shutdown }
}

/**
 * Runs a worker. One whose polls were refused, because its namespace is gone, can fail with workflows in its cache: the
 * SDK then waits for ever until they are evicted, which a failed worker no longer does. Such a worker is left behind.
 */
export const runToEnd = async (worker: Pick<Worker, 'run' | 'getState'>): Promise<void> => {
  const ended = new AbortController()
  const running = worker.run().finally(() => ended.abort())
  running.catch(() => {}) // Awaited in the race, which may be over before.
  await Promise.race([running, failure(worker, ended.signal).then(() => running)])
}

/** Rejects when the worker has failed, and has not ended at the next check. */
const failure = async (worker: Pick<Worker, 'getState'>, signal: AbortSignal): Promise<void> => {
  let hasFailed = false
  while (!signal.aborted) {
    await sleep(FAILED_CHECK_MS, undefined, { signal, ref: false }).catch(() => {})
    if (hasFailed && !signal.aborted)
      throw new Error('a worker has failed, as the log says before, and does not end')
    hasFailed = worker.getState() === 'FAILED'
  }
}
