/**
 * The outbox: deliveries that are due to be handed to Temporal. `due_at` is the queue, and the lease of
 * whoever claimed from it: a process that dies between claim and start leaves rows that come due again.
 */
import type { Sql } from '../db/connect'
import { checkAfter } from './attempts'
import type { EventType } from './event-types'

/** Longer than a start of a workflow may take, so that a living claimer is not overtaken. */
const LEASE_S = 10

/** What the start of a workflow needs. */
export type Due = {
  id: string
  run: number
  accountId: string
  webhookId: string
  eventType: EventType
  /** Of the receiver; never shown whole, for it may carry tokens. */
  url: string
}

/** Claims up to `limit` due deliveries, the longest due first, each for one claimer. */
export const claimDue = (sql: Sql, limit: number): Promise<Due[]> => sql<Due[]>`
  WITH due AS MATERIALIZED (
    -- Here a cap per webhook will stand, so that a dead endpoint holds up nobody else.
    SELECT id FROM deliveries WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
  FROM due, webhooks w
  WHERE d.id = due.id AND w.id = d.webhook_id
  RETURNING d.id, d.run, d.account_id AS "accountId", d.webhook_id AS "webhookId",
    d.event_type AS "eventType", w.url`

/**
 * Their workflows run: the sweep looks after them once a first attempt should long be recorded. One that
 * has been recorded meanwhile has no lease any more and is left alone.
 */
export const markStarted = async (sql: Sql, started: Due[]): Promise<void> => {
  await sql`
    UPDATE deliveries d
    SET due_at = NULL, check_at = ${checkAfter(sql, sql`greatest(d.next_attempt_at, clock_timestamp())`)}
    FROM ${claims(sql, started)}
    WHERE d.id = claim.id AND d.run = claim.run AND d.due_at IS NOT NULL`
}

/** Their workflows could not be started: due again at once, for any dispatcher. */
export const release = async (sql: Sql, failed: Due[]): Promise<void> => {
  await sql`
    UPDATE deliveries d SET due_at = clock_timestamp()
    FROM ${claims(sql, failed)}
    WHERE d.id = claim.id AND d.run = claim.run AND d.due_at IS NOT NULL`
}

const claims = (sql: Sql, due: Due[]) =>
  sql`unnest(${due.map(one => one.id)}::text[], ${due.map(one => one.run)}::int[]) AS claim (id, run)`
