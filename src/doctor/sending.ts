import type { Sql } from '../db/connect'
import { isWorkerAlive, WORKER_ALIVE_S } from '../temporal/heartbeat'
import { type Checks, type Finding, fail, ok, warn } from './check'

/** What is due is handed over within a second; a busy minute is none to worry about. In s. */
const LATE_S = 60
/** Counted no further. */
const COUNT_MAX = 10_000

/** Who sends, and what waits to be sent, as PostgreSQL knows it. */
export const sendingChecks = (sql: Sql): Checks => ({
  workers: () => checkWorkers(sql),
  outbox: () => checkOutbox(sql),
})

const checkWorkers = async (sql: Sql): Promise<Finding> => {
  const [row] = await sql<[{ alive: number; slots: number }]>`
    SELECT count(*) AS alive, coalesce(sum(slots), 0) AS slots FROM workers
    WHERE ${isWorkerAlive(sql)}`
  return row.alive > 0
    ? ok(
        `${row.alive} ${row.alive === 1 ? 'worker is' : 'workers are'} alive, with ${row.slots} attempts at a time.`,
      )
    : fail(
        `No worker has been seen for ${WORKER_ALIVE_S} s: nothing is sent and nothing is written.`,
        'Start one: arden worker. If one runs, its log says what it waits for.',
      )
}

const checkOutbox = async (sql: Sql): Promise<Finding> => {
  const [deployment] = await sql<[{ paused_at: Date | null }]>`SELECT paused_at FROM deployment`
  // As a claim sees it: what a paused webhook has, and what is claimed, is not due.
  const [row] = await sql<[{ due: number; seconds: number | null }]>`
    SELECT count(*) AS due, extract(epoch FROM clock_timestamp() - min(due_at))::int AS seconds
    FROM (
      SELECT d.due_at FROM deliveries d
      JOIN webhook_states w ON w.id = d.webhook_id AND (NOT w.paused OR ${deployment.paused_at !== null})
      WHERE d.due_at <= clock_timestamp() LIMIT ${COUNT_MAX}
    ) waiting`
  const due = row.due < COUNT_MAX ? String(row.due) : `${COUNT_MAX} or more`
  if (deployment.paused_at !== null)
    return warn(
      `Everything is paused since ${deployment.paused_at.toISOString()}; ${due} deliveries wait.`,
      'Send again with: arden resume',
    )
  if ((row.seconds ?? 0) > LATE_S)
    return warn(
      `${due} deliveries wait for their turn, one of them for ${row.seconds} s.`,
      'Where workers are busy, start more; where endpoints do not answer (SELECT * FROM slow_webhooks), this is their own backlog.',
    )
  return ok(`${due} deliveries are due.`)
}
