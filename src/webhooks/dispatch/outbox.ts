import type { DeliverWebhookInput } from '../../../workflows/deliver-webhook'
import type { Mode, Tenant } from '../../caller'
import { DEFAULT_IN_FLIGHT } from '../../config'
import { type Sql, withTimeout } from '../../db/connect'
import type { Job, Jobs, Outbox } from '../../outbox/outbox'
import { startWorkflow, type WorkflowStart } from '../../outbox/workflow-start'
import { isWorkerAlive } from '../../temporal/heartbeat'
import { busyTaskQueue } from '../../temporal/task-queues'
import { STOPPED } from '../deliveries/stopped'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import type { EventType } from '../events/types'
import { LATE_MS, workflowCapacity } from '../queue/capacity'
import { startRunAgain } from '../queue/changes'
import { createClaimer, type ReadState } from '../queue/claimer'
import { type Entry, KIND } from '../queue/entry'
import { updateClaimed, type Work } from '../queue/statements'
import type { Outside } from '../queue/webhook'
import { ATTEMPT_TASK_TIMEOUT_MS, MAX_ATTEMPT_MS, RECONCILE_AFTER_MS } from '../retry-schedule'
import { type BusyAccounts, createBusyClaims } from './busy-accounts'
import { failDelivery } from './store'

/** Deliveries of busy accounts that a dispatcher has claimed at a time: two claims, as many as it makes at once. */
const BUSY_CLAIMED = 40

/** A due delivery, with what its workflow starts with. */
export type DueDelivery = Job & {
  entry: Entry
  accountId: string
  /** The dashboard has it in its paths. */
  mode: Mode
  isBusy: boolean
  webhookId: string
  eventId: string
  eventType: EventType
  /** The number of the attempt that is due. */
  nextAttempt: number
  /** Only the host is shown: a URL can contain tokens (contract 5.18). */
  url: string
}

/** Deliveries that workflows own, for reconciliation. */
export const deliveryJobs: Jobs = {
  table: 'deliveries',
  workflowId: deliveryWorkflowId,
  claimOverdue: (sql, { from, limit, seconds }) => sql<(Job & Tenant & { checkAt: Date })[]>`
    WITH overdue AS MATERIALIZED (
      SELECT ctid AS place, check_at FROM delivery_queue
      WHERE check_at >= ${from} AND check_at <= clock_timestamp()
      ORDER BY check_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
    ), checked AS (
      UPDATE delivery_queue q SET check_at = clock_timestamp() + make_interval(secs => ${seconds})
      FROM overdue WHERE q.ctid = overdue.place RETURNING q.delivery_id, overdue.check_at
    )
    SELECT d.id, d.run, d.account_id AS "accountId", d.mode, checked.check_at AS "checkAt"
    FROM checked JOIN deliveries d ON d.id = checked.delivery_id`,
  restart: startRunAgain,
  stopped: (sql, { id, run }) => failDelivery(sql, { deliveryId: id, run, reason: STOPPED }),
}

type DeliveryOutbox = Outbox<DueDelivery> & {
  /** Wakes the dispatcher if a webhook waits because its limit is reached: an attempt has ended. */
  attemptEnded: () => void
}

/**
 * Due deliveries, each for a workflow of its own (docs/architecture.md, "From a commit to the receiver"): `attempts` for
 * all attempts, within the limits of tenant isolation, or `workflows` for the remaining ones of deliveries whose first
 * attempt failed without a workflow. Starting those is not limited for an account that is not busy, because each of their
 * attempts is (retry-slots.ts); they take turns all the same.
 */
