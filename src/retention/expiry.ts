import type { Db, Fragment, Sql } from '../db/connect'
import { IDEMPOTENCY_HOURS } from '../http/idempotency'
import { lowestIdAt } from '../ids'
import { RETENTION_DAYS } from '../requests/limits'
import { belongsToEvent } from '../webhooks/events/record'

/** Rows in one statement, so few that no other transaction waits long. An event includes its deliveries and attempts. */
const EVENT_BATCH = 200
const ROW_BATCH = 1_000
/** A version of an article can have 1 MiB. */
const VERSION_BATCH = 100
/** The 30 days of requests that the dashboard's charts show, and one for the user's time zone. */
const REQUEST_HOURS_DAYS = 31

/** Numbers of deleted rows, and where the next deletion begins. */
export type Deletion = {
  events: number
  idempotent_requests: number
  hits: number
  request_hours: number
  failed_requests: number
  article_versions: number
  /** All events up to this id are deleted. */
  events_after: string
}

/**
 * Deletes in small batches: events older than `days` with their deliveries and attempts (contract 5.15), expired
 * Idempotency-Keys (contract 6.12), old rate limit hits, request counts that no chart shows, failed requests
 * (contract 2.6), and versions of articles that were replaced more than `days` ago (contract 6.13). An event with a
 * delivery that is not final remains, and so do audit history, usage counters and other content.
 *
 * No batch reads what an earlier one deleted: while a snapshot is held, which may be for hours, PostgreSQL keeps deleted
 * rows in its indexes, and reading them again in each batch would take longer with each.
 * @param eventsAfter the `events_after` of the last deletion, or '' to begin with the oldest event
 * @param progress called after each batch; it stops the deletion by throwing, and a later call continues.
 */
export const deleteExpired = async (
  sql: Sql,
  days: number,
  eventsAfter: string,
  progress: (deleted: Deletion) => void,
): Promise<Deletion> => {
  const deleted: Deletion = {
    events: 0,
    idempotent_requests: 0,
    hits: 0,
    request_hours: 0,
    failed_requests: 0,
    article_versions: 0,
    events_after: eventsAfter,
  }
  let allDeleted = true
  for (let after: string | null = eventsAfter; after !== null; ) {
    const batch = await deleteExpiredEvents(sql, days, after)
    deleted.events += batch.events
    if (allDeleted) deleted.events_after = batch.deleted_to ?? deleted.events_after
    allDeleted &&= !batch.kept
    after = batch.next
    progress(deleted)
  }
  for (const [name, deleteBatch] of [
    ['idempotent_requests', deleteIdempotentRequests],
    ['hits', deleteHits],
    ['request_hours', deleteRequestHours],
    ['failed_requests', deleteFailedRequests],
    ['article_versions', deleteArticleVersions(days)],
  ] as const)
    for (let after: string | null = ''; after !== null; progress(deleted)) {
      const { count, last }: Batch = await deleteBatch(sql, after)
      deleted[name] += count
      after = last
    }
  return deleted
}

/** `last`: the key of the last row, in the order of the batches, as text; null after a batch that was not full. */
type Batch = { count: number; last: string | null }

/**
 * Deletes the expired ones of a batch of events after the id `after`, oldest first. Skips an event when another
 * transaction has locked it or one of its deliveries. `next` is the id to continue after; null at the first event
 * that is not expired. All events of the batch up to `deleted_to` are deleted; `kept`: others of it are not.
 */
export const deleteExpiredEvents = async (
  db: Db,
  days: number,
  after: string,
): Promise<EventBatch> => {
  const [batch] = await db<[EventBatch]>`
    WITH page AS MATERIALIZED (
      SELECT id, created_at < clock_timestamp() - make_interval(days => ${days}) AS is_expired
      FROM events WHERE id > ${after} ORDER BY id LIMIT ${constant(db, EVENT_BATCH)}
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
    ), first_kept AS (
      SELECT min(id) AS id FROM page WHERE id NOT IN (SELECT id FROM deletable)
    )
    SELECT (SELECT count(*)::int FROM deletable) AS events,
      -- Ids sort by time: no event after an unexpired one is expired.
      (SELECT max(id) FROM page HAVING count(*) = ${EVENT_BATCH} AND bool_and(is_expired)) AS next,
      (SELECT max(page.id) FROM page, first_kept
        WHERE first_kept.id IS NULL OR page.id < first_kept.id) AS deleted_to,
      (SELECT id IS NOT NULL FROM first_kept) AS kept`
  return batch
}

type EventBatch = { events: number; next: string | null; deleted_to: string | null; kept: boolean }

/**
 * Not a parameter: PostgreSQL then caches the plan of a batch. Planning each one reads the ends of the indexes, where
 * the entries of all earlier batches are.
 */
const constant = (db: Db, value: number) => db.unsafe(String(value))

