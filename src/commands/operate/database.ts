import { readConfig } from '../../config'
import { connect, type Sql, withTimeout } from '../../db/connect'
import { explainDatabaseError } from '../../db/database-error'
import { DomainError, EXIT, StartError } from '../../errors'
import { findRunningDev } from '../../local/data-dir'

/** Time for open queries to finish at the end, in seconds; their results are no longer needed. */
const END_S = 1

/**
 * Runs `fn` with a connection pool to DATABASE_URL, or to the database of the `dev` that runs on this data folder.
 * @throws {StartError} for a database that cannot be used, and for the errors of the domain.
 */
export const withDatabase = async <T>(fn: (sql: Sql) => Promise<T>): Promise<T> => {
  const url = await findDatabase()
  const sql = connect(url, { name: 'arden command' })
  try {
    // Only for this query is it known how long it may take.
    await withTimeout(sql`SELECT 1`)
    return await fn(sql)
  } catch (error) {
    if (error instanceof DomainError)
      throw new StartError(error.message, { exitCode: EXIT.refused })
    throw explainDatabaseError(url, error) ?? error
  } finally {
    await sql.end({ timeout: END_S })
  }
}

const findDatabase = async (): Promise<string> => {
  const { databaseUrl, dataDir } = readConfig(process.env)
  if (databaseUrl !== undefined) return databaseUrl
  const dev = await findRunningDev(dataDir)
  if (dev !== undefined) return dev.databaseUrl
  throw new StartError(
    `DATABASE_URL is not set and no "arden dev" runs on ${dataDir}. Start dev in another terminal, set ARDEN_DATA_DIR to the folder it uses, or set DATABASE_URL (with the units of deploy/systemd: set -a; . /etc/arden/arden.env; values there need single quotes). This command is for operators, who have the database. Users sign in with \`arden login\`, and manage API keys and users in the dashboard.`,
  )
}
