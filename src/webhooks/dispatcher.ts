/**
 * Hands due deliveries to Temporal (design, step 3): claims them, starts a workflow for each, and lets go
 * of them. Any number of dispatchers share the work; starting one twice does no harm, for its id is taken.
 */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { deliverWebhook } from '../../workflows/deliver-webhook'
import { createAvailability } from '../availability'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import { CALL_TIMEOUT_MS } from '../temporal/connect'
import { searchAttributes } from '../temporal/search-attributes'
import { createBell } from './bell'
import { claimDue, type Due, markStarted, release } from './outbox'
import { listenForWake } from './wake'
import { workflowId } from './workflow-id'

/** Deliveries in one claim, and claims that are worked on at the same time. */
const BATCH = 20
const BATCHES = 2
/**
 * Starts at a time, in each claim. Few on purpose: Temporal's store takes writes in turn, and a burst of
 * starts keeps what was started from going on. For 1,000 on 2 cores (SQLite), 8 starts at a time gave 92
 * deliveries a second, evenly; 100 gave 25 a second while it started, and no more over all.
 */
const STARTS = 4
/** A wake-up may be lost: what is due is looked for this often, in ms. */
const SWEEP_MS = 1_000

export type DispatcherDeps = {
  sql: Sql
  client: Client
  taskQueue: string
  /** False where Temporal does not know them: it would refuse every start that names them. */
  withSearchAttributes: boolean
  log: Log
}

/**
 * Claims up to `limit` due deliveries and starts their workflows. What could not be started is due again
 * when this resolves. Rejects when Postgres is away: the claims then come due by themselves.
 */
export const dispatchDue = async (deps: DispatcherDeps, limit: number): Promise<Dispatched> =>
  startAll(deps, await claimDue(deps.sql, limit))

/** `error` is why some could not be started. */
export type Dispatched = { claimed: number; started: number; error?: unknown }

/** Dispatches until `signal`, whatever is away meanwhile. Resolves when no start is left under way. */
export const runDispatcher = async (deps: DispatcherDeps, signal: AbortSignal): Promise<void> => {
  const { sql, log } = deps
  const postgres = createAvailability(log, 'Postgres', 'Nothing is sent until it is back.')
  const temporal = createAvailability(log, 'Temporal', 'Events wait in Postgres until it is back.')
  const bell = createBell(signal)
  const unlisten = await listenForWake(sql, bell.ring).catch(() => undefined)
  if (unlisten === undefined)
    log.warn('Postgres does not let Arden LISTEN: events are found each second instead of at once.')

  const batches = new Set<Promise<void>>()
  const startBatch = (due: Due[]) => {
    const batch = startAll(deps, due)
      .then(({ started, error }) => {
        if (error === undefined || started > 0) temporal.worked()
        else temporal.failed(error)
      }, postgres.failed)
      .finally(() => batches.delete(batch))
    batches.add(batch)
  }
  while (!signal.aborted) {
    const pauseMs = Math.max(postgres.pauseMs(), temporal.pauseMs())
    await bell.sleep(pauseMs)
    try {
      // While something is away, one delivery tries whether it is back.
      const limit = pauseMs > 0 ? 1 : BATCH
      const due = await claimDue(sql, limit)
      postgres.worked()
      if (due.length > 0) startBatch(due)
      if (pauseMs > 0 || batches.size >= BATCHES) await Promise.race(batches)
      if (due.length < limit) await bell.wait(SWEEP_MS)
    } catch (error) {
      postgres.failed(error)
    }
  }
  await Promise.all(batches)
  await unlisten?.().catch(() => {})
}

const startAll = async (deps: DispatcherDeps, due: Due[]): Promise<Dispatched> => {
  const waiting = [...due]
  const started: Due[] = []
  const failed: Due[] = []
  let failure: unknown
  const startSome = async () => {
    // After one failure the others are not tried: each would wait for as long.
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      try {
        await start(deps, one)
        started.push(one)
      } catch (error) {
        failure = error
        failed.push(one, ...waiting.splice(0))
      }
    }
  }
  await Promise.all(Array.from({ length: STARTS }, startSome))
  if (started.length > 0) await markStarted(deps.sql, started)
  if (failed.length > 0) await release(deps.sql, failed)
  return { claimed: due.length, started: started.length, error: failure }
}

/** Resolves when the workflow of this run exists, whoever started it. */
const start = async (
  { client, taskQueue, withSearchAttributes }: DispatcherDeps,
  { id, run, accountId, webhookId, eventType, url }: Due,
): Promise<void> => {
  const { host } = new URL(url)
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.start<typeof deliverWebhook>('deliverWebhook', {
        workflowId: workflowId(id, run),
        taskQueue,
        args: [{ deliveryId: id, run, eventType, webhookId, host }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        requestEagerStart: true,
        staticSummary: `${eventType} to ${host}`,
        ...(withSearchAttributes && {
          typedSearchAttributes: searchAttributes({
            ArdenAccount: accountId,
            ArdenWebhook: webhookId,
            ArdenEvent: eventType,
          }),
        }),
      }),
    )
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
