import { StartError } from '../errors'
import type { ReservedSql, Sql } from './connect'
import { migrations } from './migrations'

/** Any constant will do; it only has to be the same in every Arden process. */
const ADVISORY_LOCK = 4_170_511

/**
 * Brings the schema up to this binary's version, each migration in its own transaction, under an
 * advisory lock so that processes starting together do it once. Answers the versions applied.
 * @throws {StartError} when the database is newer than this binary.
 */
export const migrate = async (sql: Sql): Promise<string[]> => {
  const connection = await sql.reserve()
  try {
    // Another process may migrate a big table for as long as it takes.
    await connection`SET lock_timeout = 0`
    await connection`SELECT pg_advisory_lock(${ADVISORY_LOCK})`
    await connection`
      CREATE TABLE IF NOT EXISTS migrations (
        version int PRIMARY KEY,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`
    const version = await schemaVersion(connection)
    if (version > migrations.length)
      throw new StartError(
        `The database is at schema version ${version}, this Arden knows ${migrations.length}. Start the newer Arden that migrated it, or restore a backup.`,
      )
    const pending = migrations.slice(version)
    for (const { version, name, text } of pending) {
      // One message is one transaction, which needs no second connection beside the lock's.
      await connection
        .unsafe(`
          BEGIN;
          ${text};
          INSERT INTO migrations (version, name) VALUES (${version}, '${name}');
          COMMIT`)
        .catch(async error => {
          await connection`ROLLBACK`
          throw new Error(`migration ${name} failed: ${error.message}`, { cause: error })
        })
    }
    return pending.map(migration => migration.name)
  } finally {
    // With the session the lock goes, too.
    await connection`SELECT pg_advisory_unlock(${ADVISORY_LOCK})`.catch(() => {})
    await connection`RESET lock_timeout`.catch(() => {})
    connection.release()
  }
}

/** Whether the schema is the one this binary needs: the second half of `/readyz` (contract 1). */
export const isMigrated = async (sql: Sql): Promise<boolean> =>
  (await schemaVersion(sql)) >= migrations.length

const schemaVersion = async (sql: Sql | ReservedSql): Promise<number> => {
  const [table] = await sql<[{ present: boolean }]>`
    SELECT to_regclass('migrations') IS NOT NULL AS present`
  if (!table.present) return 0
  const [row] = await sql<[{ version: number }]>`
    SELECT coalesce(max(version), 0) AS version FROM migrations`
  return row.version
}
