import postgres from 'postgres'
import { EXIT, StartError } from '../errors'
import { describeUrl, isDatabaseAway, isMissingTable } from './connect'
import { tlsProblem } from './tls-problem'

/** Classes of SQLSTATE: the password or the user is wrong, there is no such database, a right is missing. */
const NOT_LET_IN = /^(28|3D|42501)/

/**
 * Why the database of `url` cannot be used, as a person at a terminal is told it, without its password.
 * Undefined when `error` is about something else.
 */
export const unusable = (url: string, error: unknown): StartError | undefined => {
  const database = `The database at ${describeUrl(url)}`
  if (isMissingTable(error)) return notMigrated(url)
  const problem = tlsProblem(error)
  if (problem !== undefined) return new StartError(`${database} cannot be used: ${problem}.`)
  if (error instanceof Error && isDatabaseAway(error))
    return new StartError(
      `${database} cannot be reached: ${error.message}. Check that it runs, and DATABASE_URL.`,
      { exitCode: EXIT.unreachable },
    )
  if (error instanceof postgres.PostgresError && NOT_LET_IN.test(error.code))
    return new StartError(`${database} cannot be used: ${error.message}. Check DATABASE_URL.`)
  return undefined
}

export const notMigrated = (url: string): StartError =>
  new StartError(`The database at ${describeUrl(url)} is not migrated. Run: arden migrate`)
