import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createActivities } from '../activities'
import { createAvailability } from './availability'
import type { Config } from './config'
import { generationOutbox } from './content/generations/outbox'
import { selectProviders } from './content/generations/providers/selection'
import { rankRunOutbox } from './content/rankings/requested-runs'
import { createSerpProvider } from './content/rankings/serp/selection'
import type { Sql } from './db/connect'
import { StartError } from './errors'
import type { Log } from './log'
import { canSendMail, type MailTarget } from './mail/target'
import type { Meter } from './metrics/meter'
import type { Waker } from './notifications/wake'
import { runDispatcher } from './outbox/dispatcher'
import { runReconcile } from './outbox/reconciliation'
import { workflowBundle } from './temporal/bundle'
import {
  connectTemporal,
  isTemporalThere,
  type Temporal,
  watchTemporal,
} from './temporal/connection'
import { type Provider, reportWorker } from './temporal/heartbeat'
import { createSearchAttributeRegistration } from './temporal/search-attributes'
import { type TemporalConfig, temporalSettings } from './temporal/settings'
import type { SendDeps } from './webhooks/dispatch/attempt'
import { createBusyAccounts } from './webhooks/dispatch/busy-accounts'
import { runLane } from './webhooks/dispatch/lane'
import { createDeliveryOutbox, deliveryJobs } from './webhooks/dispatch/outbox'
import { createRecorder } from './webhooks/dispatch/recorder'
import { createRetrySlots } from './webhooks/dispatch/retry-slots'
import type { Cipher } from './webhooks/signing/encryption'
import { createPost, type Post } from './webhooks/transport/post'
import { watchForeignWorkers } from './worker/foreign-workers'
import { keepRegistered } from './worker/registration'
import { createTemporalWorkers, deliveryWorkflowSlots } from './worker/temporal-workers'
import type { WorkflowSlots } from './worker/workflow-slots'

/**
 * Shutdown, in ms: running attempts may finish within `GRACE_MS`, which is longer than one attempt. Then they
 * are cancelled, not counted and repeated elsewhere. At `FORCE_MS` the worker stops in any case.
 */
const GRACE_MS = 31_000
const FORCE_MS = 33_000
/** Time for the dispatchers and the reconciliation to finish at shutdown, in ms. */
const PARTS_END_MS = 1_000

type WorkerParts = {
  config: Config & TemporalConfig & MailTarget
  sql: Sql
  cipher: Cipher
  log: Log
  meter: Meter
  waker: Waker
  /** File with the workflow code that `workflowBundle()` wrote. */
  workflows?: string | undefined
}

/**
 * Sends deliveries and writes articles until it is stopped: runs the Temporal workers, a dispatcher for each
 * outbox, and the reconciliation. Waits for Temporal if it is unavailable. `ready` resolves at the first
 * poll, and rejects when it never can; `stop` resolves within 35 s.
 * @throws {StartError} for invalid Temporal settings.
 */
