import type { Tenant } from '../caller'
import { type Fragment, type Sql, withTimeout } from '../db/connect'
import type { Job, Jobs, Outbox } from './outbox'

/** Lease of a claim in seconds, longer than the time-out of a call to Temporal. */
const LEASE_S = 10

type RowOutbox<T extends Job> = Omit<
  Outbox<T> & Jobs,
  'claim' | 'markHandedOver' | 'release' | 'claimOverdue' | 'restart'
> & {
  /** SQL for what a claim returns of row `d`, beside id and run. */
  columns: (sql: Sql) => Fragment
  /** SQL on row `d`: the time of reconciliation for a run that is handed over now; NULL for never. */
  checkAt: (sql: Sql) => Fragment
  /** SQL condition on row `d`: not final. */
  isOpen: (sql: Sql) => Fragment
}

/**
 * An outbox in the columns of a table: `due_at` is the queue and the lease of a claim, `check_at` the time of
 * reconciliation. Both are NULL in a final record.
 */
export const createRowOutbox = <T extends Job>({
  columns,
  checkAt,
  isOpen,
  ...outbox
}: RowOutbox<T>): Outbox<T> & Jobs => {
  const { table } = outbox
  return {
    ...outbox,

    claim: (sql, limit) =>
      withTimeout(sql<T[]>`
        WITH due AS MATERIALIZED (
          SELECT id FROM ${sql(table)} WHERE due_at <= clock_timestamp()
          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        UPDATE ${sql(table)} d SET due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
        FROM due WHERE d.id = due.id
        RETURNING d.id, d.run, ${columns(sql)}`),

    // A record without the lease does not change: its workflow has recorded something, or it is due again.
    markHandedOver: async (sql, jobs) => {
      await sql`
        WITH locked AS MATERIALIZED (${lockInOrder(sql, table, jobs, sql`d.due_at > clock_timestamp()`)})
        UPDATE ${sql(table)} d SET due_at = NULL, check_at = ${checkAt(sql)}
        FROM locked WHERE d.id = locked.id`
    },

    release: async (sql, jobs) => {
      await sql`
        WITH locked AS MATERIALIZED (${lockInOrder(sql, table, jobs, sql`d.due_at IS NOT NULL`)})
        UPDATE ${sql(table)} d SET due_at = clock_timestamp()
        FROM locked WHERE d.id = locked.id`
    },

    claimOverdue: (sql, { from, limit, seconds }) => sql<(Job & Tenant & { checkAt: Date })[]>`
      WITH overdue AS MATERIALIZED (
        SELECT id, check_at FROM ${sql(table)} WHERE check_at >= ${from} AND check_at <= clock_timestamp()
        ORDER BY check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      UPDATE ${sql(table)} d SET check_at = clock_timestamp() + make_interval(secs => ${seconds})
      FROM overdue WHERE d.id = overdue.id
      RETURNING d.id, d.run, d.account_id AS "accountId", d.mode, overdue.check_at AS "checkAt"`,

    restart: async (sql, { id, run }) => {
      await sql`
        UPDATE ${sql(table)} d SET run = run + 1, due_at = clock_timestamp(), check_at = NULL
        WHERE id = ${id} AND run = ${run} AND ${isOpen(sql)}`
    },
  }
}

/** Several rows are always locked in the order of their ids, so that two statements do not deadlock. */
const lockInOrder = (sql: Sql, table: string, jobs: Job[], condition: Fragment) => sql`
  SELECT d.id FROM ${sql(table)} d
  JOIN unnest(${jobs.map(job => job.id)}::text[], ${jobs.map(job => job.run)}::int[])
    AS claim (id, run) ON d.id = claim.id AND d.run = claim.run
  WHERE ${condition}
  ORDER BY d.id FOR NO KEY UPDATE OF d`