export const createDeliveryOutbox = (
  sql: Sql,
  work: Work,
  busyAccounts: BusyAccounts,
): DeliveryOutbox => {
  let notify = () => {}
  const busyClaims = createBusyClaims(BUSY_CLAIMED)
  const claimer = createClaimer(sql, {
    work,
    ...(work === 'attempts' && { readState: readWorkflowState }),
    isFull: busyClaims.isFull,
    onFound: () => notify(),
  })
  /** These are claimed no more: others of busy accounts may be. */
  const leave = (jobs: DueDelivery[]) => {
    const busy = jobs.filter(({ isBusy }) => isBusy)
    for (const { accountId } of busy) busyClaims.remove(accountId)
    if (busy.length > 0 && claimer.isLimited()) notify()
  }
  return {
    table: 'deliveries',
    what: work === 'attempts' ? 'deliveries' : 'retries of deliveries',
    delayMs: work === 'attempts' ? 0 : 50,
    listen: listener => {
      notify = listener
      claimer.keepLease()
    },
    attemptEnded: () => {
      if (claimer.isLimited()) notify()
    },
    claim: async (_, limit) => {
      const entries = await claimer.claim(limit)
      if (entries.length === 0) return []
      try {
        const due = await withTimeout(loadDue(sql, entries))
        return due.map(one => {
          const isBusy = busyAccounts.countStart(one.accountId)
          if (isBusy) busyClaims.add(one.accountId)
          return { ...one, isBusy }
        })
      } catch (error) {
        claimer.giveUp(entries)
        throw error
      }
    },
    waitMs: claimer.waitMs,
    isLimited: ({ isBusy }) => isBusy,
    handOver: (deps, job) => {
      const { id, run, accountId, mode, isBusy, webhookId, eventId, eventType, nextAttempt, url } =
        job
      const { host } = new URL(url)
      const start: WorkflowStart<DeliverWebhookInput> = {
        type: 'deliverWebhook',
        workflowId: deliveryWorkflowId(id, run),
        arg: {
          deliveryId: id,
          run,
          eventId,
          eventType,
          webhookId,
          host,
          localAttempts: true,
          ...(work === 'attempts' && { claimedAttempt: nextAttempt }),
        },
        taskTimeoutMs: ATTEMPT_TASK_TIMEOUT_MS,
        summary: `${eventType} to ${host}`,
        ...(deps.publicUrl !== undefined && {
          details: `[${id} in Arden](${new URL(`/dashboard/${mode}/deliveries/${id}`, deps.publicUrl)})`,
        }),
        attributes: {
          ArdenAccount: accountId,
          ArdenWebhook: webhookId,
          ArdenEvent: eventType,
          ArdenEventId: eventId,
        },
      }
      const taskQueue = isBusy ? busyTaskQueue(deps.taskQueue) : deps.taskQueue
      return busyAccounts.start(isBusy, () => startWorkflow({ ...deps, taskQueue }, start))
    },
    // A delivery that its workflow has recorded meanwhile is claimed no more, and does not change.
    markHandedOver: async (_, jobs) => {
      const entries = jobs.map(({ entry }) => entry)
      try {
        await updateClaimed(
          sql,
          claimer.ids(),
          entries,
          sql`kind = ${KIND.owned}, check_at = greatest(d.next_attempt_at, clock_timestamp())
            + make_interval(secs => ${RECONCILE_AFTER_MS / 1000})`,
        )
        for (const entry of entries) claimer.finish(entry)
      } catch (error) {
        claimer.giveUp(entries)
        throw error
      } finally {
        leave(jobs)
      }
    },
    release: async (_, jobs) => {
      try {
        await claimer.release(jobs.map(({ entry }) => entry))
      } finally {
        leave(jobs)
      }
    },
    stop: claimer.stop,
  }
}

/** In the order of the entries, which are in turn. */
const loadDue = async (sql: Sql, entries: Entry[]): Promise<Omit<DueDelivery, 'isBusy'>[]> => {
  const ids = entries.map(({ id }) => id)
  const due = await sql<Omit<DueDelivery, 'entry' | 'isBusy'>[]>`
    SELECT d.id, d.run, d.account_id AS "accountId", d.mode, w.id AS "webhookId", d.event_id AS "eventId",
      d.event_type AS "eventType", d.attempt_count + 1 AS "nextAttempt", w.url
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ANY (string_to_array(${ids.join()}, ','))`
  const byId = new Map(due.map(one => [one.id, one]))
  return entries.flatMap(entry => {
    const one = byId.get(entry.id)
    return one === undefined ? [] : [{ ...one, entry }]
  })
}

/**
 * Attempts that workflows make now, by webhook. A delivery that waits for its next attempt has a later `check_at`, and
 * none lasts longer than `MAX_ATTEMPT_MS`: entries of finished ones from before are not read.
 */
const readWorkflowState: ReadState = async sql => {
  const [workers, rows] = await Promise.all([
    sql<[{ slots: number | null }]>`
      SELECT sum(slots)::int AS slots FROM workers WHERE ${isWorkerAlive(sql)}`,
    sql<(Outside & { webhookId: string })[]>`
      SELECT webhook_id AS "webhookId", count(*) AS count, bool_or(check_at <= ${fromNow(sql, -LATE_MS)}) AS "isLate"
      FROM delivery_queue
      WHERE check_at > ${fromNow(sql, -MAX_ATTEMPT_MS - LATE_MS)} AND check_at <= ${fromNow(sql, 0)}
      GROUP BY webhook_id`,
  ])
  return {
    capacity: workflowCapacity(workers[0].slots ?? DEFAULT_IN_FLIGHT),
    outside: new Map(rows.map(({ webhookId, ...outside }) => [webhookId, outside])),
  }
}

/** SQL for the `check_at` of an attempt that begins `ms` from now. */
const fromNow = (sql: Sql, ms: number) =>
  sql`clock_timestamp() + make_interval(secs => ${(RECONCILE_AFTER_MS + ms) / 1000})`