const deleteIdempotentRequests = async (sql: Sql, after: string): Promise<Batch> => {
  const [batch] = await sql<[Batch]>`
    WITH deleted AS (
      DELETE FROM idempotent_requests WHERE (key_id, idempotency_key) IN (
        SELECT key_id, idempotency_key FROM idempotent_requests
        WHERE created_at < clock_timestamp() - make_interval(hours => ${IDEMPOTENCY_HOURS})
          AND created_at >= coalesce(nullif(${after}, '')::timestamptz, '-infinity')
        ORDER BY created_at LIMIT ${constant(sql, ROW_BATCH)} FOR UPDATE SKIP LOCKED
      )
      RETURNING created_at
    )
    SELECT count(*)::int AS count, ${lastOf(sql, sql`max(created_at)::text`)} FROM deleted`
  return batch
}

/** Requests of a key delete its old hits. This deletes the last hits of keys without requests for a day. */
const deleteHits = async (sql: Sql, after: string): Promise<Batch> => {
  const [batch] = await sql<[Batch]>`
    WITH idle AS MATERIALIZED (
      SELECT key_id FROM api_key_windows
      WHERE last_at < clock_timestamp() - interval '1 day' AND key_id >= split_part(${after}, ' ', 1)
    ), deleted AS (
      DELETE FROM api_key_hits WHERE (key_id, n) IN (
        SELECT h.key_id, h.n FROM (SELECT key_id FROM idle ORDER BY key_id) i
        CROSS JOIN LATERAL (
          SELECT key_id, n FROM api_key_hits
          WHERE key_id = i.key_id
            AND n > CASE WHEN i.key_id = split_part(${after}, ' ', 1)
              THEN nullif(split_part(${after}, ' ', 2), '')::bigint ELSE 0 END
          ORDER BY n LIMIT ${constant(sql, ROW_BATCH)} FOR UPDATE SKIP LOCKED
        ) h
        LIMIT ${constant(sql, ROW_BATCH)}
      )
      RETURNING key_id, n
    )
    SELECT count(*)::int AS count,
      ${lastOf(sql, sql`(SELECT key_id || ' ' || n FROM deleted ORDER BY key_id DESC, n DESC LIMIT 1)`)}
    FROM deleted`
  return batch
}

const deleteRequestHours = async (sql: Sql, after: string): Promise<Batch> => {
  const [batch] = await sql<[Batch]>`
    WITH deleted AS (
      DELETE FROM request_hours WHERE (account_id, mode, hour) IN (
        SELECT account_id, mode, hour FROM request_hours
        WHERE hour < clock_timestamp() - make_interval(days => ${REQUEST_HOURS_DAYS})
          AND hour >= coalesce(nullif(${after}, '')::timestamptz, '-infinity')
        ORDER BY hour LIMIT ${constant(sql, ROW_BATCH)} FOR UPDATE SKIP LOCKED
      )
      RETURNING hour
    )
    SELECT count(*)::int AS count, ${lastOf(sql, sql`max(hour)::text`)} FROM deleted`
  return batch
}

const DAY_MS = 86_400_000

/** Ids sort by time. */
const deleteFailedRequests = async (sql: Sql, after: string): Promise<Batch> => {
  const [batch] = await sql<[Batch]>`
    WITH deleted AS (
      DELETE FROM failed_requests WHERE id IN (
        SELECT id FROM failed_requests
        WHERE id > ${after}
          AND id < ${lowestIdAt('req', new Date(Date.now() - RETENTION_DAYS * DAY_MS))}
        ORDER BY id LIMIT ${constant(sql, ROW_BATCH)} FOR UPDATE SKIP LOCKED
      )
      RETURNING id
    )
    SELECT count(*)::int AS count, ${lastOf(sql, sql`max(id)`)} FROM deleted`
  return batch
}

const deleteArticleVersions =
  (days: number) =>
  async (sql: Sql, after: string): Promise<Batch> => {
    const [batch] = await sql<[Batch]>`
      WITH deleted AS (
        DELETE FROM article_versions WHERE (article_id, version) IN (
          SELECT article_id, version FROM article_versions
          WHERE replaced_at < clock_timestamp() - make_interval(days => ${days})
            AND replaced_at >= coalesce(nullif(${after}, '')::timestamptz, '-infinity')
          ORDER BY replaced_at LIMIT ${constant(sql, VERSION_BATCH)} FOR UPDATE SKIP LOCKED
        )
        RETURNING replaced_at
      )
      SELECT count(*)::int AS count, ${lastOf(sql, sql`max(replaced_at)::text`, VERSION_BATCH)} FROM deleted`
    return batch
  }

const lastOf = (sql: Sql, key: Fragment, full = ROW_BATCH) =>
  sql`CASE WHEN count(*) = ${constant(sql, full)} THEN ${key} END AS last`
