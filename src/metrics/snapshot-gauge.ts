import { Gauge, type Registry } from 'prom-client'
import { type Sql, withTimeout } from '../db/connect'

const QUERY_TIMEOUT_MS = 2_000

/**
 * Adds a gauge of the oldest snapshot of the database, in seconds, read at each scrape. While a snapshot is held, rows
 * that were deleted after it stay in tables and indexes. Other roles' sessions are seen by a member of
 * `pg_read_all_stats` only. Missing while the database is unavailable.
 */
export const registerSnapshotGauge = (registry: Registry, sql: Sql): void => {
  new Gauge({
    name: 'arden_postgres_oldest_snapshot_seconds',
    help: 'Age of the oldest transaction that holds a snapshot of the database, or is prepared.',
    registers: [registry],
    async collect() {
      const seconds = await withTimeout(readAge(sql), QUERY_TIMEOUT_MS).catch(() => undefined)
      if (seconds === undefined) this.remove({})
      else this.set(seconds)
    },
  })
}

const readAge = async (sql: Sql): Promise<number> => {
  // VACUUM does not wait for the snapshots of other VACUUMs.
  const [oldest] = await sql<[{ seconds: number }]>`
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::float8 AS seconds FROM (
      SELECT xact_start AS since FROM pg_stat_activity
      WHERE backend_xmin IS NOT NULL AND datname = current_database()
        AND backend_type <> 'autovacuum worker'
      UNION ALL
      SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()
    ) held`
  return oldest.seconds
}