export const startWorker = (deps: WorkerParts): { ready: Promise<void>; stop(): Promise<void> } => {
  const { config, log } = deps
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  // Throws for invalid settings before anything starts.
  const { connectionOptions } = temporalSettings(config)
  const availability = createAvailability(
    log,
    `Temporal at ${connectionOptions.address ?? 'localhost:7233'}`,
    `The worker retries until it is available.${connectionOptions.address === undefined ? ' TEMPORAL_ADDRESS is not set.' : ''}`,
  )
  const workflows = workflowBundle(deps.workflows)
  const post = createPost()
  const lane =
    config.workflows === 'on-retry' &&
    runLane(
      {
        ...sendDeps(deps, post, { inWorkflow: false }),
        maxInFlight: config.inFlight,
        listen: deps.waker.listen,
      },
      GRACE_MS,
      stopping.signal,
    )
  // One for the process: a connection to Temporal that ends must not end a pause that a provider asked for.
  const limiterDeps = { log, meter: deps.meter, stopping: stopping.signal }
  const providers = {
    providers: selectProviders(config, limiterDeps),
    serpProvider: createSerpProvider(config, limiterDeps),
  }
  // A lane makes attempts whether Temporal is available or not, and counts as a worker as long.
  const away = { isTemporal: false }
  const reporting = lane && reportThisWorker(deps, away, stopping.signal)
  let hasWorked = false
  const done = (async () => {
    const code = await workflows
    while (!stopping.signal.aborted) {
      try {
        const temporal = await connectTemporal(config, log)
        let hasEnded = false
        try {
          await runTemporalWorkers(
            { ...deps, ...providers, away },
            post,
            temporal,
            code,
            stopping.signal,
            () => {
              availability.reportSuccess()
              hasWorked = true
              ready.resolve()
            },
          )
          hasEnded = true
        } finally {
          const closing = temporal.connection.close()
          // A worker that failed may hold it still. The reason of the failure is what to report.
          await (hasEnded ? closing : closing.catch(() => {}))
        }
      } catch (error) {
        // After a successful start, an invalid setting can become valid again, such as a renewed certificate.
        if (error instanceof StartError && !hasWorked) throw error
        away.isTemporal = true
        if (stopping.signal.aborted)
          log.warn(`The worker did not shut down cleanly: ${String(error)}`)
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
      await Promise.all([done.catch(() => {}), lane, reporting]) // `ready` has reported the error.
    },
  }
}

/** The dependencies of an attempt. */
const sendDeps = (
  { sql, cipher, config, log, meter, waker }: WorkerParts,
  post: Post,
  how: { inWorkflow: boolean },
): SendDeps => ({
  sql,
  recorder: createRecorder(sql, how),
  cipher,
  post,
  rules: { allowPrivate: config.allowPrivateWebhooks },
  disableAfterDays: config.disableAfterDays,
  sendsMail: canSendMail(config),
  log,
  meter,
  publishChange: waker.publishChange,
  committed: waker.wake,
})

type Providers = {
  providers: ReturnType<typeof selectProviders>
  serpProvider: ReturnType<typeof createSerpProvider>
}

/** Whether Temporal does not respond. */
type Away = { isTemporal: boolean }

/** Runs until `signal`, or until the connection fails. */
const runTemporalWorkers = async (
  deps: WorkerParts & Providers & { away: Away },
  post: Post,
  temporal: Temporal,
  workflowBundle: { code: string },
  signal: AbortSignal,
  ready: () => void,
): Promise<void> => {
  const { config, sql, log, meter, waker, providers, serpProvider, away } = deps
  const { publishChange } = waker
  const { client, eagerStarts } = temporal
  const attributeRegistration = createSearchAttributeRegistration(temporal, log)
  // Not while visibility is unavailable: a worker needs none.
  await attributeRegistration.ensure().catch(() => {})
  const busyAccounts = createBusyAccounts()
  const deliveryOutbox =
    config.workflows === 'every' && createDeliveryOutbox(sql, 'attempts', busyAccounts)
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const retrySlots = createRetrySlots(config.inFlight)
  const deliveriesWith = (workflowSlots: WorkflowSlots, onRetry: (lateMs: number) => void) => ({
    workflowSlots,
    activities: createActivities({
      ...sendDeps(deps, request => workflowSlots.whileIdle(post(request)), { inWorkflow: true }),
      retrySlots,
      onRetry,
      attemptEnded: () => {
        if (deliveryOutbox) deliveryOutbox.attemptEnded()
      },
      graceOver: graceAfter(until),
      retentionDays: config.retentionDays,
      providers,
      serpProvider,
      serpInFlight: config.serpInFlight,
    }),
  })
  const workers = await createTemporalWorkers(temporal, {
    config,
    workflowBundle,
    deliveries: deliveriesWith(deliveryWorkflowSlots(config.inFlight), busyAccounts.reportLateness),
    busyDeliveries: deliveriesWith(
      deliveryWorkflowSlots(config.inFlight, busyAccounts.tasks),
      () => {},
    ),
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
  })
  const dispatching = {
    sql,
    client,
    eagerStarts,
    taskQueue: config.taskQueue,
    publicUrl: config.publicUrl,
    attributeRegistration,
    log,
    meter,
    listen: waker.listen,
    isTemporalThere: () => isTemporalThere(temporal),
  }
  const parts = Promise.all([
    ...(deliveryOutbox ? [runDispatcher(deliveryOutbox, dispatching, until)] : []),
    runDispatcher(createDeliveryOutbox(sql, 'workflows', busyAccounts), dispatching, until),
    runDispatcher(generationOutbox, dispatching, until),
    runDispatcher(rankRunOutbox, dispatching, until),
    runReconcile(deliveryJobs, sql, temporal, publishChange, log, until),
    runReconcile(generationOutbox, sql, temporal, publishChange, log, until),
    runReconcile(rankRunOutbox, sql, temporal, publishChange, log, until),
    watchTemporal(
      temporal,
      isThere => {
        away.isTemporal = !isThere
      },
      until,
    ),
    ...(config.workflows === 'every' ? [reportThisWorker(deps, away, until)] : []),
    keepRegistered(deps, temporal, attributeRegistration, until),
    watchForeignWorkers({ sql, temporal, config, log }, until),
  ])
  const running = workers.run().finally(() => ended.abort())
  running.catch(() => {}) // Awaited below; prevents an unhandled rejection until then.
  ready()
  // First stop starting workflows, because an eager start returns to this worker. Wait no longer than this: a
  // query can hang while PostgreSQL is unavailable.
  const late = once(until, 'abort').then(() => sleep(PARTS_END_MS))
  await Promise.race([parts, late])
  await workers.shutdown()
  await running
}

/** Aborts `GRACE_MS` after `signal`. */
const graceAfter = (signal: AbortSignal): AbortSignal => {
  const graceOver = new AbortController()
  const begin = () => setTimeout(() => graceOver.abort(), GRACE_MS).unref()
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return graceOver.signal
}

/** Maintains the row of this worker, from which others know that it makes attempts. */
const reportThisWorker = ({ config, sql, cipher }: WorkerParts, away: Away, signal: AbortSignal) =>
  reportWorker(
    sql,
    {
      id: config.identity,
      slots: config.inFlight,
      providers: namedProviders(config),
      languageModels: (config.llm?.providers ?? []).map(({ name, api, baseUrl, models }) => ({
        name,
        api,
        host: new URL(baseUrl).host,
        models,
      })),
      encryptionKeys: cipher.keyIds,
      temporalAway: () => {
        if (!away.isTemporal) return null
        return config.workflows === 'every' ? 'all' : 'retries'
      },
    },
    signal,
  )

const namedProviders = ({ llm, serp }: Config): Provider[] => [
  ...(llm === undefined ? [] : (['live'] as const)),
  ...(llm?.inTestMode ? (['test'] as const) : []),
  ...(serp === undefined ? [] : (['serp'] as const)),
]
