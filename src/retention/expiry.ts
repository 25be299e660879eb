import type { Db, Sql } from '../db/connect'
import { IDEMPOTENCY_HOURS } from '../http/idempotency'
import { belongsToEvent } from '../webhooks/events/record'

/** Rows in one statement, so few that no other transaction waits long. An event includes its deliveries and attempts. */
const EVENT_BATCH = 200
const ROW_BATCH = 1_000
/** The 30 days of requests that the dashboard's charts show, and one for the user's time zone. */
const REQUEST_HOURS_DAYS = 31

/** Numbers of deleted rows. */
export type DeletedCounts = {
  events: number
  idempotent_requests: number
  hits: number
  request_hours: number
}

/**
 * Deletes in small batches: events older than `days` with their deliveries and attempts (contract 5.15), expired
 * Idempotency-Keys (contract 6.12), old rate limit hits, and request counts that no chart shows. An event with a
 * delivery that is not final remains, and so do audit history, usage counters and content.
 * @param progress called after each batch; it stops the deletion by throwing, and a later call continues.
 */
export const deleteExpired = async (
  sql: Sql,
  days: number,
  progress: (deleted: DeletedCounts) => void,
): Promise<DeletedCounts> => {
  const deleted: DeletedCounts = { events: 0, idempotent_requests: 0, hits: 0, request_hours: 0 }
  for (let after: string | null = ''; after !== null; ) {
    const batch = await deleteExpiredEvents(sql, days, after)
    deleted.events += batch.events
    after = batch.next
    progress(deleted)
  }
  for (const [name, deleteBatch] of [
    ['idempotent_requests', deleteIdempotentRequests],
    ['hits', deleteHits],
    ['request_hours', deleteRequestHours],
  ] as const)
    for (let count = ROW_BATCH; count === ROW_BATCH; progress(deleted)) {
      count = await deleteBatch(sql)
      deleted[name] += count
    }
  return deleted
}

/**
 * Deletes the expired ones of a batch of events after the id `after`, oldest first. Skips an event when another
 * transaction has locked it or one of its deliveries. `next` is the id to continue after; null at the first event
 * that is not expired.
 */
export const deleteExpiredEvents = async (
  db: Db,
  days: number,
  after: string,
): Promise<{ events: number; next: string | null }> => {
  const [batch] = await db<[{ events: number; next: string | null }]>`
    WITH page AS MATERIALIZED (
      SELECT id, created_at < clock_timestamp() - make_interval(days => ${days}) AS is_expired
      FROM events WHERE id > ${after} ORDER BY id LIMIT ${EVENT_BATCH}
    ), event AS MATERIALIZED (
      SELECT e.id FROM events e JOIN page ON page.id = e.id AND page.is_expired
      FOR UPDATE OF e SKIP LOCKED
    ), delivery AS MATERIALIZED (
      SELECT event.id AS event_id, d.id FROM event CROSS JOIN LATERAL (
        -- OFFSET makes the planner read the range of the index for each event.
        SELECT d.id FROM deliveries d WHERE ${belongsToEvent(db, db`event.id`)} OFFSET 0
      ) d
    ), final AS MATERIALIZED (
      -- Locked, so that a delivery that is being redelivered is skipped.
      SELECT d.id, d.event_id FROM deliveries d JOIN delivery ON delivery.id = d.id
      WHERE d.status <> 'RETRYING'
      FOR UPDATE OF d SKIP LOCKED
    ), deletable AS MATERIALIZED (
      SELECT id FROM event WHERE NOT EXISTS (
        SELECT FROM delivery d
        WHERE d.event_id = event.id AND NOT EXISTS (SELECT FROM final WHERE final.id = d.id)
      )
    ), deleted_attempts AS (
      DELETE FROM attempts a USING final, deletable
      WHERE final.event_id = deletable.id AND a.delivery_id = final.id
    ), deleted_deliveries AS (
      DELETE FROM deliveries d USING final, deletable
      WHERE final.event_id = deletable.id AND d.id = final.id
    ), deleted_events AS (
      DELETE FROM events e USING deletable WHERE e.id = deletable.id
    )
    SELECT (SELECT count(*)::int FROM deletable) AS events,
      -- Ids sort by time: no event after an unexpired one is expired.
      (SELECT max(id) FROM page HAVING count(*) = ${EVENT_BATCH} AND bool_and(is_expired)) AS next`
  return batch
}

const deleteIdempotentRequests = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM idempotent_requests WHERE (key_id, idempotency_key) IN (
      SELECT key_id, idempotency_key FROM idempotent_requests
      WHERE created_at < clock_timestamp() - make_interval(hours => ${IDEMPOTENCY_HOURS})
      ORDER BY created_at LIMIT ${ROW_BATCH} FOR UPDATE SKIP LOCKED
    )`
  return count
}

/** Requests of a key delete its old hits. This deletes the last hits of keys without requests for a day. */
const deleteHits = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM api_key_hits WHERE (key_id, n) IN (
      SELECT h.key_id, h.n FROM api_key_windows w JOIN api_key_hits h ON h.key_id = w.key_id
      WHERE w.last_at < clock_timestamp() - interval '1 day'
      LIMIT ${ROW_BATCH} FOR UPDATE OF h SKIP LOCKED
    )`
  return count
}

const deleteRequestHours = async (sql: Sql): Promise<number> => {
  const { count } = await sql`
    DELETE FROM request_hours WHERE (account_id, mode, hour) IN (
      SELECT account_id, mode, hour FROM request_hours
      WHERE hour < clock_timestamp() - make_interval(days => ${REQUEST_HOURS_DAYS})
      LIMIT ${ROW_BATCH} FOR UPDATE SKIP LOCKED
    )`
  return count
}
