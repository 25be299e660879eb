/**
 * An outbox: records that are due, each for a workflow of its own. A claim is a lease: when a process dies between the
 * claim and the start, its records are due again.
 */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import type { TemporalDeps } from './workflow-start'

/** A run of a record. Each run is one workflow; runs count from 1. */
export type Job = { id: string; run: number }

/** The tables whose rows are due for a workflow. */
export type OutboxTable = 'deliveries' | 'generations' | 'project_rank_runs'

/** Records with workflows, as reconciliation needs them. */
export type Jobs = {
  table: OutboxTable
  /** The id of the workflow that owns a run. */
  workflowId: (id: string, run: number) => string
  /**
   * Claims up to `limit` records whose time of reconciliation has passed, and is not before `from`, the oldest first,
   * and sets it `seconds` from now. `checkAt` is the time before.
   */
  claimOverdue: (
    sql: Sql,
    batch: { from: Date; limit: number; seconds: number },
  ) => Promise<(Job & Tenant & { checkAt: Date })[]>
  /** Makes a record due again as a new run. A final record, or one of another run, does not change. */
  restart: (sql: Sql, job: Job) => Promise<void>
  /** Ends a run whose workflow an operator ended. A final record, or one of another run, does not change. */
  stopped: (sql: Sql, job: Job, how: 'TERMINATED' | 'CANCELLED') => Promise<unknown>
}

export type Outbox<T extends Job> = {
  table: OutboxTable
  /** What is due, for logs. */
  what: string
  /** Delay from a wake-up to the claim, in ms, for an outbox that few commits concern: every commit wakes all. */
  delayMs: number
  /** Claims up to `limit` due records. Rejects when PostgreSQL does not respond; those are due when the lease ends. */
  claim: (sql: Sql, limit: number) => Promise<T[]>
  /** Called once with a function that wakes the dispatcher: more can be due without a commit. */
  listen?: (notify: () => void) => void
  /** Milliseconds until more can be due without a wake-up. Undefined: unknown. */
  waitMs?: () => number
  /** Whether the job is handed over within a limit that others do not have: no other waits for it. */
  isLimited?: (job: T) => boolean
  /** Makes Temporal do what is due: start a workflow, or cancel one. Calling it twice must be harmless. */
  handOver: (deps: TemporalDeps, job: T) => Promise<void>
  /** Ends the claim of records that were handed over, and sets their time of reconciliation. */
  markHandedOver: (sql: Sql, jobs: T[]) => Promise<void>
  /** Makes claimed records due at once, for any dispatcher. */
  release: (sql: Sql, jobs: T[]) => Promise<void>
  /** Called when the dispatcher stops. */
  stop?: () => Promise<void>
}
