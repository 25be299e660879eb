import type { Sql } from '../../../src/db/connect'

/** How many rows of `table` PostgreSQL has read so far. `sql` must be one connection, the one that reads. */
export const rowsRead = async (sql: Sql, table: string): Promise<number> => {
  await sql`SELECT pg_stat_force_next_flush()`
  const [row] = await sql<[{ rows: number }]>`
    SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables
    WHERE relname = ${table}`
  return row.rows
}
