/**
 * An outbox: records that are due to be handed to Temporal, each to a workflow of its own. Its column `due` is
 * the queue, and the lease of whoever claimed from it: a process that dies between claim and hand-over leaves
 * rows that come due again. `check_at` is when the sweep asks Temporal about a workflow that should long
 * have recorded something. Both are NULL in a final row.
 */
import type { Fragment, Sql } from '../db/connect'
import type { TemporalDeps } from './workflow-start'

/** A row and its run: each run is one workflow, 1 for the first, raised when it must start anew. */
export type Job = { id: string; run: number }

/** What the sweep needs to know of them. */
export type JobTable = {
  table: 'deliveries' | 'generations'
  /** The id of the workflow that owns a run. */
  workflowId: (id: string, run: number) => string
  /** SQL on the row `d`: when the sweep looks after what is handed over now; NULL for never. */
  checkAt: (sql: Sql) => Fragment
  /** SQL on the row `d`: it is not final. */
  isOpen: (sql: Sql) => Fragment
  /** An operator ended its workflow in Temporal. A final row, or one of another run, is left as it is. */
  stopped: (sql: Sql, job: Job, how: 'TERMINATED' | 'CANCELLED') => Promise<unknown>
}

export type Outbox<T extends Job> = JobTable & {
  due: 'due_at' | 'workflow_due_at'
  /**
   * From a wake-up to the claim, in ms. Every commit wakes, whatever it made due, so what few of them are about
   * and nobody waits for is not looked for after each.
   */
  delayMs: number
  /** Claims up to `limit` due rows, the longest due first, each for one claimer until its lease ends. */
  claim: (sql: Sql, limit: number) => Promise<T[]>
  /** Resolves when Temporal has it, whoever handed it over; doing it twice must do no harm. */
  handOver: (deps: TemporalDeps, job: T) => Promise<void>
}

/** Seconds; longer than a call of Temporal may take, so that a living claimer is not overtaken. */
export const LEASE_S = 10

/**
 * Temporal has them: the sweep looks after them from now on. One whose lease is gone, because its workflow
 * has recorded something or because it is due for something else, is left alone.
 */
export const markStarted = async <T extends Job>(
  sql: Sql,
  outbox: Outbox<T>,
  jobs: Job[],
): Promise<void> => {
  const due = sql(outbox.due)
  await sql`
    WITH held AS MATERIALIZED (${lockInOrder(sql, outbox, jobs, sql`d.${due} > clock_timestamp()`)})
    UPDATE ${sql(outbox.table)} d SET ${due} = NULL, check_at = ${outbox.checkAt(sql)}
    FROM held WHERE d.id = held.id`
}

/** Temporal could not be told: due again at once, for any dispatcher. */
export const release = async <T extends Job>(
  sql: Sql,
  outbox: Outbox<T>,
  jobs: Job[],
): Promise<void> => {
  const due = sql(outbox.due)
  await sql`
    WITH held AS MATERIALIZED (${lockInOrder(sql, outbox, jobs, sql`d.${due} IS NOT NULL`)})
    UPDATE ${sql(outbox.table)} d SET ${due} = clock_timestamp()
    FROM held WHERE d.id = held.id`
}

/** In the order of their ids, as whoever cancels or removes several does: no two wait for each other. */
const lockInOrder = (sql: Sql, { table }: JobTable, jobs: Job[], which: Fragment) => sql`
  SELECT d.id FROM ${sql(table)} d
  JOIN unnest(${jobs.map(job => job.id)}::text[], ${jobs.map(job => job.run)}::int[])
    AS claim (id, run) ON d.id = claim.id AND d.run = claim.run
  WHERE ${which}
  ORDER BY d.id FOR NO KEY UPDATE OF d`
