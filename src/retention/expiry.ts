/** Deletes what is past its time, in batches so small that nobody waits for one. */
import type { Db, Sql } from '../db/connect'
import { IDEMPOTENCY_HOURS } from '../http/idempotency'
import { belongsToEvent } from '../webhooks/events/record'

/** In one statement. An event takes its deliveries and attempts with it. */
const EVENTS = 200
const OTHERS = 1_000
/** Days of requests that the dashboard's charts show, and one for the reader's time zone. */
const CHARTED_DAYS = 31

/** How many are gone. */
export type DeletedCounts = {
  events: number
  idempotent_requests: number
  hits: number
  request_hours: number
}

/**
 * Deletes events that are older than `days` with their deliveries and attempts, Idempotency-Keys that hold
 * no longer, what is left of the rate limits of keys that nobody uses, and counts that no chart shows. An event stays for as long as one
 * of its deliveries is not final. Audit history, usage counters and content have no end. `progress` is called
 * after each batch, and ends the work by throwing: what is gone is gone, and another call goes on.
 */
export const deleteExpired = async (
  sql: Sql,
  days: number,
  progress: (expired: DeletedCounts) => void,
): Promise<DeletedCounts> => {
  const expired: DeletedCounts = { events: 0, idempotent_requests: 0, hits: 0, request_hours: 0 }
  for (let after: string | null = ''; after !== null; ) {
    const batch = await deleteExpiredEvents(sql, days, after)
    expired.events += batch.events
    after = batch.next
    progress(expired)
  }
  for (const [what, remove] of [
    ['idempotent_requests', expireIdempotentRequests],
    ['hits', expireHits],
    ['request_hours', expireRequestHours],
  ] as const)
    for (let count = OTHERS; count === OTHERS; progress(expired)) {
      count = await remove(sql)
      expired[what] += count
    }
  return expired
}

/**
 * Looks at a batch of the events after the id `after`, oldest first, and deletes those whose time is over.
 * `next` is the id to go on after, null when all younger ones are to stay. What somebody else has locked,
 * and whatever hangs together with it, is left to the next time.
 */
export const deleteExpiredEvents = async (
  db: Db,
  days: number,
  after: string,
): Promise<{ events: number; next: string | null }> => {
  const [batch] = await db<[{ events: number; next: string | null }]>`
    WITH page AS MATERIALIZED (
      SELECT id, created_at < clock_timestamp() - make_interval(days => ${days}) AS is_over
      FROM events WHERE id > ${after} ORDER BY id LIMIT ${EVENTS}
    ), event AS MATERIALIZED (
      SELECT e.id FROM events e JOIN page ON page.id = e.id AND page.is_over
      FOR UPDATE OF e SKIP LOCKED
    ), delivery AS MATERIALIZED (
      SELECT event.id AS event_id, d.id FROM event CROSS JOIN LATERAL (
        -- OFFSET: for each event its range of the index, whatever else the planner would do.
        SELECT d.id FROM deliveries d WHERE ${belongsToEvent(db, db`event.id`)} OFFSET 0
      ) d
    ), final AS MATERIALIZED (
      -- Locked: one that is made due again at this moment is not among them.
      SELECT d.id, d.event_id FROM deliveries d JOIN delivery ON delivery.id = d.id
      WHERE d.status <> 'RETRYING'
      FOR UPDATE OF d SKIP LOCKED
    ), gone AS MATERIALIZED (
      SELECT id FROM event WHERE NOT EXISTS (
        SELECT FROM delivery d
        WHERE d.event_id = event.id AND NOT EXISTS (SELECT FROM final WHERE final.id = d.id)
      )
    ), without_attempts AS (
      DELETE FROM attempts a USING final, gone
      WHERE final.event_id = gone.id AND a.delivery_id = final.id
    ), without_deliveries AS (
      DELETE FROM deliveries d USING final, gone
      WHERE final.event_id = gone.id AND d.id = final.id
    ), without_events AS (
      DELETE FROM events e USING gone WHERE e.id = gone.id
    )
    SELECT (SELECT count(*)::int FROM gone) AS events,
      -- Ids sort by time: after one that is to stay there is none that is over.
      (SELECT max(id) FROM page HAVING count(*) = ${EVENTS} AND bool_and(is_over)) AS next`
  return batch
}

const expireIdempotentRequests = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM idempotent_requests WHERE (key_id, idempotency_key) IN (
      SELECT key_id, idempotency_key FROM idempotent_requests
      WHERE created_at < clock_timestamp() - make_interval(hours => ${IDEMPOTENCY_HOURS})
      ORDER BY created_at LIMIT ${OTHERS} FOR UPDATE SKIP LOCKED
    )`
  return count
}

/** Requests of a key remove its older hits; the last ones of a key that makes no more are left to this. */
const expireHits = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM api_key_hits WHERE (key_id, n) IN (
      SELECT h.key_id, h.n FROM api_key_windows w JOIN api_key_hits h ON h.key_id = w.key_id
      WHERE w.last_at < clock_timestamp() - interval '1 day'
      LIMIT ${OTHERS} FOR UPDATE OF h SKIP LOCKED
    )`
  return count
}

const expireRequestHours = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM request_hours WHERE (account_id, mode, hour) IN (
      SELECT account_id, mode, hour FROM request_hours
      WHERE hour < clock_timestamp() - make_interval(days => ${CHARTED_DAYS})
      LIMIT ${OTHERS} FOR UPDATE SKIP LOCKED
    )`
  return count
}
