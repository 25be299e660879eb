import postgres from 'postgres'
import { EXIT, StartError } from '../errors'
import {
  describeUrl,
  isDatabaseUnavailable,
  isMissingTable,
  isOutOfConnections,
  moreConnections,
} from './connect'
import { isReadOnlyError, READ_ONLY_TODO } from './read-only'
import { explainTlsError } from './tls-error'

/** SQLSTATE: wrong user or password, unknown database, missing privilege. */
const ACCESS_DENIED = /^(28|3D|42501)/

/** Whether PostgreSQL refused the user, its password, the database or a privilege. */
export const isAccessDenied = (error: unknown): error is postgres.PostgresError =>
  error instanceof postgres.PostgresError && ACCESS_DENIED.test(error.code)

/**
 * A message for the operator about why the database cannot be used, without its password. Undefined for
 * errors that are not about the connection or the schema.
 */
export const explainDatabaseError = (url: string, error: unknown): StartError | undefined => {
  const database = `The database at ${describeUrl(url)}`
  if (isMissingTable(error)) return notMigratedError(url)
  const problem = explainTlsError(error)
  if (problem !== undefined) return new StartError(`${database} cannot be used: ${problem}.`)
  if (isAccessDenied(error))
    return new StartError(`${database} cannot be used: ${error.message}. Check DATABASE_URL.`)
  if (isReadOnlyError(error))
    return new StartError(`${database} is read-only. ${READ_ONLY_TODO}`, {
      exitCode: EXIT.unreachable,
    })
  if (isOutOfConnections(error))
    return new StartError(
      `${database} cannot be used: ${error.message}. ${moreConnections(error)}`,
      {
        exitCode: EXIT.unreachable,
      },
    )
  if (error instanceof Error && isDatabaseUnavailable(error))
    return new StartError(
      `${database} cannot be reached: ${error.message}. Check that it is running, and check DATABASE_URL.`,
      { exitCode: EXIT.unreachable },
    )
  return undefined
}

export const notMigratedError = (url: string): StartError =>
  new StartError(`The database at ${describeUrl(url)} is not migrated. Run: arden migrate`)
