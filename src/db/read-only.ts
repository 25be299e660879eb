import type { Sql } from './connect'

const READ_ONLY = '25006'

/** The next step for the operator. */
export const READ_ONLY_TODO =
  'Point DATABASE_URL to the primary, or set default_transaction_read_only = off (ALTER DATABASE or ALTER ROLE). Arden goes on within seconds.'

/** Whether a change failed because the server is a standby, or `default_transaction_read_only` is on. */
export const isReadOnlyError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY

/**
 * Checks that the database accepts changes.
 * @throws what PostgreSQL reports for a change, if it does not.
 */
export const requireWritable = async (sql: Sql): Promise<void> => {
  const [row] = await sql<[{ read_only: boolean }]>`
    SELECT current_setting('transaction_read_only')::boolean AS read_only`
  if (row.read_only)
    throw Object.assign(new Error('the database is read-only'), { code: READ_ONLY })
}
