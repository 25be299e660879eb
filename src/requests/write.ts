import type { Sql } from '../db/connect'
import { LOGGED_PER_HOUR } from './limits'
import type { PendingHour } from './pending'

/**
 * Adds counts and failed requests to the database, and returns how many failed requests it kept: `LOGGED_PER_HOUR` of an
 * account, a mode and an hour, over all processes, because the row that counts them is locked by the same statement.
 */
export const writeHours = async (sql: Sql, hours: readonly PendingHour[]): Promise<number> => {
  if (hours.length === 0) return 0
  const failed = hours.flatMap(({ hour, failed, entries }) =>
    entries.map((entry, index) => ({ ...entry, hour, rest: failed - index })),
  )
  const texts = <T>(rows: readonly T[], value: (row: T) => string | null) =>
    sql`${rows.map(value)}::text[]`
  const numbers = <T>(rows: readonly T[], value: (row: T) => number) =>
    sql`${rows.map(value)}::bigint[]`
  const times = <T>(rows: readonly T[], value: (row: T) => number) =>
    sql`${rows.map(row => new Date(value(row)).toISOString())}::timestamptz[]`
  // Every process inserts in the same order, so that two of them cannot deadlock.
  const { count } = await sql`
    WITH counted AS (
      INSERT INTO request_hours AS h (account_id, mode, hour, accepted, refused, failed)
      SELECT * FROM unnest(
        ${texts(hours, one => one.accountId)}, ${texts(hours, one => one.mode)},
        ${times(hours, one => one.hour)}, ${numbers(hours, one => one.accepted)},
        ${numbers(hours, one => one.refused)}, ${numbers(hours, one => one.failed)}
      ) AS counted (account_id, mode, hour, accepted, refused, failed)
      ORDER BY account_id, mode, hour
      ON CONFLICT (account_id, mode, hour) DO UPDATE
        SET accepted = h.accepted + EXCLUDED.accepted, refused = h.refused + EXCLUDED.refused,
          failed = h.failed + EXCLUDED.failed
      RETURNING account_id, mode, hour, failed
    )
    INSERT INTO failed_requests (id, account_id, mode, request_id, method, route, path, status, error,
      message, actor_type, actor_id, actor_name, address, duration_ms, created_at)
    SELECT e.id, account_id, mode, e.request_id, e.method, e.route, e.path, e.status, e.error,
      e.message, e.actor_type, e.actor_id, e.actor_name, e.address, e.duration_ms, e.created_at
    FROM unnest(
      ${texts(failed, one => one.accountId)}, ${texts(failed, one => one.mode)},
      ${times(failed, one => one.hour)}, ${numbers(failed, one => one.rest)},
      ${texts(failed, one => one.id)}, ${texts(failed, one => one.requestId)},
      ${texts(failed, one => one.method)}, ${texts(failed, one => one.route)},
      ${texts(failed, one => one.path)}, ${numbers(failed, one => one.status)},
      ${texts(failed, one => one.error)}, ${texts(failed, one => one.message)},
      ${texts(failed, one => one.actor.type)}, ${texts(failed, one => one.actor.id)},
      ${texts(failed, one => one.actor.name)}, ${texts(failed, one => one.address)},
      ${numbers(failed, one => one.durationMs)}, ${times(failed, one => one.at)}
    ) AS e (account_id, mode, hour, rest, id, request_id, method, route, path, status, error, message,
      actor_type, actor_id, actor_name, address, duration_ms, created_at)
    JOIN counted USING (account_id, mode, hour)
    -- The one with the largest rest is the first of this batch.
    WHERE counted.failed - e.rest < ${LOGGED_PER_HOUR}
    -- A batch whose commit was lost to the connection is written again.
    ON CONFLICT (id) DO NOTHING`
  return count
}
