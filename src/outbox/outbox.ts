/**
 * An outbox: records that are due, each for a workflow of its own. Its column `due` is the queue and the lease of a
 * claim: when a process dies between the claim and the start, its records are due again. `check_at` is the time of
 * reconciliation. Both are NULL in a final record.
 */
import type { Fragment, Sql } from '../db/connect'
import type { TemporalDeps } from './workflow-start'

/** A run of a record. Each run is one workflow; runs count from 1. */
export type Job = { id: string; run: number }

/** A table of records with workflows, as reconciliation needs it. */
export type JobTable = {
  table: 'deliveries' | 'generations'
  /** The id of the workflow that owns a run. */
  workflowId: (id: string, run: number) => string
  /** SQL on row `d`: the time of reconciliation for a run that is handed over now; NULL for never. */
  checkAt: (sql: Sql) => Fragment
  /** SQL condition on row `d`: not final. */
  isOpen: (sql: Sql) => Fragment
  /** Ends a run whose workflow an operator ended. A final record, or one of another run, does not change. */
  stopped: (sql: Sql, job: Job, how: 'TERMINATED' | 'CANCELLED') => Promise<unknown>
}

export type Outbox<T extends Job> = JobTable & {
  due: 'due_at' | 'workflow_due_at'
  /** Delay from a wake-up to the claim, in ms, for an outbox that few commits concern: every commit wakes all. */
  delayMs: number
  /** Claims up to `limit` due records, the longest due first, until the lease ends. */
  claim: (sql: Sql, limit: number) => Promise<T[]>
  /** Makes Temporal do what is due: start a workflow, or cancel one. Calling it twice must be harmless. */
  handOver: (deps: TemporalDeps, job: T) => Promise<void>
}

/** Lease of a claim in seconds, longer than the time-out of a call to Temporal. */
export const LEASE_S = 10

/**
 * Ends the lease of runs that were handed over and sets their time of reconciliation. A record without the lease does not change: its
 * workflow has recorded something, or it is due again.
 */
export const markHandedOver = async <T extends Job>(
  sql: Sql,
  outbox: Outbox<T>,
  jobs: Job[],
): Promise<void> => {
  const due = sql(outbox.due)
  await sql`
    WITH locked AS MATERIALIZED (${lockInOrder(sql, outbox, jobs, sql`d.${due} > clock_timestamp()`)})
    UPDATE ${sql(outbox.table)} d SET ${due} = NULL, check_at = ${outbox.checkAt(sql)}
    FROM locked WHERE d.id = locked.id`
}

/** Makes runs that could not be handed over due at once, for any dispatcher. */
export const release = async <T extends Job>(
  sql: Sql,
  outbox: Outbox<T>,
  jobs: Job[],
): Promise<void> => {
  const due = sql(outbox.due)
  await sql`
    WITH locked AS MATERIALIZED (${lockInOrder(sql, outbox, jobs, sql`d.${due} IS NOT NULL`)})
    UPDATE ${sql(outbox.table)} d SET ${due} = clock_timestamp()
    FROM locked WHERE d.id = locked.id`
}

/** Several rows are always locked in the order of their ids, so that two statements do not deadlock. */
const lockInOrder = (sql: Sql, { table }: JobTable, jobs: Job[], condition: Fragment) => sql`
  SELECT d.id FROM ${sql(table)} d
  JOIN unnest(${jobs.map(job => job.id)}::text[], ${jobs.map(job => job.run)}::int[])
    AS claim (id, run) ON d.id = claim.id AND d.run = claim.run
  WHERE ${condition}
  ORDER BY d.id FOR NO KEY UPDATE OF d`
