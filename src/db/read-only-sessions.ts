import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'

type Sql = postgres.Sql<{ bigint: number }>

/** Interval of checks, in ms. */
const CHECK_MS = 2_000
/** Checks without a read-only session after which there is none left: one that is busy is missed. */
const CLEAN_CHECKS = 3

type Pool = {
  sql: () => Sql
  max: number
  /** A pool of one new session. */
  connectAnew: () => Sql
}

/**
 * Returns what the driver calls with parameters that sessions of a pool report. A session keeps the
 * `default_transaction_read_only` that it began with, whatever ALTER DATABASE or ALTER ROLE says later: when new sessions
 * may write, those that may not are ended, and the pool opens others.
 */
export const renewReadOnlySessions = (pool: Pool) => {
  let isRunning = false
  return (parameter: string, value: string): void => {
    if (parameter !== 'default_transaction_read_only' || value !== 'on' || isRunning) return
    isRunning = true
    void renew(pool).finally(() => {
      isRunning = false
    })
  }
}

const renew = async ({ sql, max, connectAnew }: Pool): Promise<void> => {
  for (let clean = 0; clean < CLEAN_CHECKS; ) {
    await sleep(CHECK_MS, undefined, { ref: false })
    if (await isClosed(sql())) return
    if (!(await mayWriteAnew(connectAnew))) continue
    clean = (await endReadOnly(sql(), max)) === 0 ? clean + 1 : 0
  }
}

/** False also where PostgreSQL is away. */
const mayWriteAnew = async (connectAnew: () => Sql): Promise<boolean> => {
  const sql = connectAnew()
  try {
    const [row] = await sql<[{ read_only: boolean }]>`
      SELECT current_setting('default_transaction_read_only')::boolean AS read_only`
    return !row.read_only
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const isClosed = (sql: Sql): Promise<boolean> =>
  sql`SELECT 1`.then(
    () => false,
    error => error?.code === 'CONNECTION_ENDED',
  )

/** The number of sessions that were ended. Each query keeps its session for a moment, so that the next one gets another. */
const endReadOnly = async (sql: Sql, max: number): Promise<number> => {
  const queries = await Promise.allSettled(
    Array.from(
      { length: max },
      () => sql`
        SELECT CASE WHEN current_setting('default_transaction_read_only')::boolean
          THEN pg_terminate_backend(pg_backend_pid()) ELSE pg_sleep(0.02) IS NULL END`,
    ),
  )
  return queries.filter(({ status }) => status === 'rejected').length
}
