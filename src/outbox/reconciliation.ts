/**
 * Asks Temporal about records whose workflow should long have recorded something (docs/architecture.md, "From a
 * commit to the receiver"): its store may have been lost, or an operator may have ended the workflow. Asked by
 * id, for lists lag.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { createAvailability, runPeriodically } from '../availability'
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import type { PublishChange } from '../notifications/changes'
import { CALL_TIMEOUT_MS } from '../temporal/connection'
import type { Job, JobTable } from './outbox'

/** Records in one go, all asked about at the same time. */
const BATCH = 50
/** Until the same record is looked at again: its workflow runs, or Temporal could not be asked. */
const LOOK_AGAIN_S = 60

/** Between looks for overdue records, in ms. */
const EVERY_MS = 5_000

/**
 * Looks after the records that are past `check_at`, up to a batch of them, and answers how many there
 * were. One whose workflow is gone gets a new run with the attempts that are left; one whose workflow was
 * terminated or cancelled ends. Rejects when Temporal or Postgres is away: each is then looked at a minute
 * later. `publishChange` notifies open dashboards of each record that ended.
 */
export const reconcileOnce = async (
  jobs: JobTable,
  sql: Sql,
  client: Client,
  publishChange: PublishChange,
): Promise<number> => {
  const overdue = await claimOverdue(jobs, sql)
  await Promise.all(overdue.map(job => reconcile(jobs, sql, client, publishChange, job)))
  return overdue.length
}

/** Reconciles until `signal`. What is away meanwhile is waited for: nothing is decided without it. */
export const runReconcile = (
  jobs: JobTable,
  sql: Sql,
  client: Client,
  publishChange: PublishChange,
  log: Log,
  signal: AbortSignal,
): Promise<void> =>
  runPeriodically(
    async () => ((await reconcileOnce(jobs, sql, client, publishChange)) < BATCH ? 'done' : 'more'),
    EVERY_MS,
    createAvailability(log, `Looking after ${jobs.table}`, 'It is tried again.'),
    signal,
  )

const claimOverdue = ({ table }: JobTable, sql: Sql) => sql<(Job & Tenant)[]>`
  WITH overdue AS MATERIALIZED (
    SELECT id FROM ${sql(table)} WHERE check_at <= clock_timestamp()
    ORDER BY check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  )
  UPDATE ${sql(table)} d SET check_at = clock_timestamp() + make_interval(secs => ${LOOK_AGAIN_S})
  FROM overdue WHERE d.id = overdue.id
  RETURNING d.id, d.run, d.account_id AS "accountId", d.mode`

const reconcile = async (
  jobs: JobTable,
  sql: Sql,
  client: Client,
  publishChange: PublishChange,
  job: Job & Tenant,
): Promise<void> => {
  const status = await statusOf(client, jobs.workflowId(job.id, job.run))
  switch (status) {
    case 'TERMINATED':
    case 'CANCELLED':
      await jobs.stopped(sql, job, status)
      return publishChange(job, jobs.table)
    case 'COMPLETED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'NOT_FOUND':
      return await restart(jobs, sql, job)
    default: // It runs, or is paused by an operator.
  }
}

const statusOf = async (client: Client, id: string) => {
  try {
    const { status } = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(id).describe(),
    )
    return status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NOT_FOUND'
    throw error
  }
}

/** Due again as a new run. Not when it became final while Temporal was asked. */
const restart = async ({ table, isOpen }: JobTable, sql: Sql, { id, run }: Job): Promise<void> => {
  await sql`
    UPDATE ${sql(table)} d SET run = run + 1, due_at = clock_timestamp(), check_at = NULL
    WHERE id = ${id} AND run = ${run} AND ${isOpen(sql)}`
}
