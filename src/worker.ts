import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from '@temporalio/worker'
import { createActivities } from '../activities'
import { createAvailability } from './availability'
import type { Config } from './config'
import { generationOutbox } from './content/generations/outbox'
import { selectProviders } from './content/generations/providers/selection'
import { ensureRankSchedule } from './content/rankings/schedule'
import { createSerpProvider } from './content/rankings/serp-provider'
import type { Sql } from './db/connect'
import { StartError } from './errors'
import type { Log } from './log'
import type { Meter } from './metrics/meter'
import type { PublishChange } from './notifications/changes'
import { runDispatcher } from './outbox/dispatcher'
import { runReconcile } from './outbox/reconciliation'
import { ensureExpireSchedule } from './retention/schedule'
import { workflowBundle } from './temporal/bundle'
import { connectTemporal, type Temporal } from './temporal/connection'
import { reportWorker } from './temporal/heartbeat'
import { ensureSearchAttributes } from './temporal/search-attributes'
import { type TemporalConfig, temporalSettings } from './temporal/settings'
import type { SendDeps } from './webhooks/dispatch/attempt'
import { runLane } from './webhooks/dispatch/lane'
import { deliveryOutbox, retryOutbox } from './webhooks/dispatch/outbox'
import { createRecorder } from './webhooks/dispatch/recorder'
import type { Cipher } from './webhooks/signing/encryption'
import { createPost, type Post } from './webhooks/transport/post'

/**
 * After a stop: attempts may end by themselves for this long, which is longer than one takes; then they
 * end as not counted and are made again elsewhere; then the process goes, whatever still runs. In ms.
 */
const GRACE_MS = 31_000
const FORCE_MS = 33_000
/** For the dispatcher and the sweep to end what they are at, in ms. */
const PARTS_END_MS = 1_000

/** Workflow tasks at a time, and workflows kept in memory between their tasks. */
const WORKFLOW_TASKS = 100
const CACHED_WORKFLOWS = 1_000
const WORKFLOW_POLLS = 10
const ACTIVITY_POLLS = 10

/** How much a worker takes on at a time, which its speed depends on: that of Temporal alone, too. */
export const workerConcurrency = (inFlight: number) => ({
  maxConcurrentActivityTaskExecutions: inFlight,
  maxConcurrentActivityTaskPolls: Math.min(ACTIVITY_POLLS, inFlight),
  maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
  maxConcurrentWorkflowTaskPolls: WORKFLOW_POLLS,
  maxCachedWorkflows: CACHED_WORKFLOWS,
})

export type WorkerParts = {
  config: Config & TemporalConfig
  sql: Sql
  cipher: Cipher
  log: Log
  meter: Meter
  /** Called after a commit that may have fired events: it wakes the dispatchers. */
  wakeDispatchers: () => void
  /** Tells the open dashboards. */
  publishChange: PublishChange
  /** A file with the workflows' code, made by an earlier `workflowBundle()`. */
  workflows?: string | undefined
}

/**
 * Sends deliveries and writes articles until it is stopped: runs Temporal's worker, and for each kind the
 * dispatcher and the sweep. Starts also while Temporal is away, and waits for it. `ready` resolves when it
 * polls for the first time, and rejects where it never can; `stop` drains, and resolves within 35 s.
 * @throws {StartError} for settings of Temporal that cannot be used.
 */
