/**
 * Reconciliation describes, in Temporal, the workflows that should have recorded something long ago
 * (docs/architecture.md, "From a commit to the receiver"): the store of Temporal can have been lost, or an operator can
 * have ended the workflow. By id, because lists of workflows lag.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { createAvailability, runPeriodically } from '../availability'
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import type { PublishChange } from '../notifications/changes'
import type { Topic } from '../notifications/topics'
import { CALL_TIMEOUT_MS, isTemporalThere, type Temporal } from '../temporal/connection'
import type { Job, Jobs, OutboxTable } from './outbox'

/** Records in one batch, described concurrently. */
const BATCH_SIZE = 50
/** Delay until the same record is described again, in seconds. */
const RETRY_S = 60

/**
 * Failed tries of one workflow task after which the workflow is replaced: the code of the workers does not match its
 * history, for example after a rollback. Temporal would try the task for ever. It needs about 20 s for as many, and each
 * may go to any worker, so that in a rolling upgrade workers of the right version get it meanwhile.
 */
const FAILED_TASKS_MAX = 4

/** Interval of batches, in ms. */
const INTERVAL_MS = 5_000

/** Interval of batches that begin at the oldest record, in ms. */
const READ_ALL_MS = 5 * 60_000
/** How long ago, in ms, a record can have come due that is visible only now: its transaction committed late. */
const LATE_COMMIT_MS = 2 * 60_000
const OLDEST = new Date(0)

/**
 * A reconciler: each call reconciles a batch of records past `check_at` and returns how many there were. A record whose workflow is gone gets a
 * new run with the remaining attempts (contract 5.8), and so does one whose workflow cannot continue with the workers'
 * code; one whose workflow was terminated or cancelled ends. Rejects while Temporal or PostgreSQL is unavailable; the
 * records are then described a minute later.
 *
 * A batch begins where the last one ended: while a snapshot is held, the index keeps the entries of all records that
 * ended since. Every five minutes one begins at the oldest record, for those that a transaction had locked.
 */
export const createReconciler = (
  jobs: Jobs,
  sql: Sql,
  client: Client,
  publishChange: PublishChange,
): (() => Promise<number>) => {
  let from = OLDEST
  let readAllAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - readAllAt > READ_ALL_MS) {
      from = OLDEST
      readAllAt = performance.now()
    }
    const allReadTo = new Date(Date.now() - LATE_COMMIT_MS)
    const overdue = await jobs.claimOverdue(sql, { from, limit: BATCH_SIZE, seconds: RETRY_S })
    from =
      overdue.length < BATCH_SIZE
        ? allReadTo
        : new Date(Math.max(...overdue.map(({ checkAt }) => checkAt.getTime())))
    await Promise.all(overdue.map(job => reconcile(jobs, sql, client, publishChange, job)))
    return overdue.length
  }
}

/** Reconciles until `signal` aborts. During an outage nothing is decided. */
export const runReconcile = (
  jobs: Jobs,
  sql: Sql,
  temporal: Temporal,
  publishChange: PublishChange,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  const reconcileBatch = createReconciler(jobs, sql, temporal.client, publishChange)
  const availability = createAvailability(log, `Reconciling ${jobs.table}`, 'It is tried again.')
  const reconcileNext = async () => {
    const count = await reconcileBatch()
    // An empty batch has called PostgreSQL only.
    const isAway = availability.pauseMs() > 0
    if (count === 0 && isAway && !(await isTemporalThere(temporal))) return 'idle'
    return count < BATCH_SIZE ? 'done' : 'more'
  }
  return runPeriodically(reconcileNext, INTERVAL_MS, availability, signal)
}

/** What dashboards read again when a record of the table changes. */
const TOPICS: Record<OutboxTable, Topic> = {
  deliveries: 'deliveries',
  generations: 'generations',
  project_rank_runs: 'rankings',
}

const reconcile = async (
  jobs: Jobs,
  sql: Sql,
  client: Client,
  publishChange: PublishChange,
  job: Job & Tenant,
): Promise<unknown> => {
  const workflowId = jobs.workflowId(job.id, job.run)
  const status = await statusOf(client, workflowId)
  switch (status) {
    case 'TERMINATED':
    case 'CANCELLED':
      await jobs.stopped(sql, job, status)
      return publishChange(job, TOPICS[jobs.table])
    case 'COMPLETED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'NOT_FOUND':
      return await jobs.restart(sql, job)
    case 'FAILING':
      // In this order: a record of the same run whose workflow was terminated ends.
      await jobs.restart(sql, job)
      return await replace(client, workflowId)
    default: // Running, or paused by an operator.
  }
}

const statusOf = async (client: Client, id: string) => {
  try {
    const { status, raw } = await withDeadline(client, () =>
      client.workflow.getHandle(id).describe(),
    )
    const failedTasks = (raw.pendingWorkflowTask?.attempt ?? 1) - 1
    return failedTasks >= FAILED_TASKS_MAX ? 'FAILING' : status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NOT_FOUND'
    throw error
  }
}

const replace = (client: Client, id: string) =>
  withDeadline(client, () =>
    client.workflow
      .getHandle(id)
      .terminate(
        'The workers run other code than the one that wrote this history. The next run replaces this one.',
      ),
  )

const withDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call)
