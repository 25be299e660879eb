import type { Sql } from '../db/connect'
import { findMissingStandby } from '../db/missing-standby'
import { requireWritable } from '../db/read-only'
import { isWorkerAlive, WORKER_ALIVE_S } from '../temporal/heartbeat'
import { DUE_KINDS, KIND } from '../webhooks/queue/entry'
import { type Checks, type Finding, fail, ok, skipped, warn } from './check'

/**
 * Age of a due delivery that is worth a warning, in seconds. Usually it is sent within one second.
 */
const LATE_S = 60
/** Age of a generation that waits for a worker or for the provider, in seconds, that is worth a warning. */
const GENERATION_LATE_S = 600
/** Maximum count of due deliveries. */
const COUNT_MAX = 10_000

/** Checks the workers and the outbox by what PostgreSQL knows. */
export const sendingChecks = (sql: Sql): Checks => ({
  workers: () => checkWorkers(sql),
  outbox: () => checkOutbox(sql),
  generations: () => checkGenerations(sql),
})

const checkWorkers = async (sql: Sql): Promise<Finding> => {
  // A worker that runs could not report itself.
  await requireWritable(sql)
  if ((await findMissingStandby(sql)) !== undefined) return skipped('database')
  const [row] = await sql<[{ alive: number; slots: number }]>`
    SELECT count(*) AS alive, coalesce(sum(slots), 0) AS slots FROM workers
    WHERE ${isWorkerAlive(sql)}`
  return row.alive > 0
    ? ok(
        `${row.alive} ${row.alive === 1 ? 'worker is' : 'workers are'} alive, with ${row.slots} attempts at a time.`,
      )
    : fail(
        `No worker has been seen for ${WORKER_ALIVE_S} s: no delivery is sent and no article is written.`,
        'Start one: arden worker. If one is running, see its log.',
      )
}

const checkGenerations = async (sql: Sql): Promise<Finding> => {
  const [row] = await sql<[{ waiting: number; running: number; seconds: number | null }]>`
    SELECT count(*) FILTER (WHERE status = 'QUEUED') AS waiting,
      count(*) FILTER (WHERE status = 'RUNNING') AS running,
      extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE status = 'QUEUED'))::int AS seconds
    FROM (
      (SELECT status, queued_at FROM generations
       WHERE check_at IS NOT NULL ORDER BY check_at LIMIT ${COUNT_MAX})
      UNION ALL
      -- Not passed to Temporal yet.
      (SELECT status, queued_at FROM generations
       WHERE due_at IS NOT NULL AND check_at IS NULL ORDER BY due_at LIMIT ${COUNT_MAX})
    ) open`
  if ((row.seconds ?? 0) > GENERATION_LATE_S)
    return warn(
      `${row.waiting} generations wait for a worker, the oldest for ${row.seconds} s.`,
      'If Temporal is away, they wait for it. If the log of a worker has a 429 of the language model, raise its rate limit. Else raise ARDEN_GENERATIONS_IN_FLIGHT, or start more workers.',
    )
  return ok(`${row.running} generations are being written, ${row.waiting} wait.`)
}

const checkOutbox = async (sql: Sql): Promise<Finding> => {
  const [deployment] = await sql<[{ paused_at: Date | null }]>`SELECT paused_at FROM deployment`
  // As in a claim: deliveries of a paused webhook, claimed ones and those that wait in an order are not due. Retries
  // that wait for their workflow are.
  const [row] = await sql<[{ due: number; seconds: number | null }]>`
    SELECT count(*) AS due, extract(epoch FROM clock_timestamp() - min(due_at))::int AS seconds
    FROM (
      SELECT d.due_at FROM delivery_queue d
      JOIN webhooks w ON w.id = d.webhook_id AND w.paused_at IS NULL
      WHERE d.kind = ANY (${DUE_KINDS}) AND d.claimer IS NULL ORDER BY d.xid LIMIT ${COUNT_MAX}
    ) waiting`
  const due = row.due === 1 ? '1 delivery waits' : `${upTo(row.due)} deliveries wait`
  const others = await countOthers(sql)
  const ofPaused = others.paused === 0 ? '' : `; ${upTo(others.paused)} more for paused webhooks`
  if (deployment.paused_at !== null)
    return warn(
      `All deliveries are paused since ${deployment.paused_at.toISOString()}; ${due}, and ${upTo(others.claimed + others.later)} are with a worker or a workflow, or wait for their order${ofPaused}.`,
      'Resume with: arden resume',
    )
  if ((row.seconds ?? 0) > LATE_S)
    return warn(
      `${due}, the oldest for ${row.seconds} s${ofPaused}.`,
      'If Temporal is away, they wait for it. If the workers are busy, start more. If receivers are slow (SELECT * FROM slow_webhooks), this is their backlog.',
    )
  const claimed = others.claimed === 0 ? '' : `, and ${upTo(others.claimed)} with workers`
  return ok(`${due}${claimed}${ofPaused}.`)
}

const upTo = (count: number) => (count < COUNT_MAX ? String(count) : `${COUNT_MAX} or more`)

type Others = { claimed: number; paused: number; later: number }

/**
 * Of the oldest deliveries in the queue, those that workers have claimed, those that wait because their webhook is paused,
 * and those whose turn comes later: in an order, or by a workflow, which becomes due within two minutes where it is lost.
 * Bounded: a queue can have millions.
 */
const countOthers = async (sql: Sql): Promise<Others> => {
  const [counts] = await sql<[Others]>`
    SELECT count(*) FILTER (WHERE claimer IS NOT NULL) AS claimed,
      count(*) FILTER (WHERE claimer IS NULL AND kind = ANY (${DUE_KINDS}) AND w.paused_at IS NOT NULL) AS paused,
      count(*) FILTER (WHERE claimer IS NULL AND kind = ANY (${[KIND.inOrder, KIND.owned]})) AS later
    FROM (SELECT webhook_id, claimer, kind FROM delivery_queue ORDER BY xid LIMIT ${COUNT_MAX}) AS oldest
    LEFT JOIN webhooks w ON w.id = oldest.webhook_id`
  return counts
}
