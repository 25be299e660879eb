import postgres from 'postgres'
import { EXIT, StartError } from '../errors'
import { describeUrl, isDatabaseUnavailable, isMissingTable } from './connect'
import { explainTlsError } from './tls-error'

/** Classes of SQLSTATE: the password or the user is wrong, there is no such database, a right is missing. */
const ACCESS_DENIED = /^(28|3D|42501)/

/**
 * Why the database of `url` cannot be used, as a person at a terminal is told it, without its password.
 * Undefined when `error` is about something else.
 */
export const explainDatabaseError = (url: string, error: unknown): StartError | undefined => {
  const database = `The database at ${describeUrl(url)}`
  if (isMissingTable(error)) return notMigratedError(url)
  const problem = explainTlsError(error)
  if (problem !== undefined) return new StartError(`${database} cannot be used: ${problem}.`)
  if (error instanceof Error && isDatabaseUnavailable(error))
    return new StartError(
      `${database} cannot be reached: ${error.message}. Check that it runs, and DATABASE_URL.`,
      { exitCode: EXIT.unreachable },
    )
  if (error instanceof postgres.PostgresError && ACCESS_DENIED.test(error.code))
    return new StartError(`${database} cannot be used: ${error.message}. Check DATABASE_URL.`)
  return undefined
}

export const notMigratedError = (url: string): StartError =>
  new StartError(`The database at ${describeUrl(url)} is not migrated. Run: arden migrate`)
