/**
 * Asks Temporal about deliveries whose workflow should long have recorded something (design, step 3): its
 * store may have been lost, or an operator may have ended the workflow. Asked by id, for lists lag.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Sql } from '../db/connect'
import { CALL_TIMEOUT_MS } from '../temporal/connect'
import { recordEnd } from './attempts'
import { workflowId } from './workflow-id'

/** Deliveries in one go, all asked about at the same time. */
const BATCH = 50
/** Until the same delivery is looked at again: its workflow runs, or Temporal could not be asked. */
const LOOK_AGAIN_S = 60

/** Between looks for overdue deliveries, in ms. */
const EVERY_MS = 5_000

type Overdue = { id: string; run: number }

/**
 * Looks after the deliveries that are past `check_at`, up to a batch of them, and answers how many there
 * were. One whose workflow is gone gets a new run with the attempts that are left; one whose workflow was
 * terminated or cancelled ends FAILED. Rejects when Temporal or Postgres is away: each is then looked at
 * a minute later.
 */
export const reconcileOnce = async (sql: Sql, client: Client): Promise<number> => {
  const overdue = await claimOverdue(sql)
  await Promise.all(overdue.map(one => reconcile(sql, client, one)))
  return overdue.length
}

/** Reconciles until `signal`. What is away meanwhile is waited for: nothing is decided without it. */
export const runReconcile = async (
  sql: Sql,
  client: Client,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const found = await reconcileOnce(sql, client).catch(() => 0)
    if (found < BATCH) await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

const claimOverdue = (sql: Sql) => sql<Overdue[]>`
  WITH overdue AS MATERIALIZED (
    SELECT id FROM deliveries WHERE check_at <= clock_timestamp()
    ORDER BY check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET check_at = clock_timestamp() + make_interval(secs => ${LOOK_AGAIN_S})
  FROM overdue WHERE d.id = overdue.id
  RETURNING d.id, d.run`

const reconcile = async (sql: Sql, client: Client, { id, run }: Overdue): Promise<void> => {
  switch (await statusOf(client, workflowId(id, run))) {
    case 'TERMINATED':
    case 'CANCELLED':
      return await recordEnd(sql, { deliveryId: id, run, reason: 'stopped in Temporal' })
    case 'COMPLETED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'NOT_FOUND':
      return await restart(sql, { id, run })
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

/** Due again as a new run. Not when the delivery became final while Temporal was asked. */
const restart = async (sql: Sql, { id, run }: Overdue): Promise<void> => {
  await sql`
    UPDATE deliveries SET run = run + 1, due_at = clock_timestamp(), check_at = NULL
    WHERE id = ${id} AND run = ${run} AND status = 'RETRYING'`
}