export const startWorker = (deps: WorkerParts): { ready: Promise<void>; stop(): Promise<void> } => {
  const { config, log } = deps
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  temporalSettings(config) // What is wrong with them is said before anything starts.
  const where = config.temporalAddress ? `Temporal at ${config.temporalAddress}` : 'Temporal'
  const availability = createAvailability(log, where, 'The worker waits for it.')
  const workflows = workflowBundle(deps.workflows)
  const post = createPost()
  const lane =
    config.workflows === 'on-retry' &&
    runLane(
      {
        ...sendDeps(deps, post, { inWorkflow: false }),
        inFlight: config.inFlight,
      },
      GRACE_MS,
      stopping.signal,
    )
  let hasWorked = false
  const done = (async () => {
    const code = await workflows
    while (!stopping.signal.aborted) {
      try {
        const temporal = await connectTemporal(config, log)
        try {
          await runTemporalWorker(deps, post, temporal, code, stopping.signal, () => {
            availability.reportSuccess()
            hasWorked = true
            ready.resolve()
          })
        } finally {
          await temporal.connection.close()
        }
      } catch (error) {
        // What has worked may work again, without a start: its certificate is renewed.
        if (error instanceof StartError && !hasWorked) throw error
        if (stopping.signal.aborted) log.warn(`The worker did not drain: ${String(error)}`)
        else availability.reportFailure(error)
        await sleep(availability.pauseMs(), undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  })()
  done.catch(ready.reject)
  return {
    ready: ready.promise,
    stop: async () => {
      stopping.abort()
      await Promise.all([done.catch(() => {}), lane]) // `ready` has told.
    },
  }
}

/** What attempts are made with. */
const sendDeps = (
  { sql, cipher, config, log, meter, publishChange, wakeDispatchers }: WorkerParts,
  post: Post,
  how: { inWorkflow: boolean },
): SendDeps => ({
  sql,
  recorder: createRecorder(sql, how),
  cipher,
  post,
  rules: { allowPrivate: config.allowPrivateWebhooks },
  disableAfterDays: config.disableAfterDays,
  log,
  meter,
  publishChange,
  committed: wakeDispatchers,
})

/** Until `signal`, or until the connection is of no more use. */
const runTemporalWorker = async (
  deps: WorkerParts,
  post: Post,
  temporal: Temporal,
  workflowBundle: { code: string },
  signal: AbortSignal,
  ready: () => void,
): Promise<void> => {
  const { config, sql, log, meter, publishChange } = deps
  const { connection, client, namespace } = temporal
  const withSearchAttributes = await ensureSearchAttributes(temporal, log)
  const worker = await Worker.create({
    connection,
    namespace,
    identity: config.identity,
    taskQueue: config.taskQueue,
    workflowBundle,
    activities: createActivities({
      ...sendDeps(deps, post, { inWorkflow: true }),
      retentionDays: config.retentionDays,
      providers: selectProviders(config),
      serpProvider: createSerpProvider(config),
    }),
    ...workerConcurrency(config.inFlight),
    // An attempt heartbeats each 5 s; held back longer, a busy worker would look dead.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
  })
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const dispatching = { sql, client, taskQueue: config.taskQueue, withSearchAttributes, log, meter }
  const parts = Promise.all([
    ...(config.workflows === 'every' ? [runDispatcher(deliveryOutbox, dispatching, until)] : []),
    runDispatcher(retryOutbox, dispatching, until),
    runDispatcher(generationOutbox, dispatching, until),
    runReconcile(deliveryOutbox, sql, client, publishChange, log, until),
    runReconcile(generationOutbox, sql, client, publishChange, log, until),
    reportWorker(sql, { id: config.identity, slots: config.inFlight }, until),
    scheduleJobs(client, config.taskQueue, log),
  ])
  const running = worker.run().finally(() => ended.abort())
  running.catch(() => {}) // Awaited below; until then it is nobody's unhandled rejection.
  ready()
  // First no more starts: what is being started may come back here at once. But no longer than this:
  // a query may hang for as long as Postgres is away.
  const late = once(until, 'abort').then(() => sleep(PARTS_END_MS))
  await Promise.race([parts, late])
  if (worker.getState() === 'RUNNING') worker.shutdown()
  await running
}

/** Nothing else waits for them: without the schedules, all but these jobs works. */
const scheduleJobs = async (client: Temporal['client'], taskQueue: string, log: Log) => {
  const jobs = [
    ['daily rank tracking', ensureRankSchedule],
    ['deletion of what is past its retention', ensureExpireSchedule],
  ] as const
  for (const [job, ensure] of jobs)
    await ensure(client, taskQueue).catch(error => {
      log.warn(
        `The ${job} could not be scheduled in Temporal (${String(error)}). Check that Arden may create schedules in its namespace; it tries again when a worker starts.`,
      )
    })
}
