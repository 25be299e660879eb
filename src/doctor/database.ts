import {
  connect,
  describeUrl,
  isDiskFull,
  isOutOfConnections,
  moreConnections,
  type Sql,
  type Tx,
  withTimeout,
} from '../db/connect'
import { isAccessDenied } from '../db/database-error'
import { findMissingStandby } from '../db/missing-standby'
import { isReadOnlyError, READ_ONLY_TODO, requireWritable } from '../db/read-only'
import { foreignTables, OWN_SCHEMA, schemaState } from '../db/schema-state'
import { explainTlsError } from '../db/tls-error'
import { type Checks, describeCause, type Finding, fail, ok, warn } from './check'
import { compareClocks } from './clock'

/** The oldest supported major version: PostgreSQL 14 reached its end of life in November 2026. */
const OLDEST_POSTGRES = 15

/** Checks of PostgreSQL, its schema, its clock, and a pooler in between. */
export const databaseChecks = (sql: Sql, url: string): Checks => ({
  database: () => checkServer(sql, url),
  migrations: () => checkSchema(sql),
  pooler: () => checkPooler(url),
  'database clock': () => checkClock(sql),
})

const checkServer = async (sql: Sql, url: string): Promise<Finding> => {
  const where = describeUrl(url)
  try {
    const [row] = await withTimeout(sql<[{ version: string; number: number }]>`
      SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('server_version_num')::int AS number`)
    await withTimeout(requireWritable(sql))
    const standby = await withTimeout(findMissingStandby(sql))
    if (standby !== undefined)
      return fail(
        `Changes wait for a standby, and none is connected (synchronous_standby_names is "${standby}"): they get a 503, although they are committed, commands wait as well, and workers cannot report. The database is at ${where}.`,
        'Connect a standby, or, until there is one, ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf(). Everything continues by itself then.',
      )
    const version = checkVersion(row.number, `PostgreSQL ${row.version} at ${where}`)
    return version.status === 'ok' ? ((await checkRoom(sql, where)) ?? version) : version
  } catch (error) {
    if (isReadOnlyError(error))
      return fail(`The database at ${where} is read-only.`, READ_ONLY_TODO)
    const reason = explainTlsError(error) ?? describeCause(error)
    if (reason.includes('startup parameter'))
      return fail(
        `The pooler at ${where} rejects the parameters of Arden's connections (${reason}).`,
        'Connect to PostgreSQL directly, or set pool_mode = session and ignore_startup_parameters = lock_timeout,idle_in_transaction_session_timeout in PgBouncer.',
      )
    if (isOutOfConnections(error))
      return fail(`The database at ${where} cannot be used: ${reason}.`, moreConnections(error))
    return fail(
      `The database at ${where} cannot be used: ${reason}.`,
      isAccessDenied(error)
        ? 'It is running. Correct the user, the password or the name of the database in DATABASE_URL, or the access of that user.'
        : 'Check that it is running, and check DATABASE_URL.',
    )
  }
}

/**
 * Writes 1 MiB to the disk of PostgreSQL, and takes it back: a database whose disk is full refuses changes, and answers
 * everything else. Takes 4 ms.
 */
const checkRoom = async (sql: Sql, where: string): Promise<Finding | undefined> => {
  try {
    await withTimeout(sql.begin(fillAndForget))
    return undefined
  } catch (error) {
    if (error === FORGOTTEN) return undefined
    if (isDiskFull(error))
      return fail(
        `The disk of the database at ${where} is full (${describeCause(error)}): requests get a 503. Nothing that was accepted is lost.`,
        'Free space there, or enlarge it. A failing archive and a replication slot without a standby keep write-ahead log. Everything continues by itself when there is room.',
      )
    if (!isRefusal(error)) throw error
    return warn(
      `Whether the disk of the database at ${where} is full is not known, because a temporary table could not be created there: ${describeCause(error)}.`,
      "Let Arden's role create one: GRANT TEMPORARY ON DATABASE <database> TO <role>, and no event trigger that refuses it.",
    )
  }
}

/** A missing privilege, an event trigger, or a server that has no temporary tables; not a server that is away. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(42|P0|0A)/.test(String(error.code))

const FORGOTTEN = new Error('rolled back')

/** Rolled back, so that it waits for no standby. @throws FORGOTTEN when there was room. */
const fillAndForget = async (tx: Tx): Promise<never> => {
  await tx`SELECT set_config('statement_timeout', '4s', true), set_config('temp_tablespaces', '', true)`
  await tx`
    CREATE TEMPORARY TABLE arden_doctor_room AS
      SELECT repeat('x', 1900) FROM generate_series(1, 540)`
  throw FORGOTTEN
}

/** `number` is `server_version_num`: 180004 is 18.4. */
export const checkVersion = (number: number, what: string): Finding =>
  number >= OLDEST_POSTGRES * 10_000
    ? ok(`${what}.`)
    : fail(
        `${what} is older than ${OLDEST_POSTGRES}, the oldest version that Arden supports.`,
        `Upgrade PostgreSQL to ${OLDEST_POSTGRES} or newer.`,
      )

const checkSchema = async (sql: Sql): Promise<Finding> => {
  const state = await schemaState(sql)
  const { version, generation, changed, missing, isPreRelease } = state
  const newest = OWN_SCHEMA.migrations.length
  if (isPreRelease)
    return fail(
      'The database was created by an Arden from before the first release.',
      'Use an empty database; `arden migrate` prints details.',
    )
  if (changed.length > 0)
    return fail(
      `The database was migrated with a different version of ${changed.join(', ')} than this Arden has.`,
      'Use the Arden version that migrated it, or restore a backup.',
    )
  const tables = await foreignTables(sql, state)
  if (tables.length > 0)
    return fail(
      `The database has tables (${tables.join(', ')}), and no record that Arden created them.`,
      'Check the name of the database in DATABASE_URL: Arden needs one of its own.',
    )
  const isNewer = version > newest || generation > OWN_SCHEMA.generation
  const unapplied = [
    ...OWN_SCHEMA.migrations.slice(version).map(({ name }) => name),
    ...(isNewer ? [] : missing),
  ]
  if (unapplied.length > 0)
    return fail(
      version === 0 ? 'The database is empty.' : `Not applied yet: ${unapplied.join(', ')}.`,
      'Run: arden migrate',
    )
  if (isNewer)
    return warn(
      `The schema is at version ${version}.${generation}, and this Arden knows ${newest}.${OWN_SCHEMA.generation}: a newer Arden has migrated it.`,
      'This is normal during an upgrade. Finish the upgrade.',
    )
  return ok(`The schema is at version ${version}.${generation}, as this Arden requires.`)
}

/**
 * Detects a transaction pooler: two client connections then share a server connection, or one client
 * connection changes its server connection. This order of queries detects pools of any size.
 */
const checkPooler = async (url: string): Promise<Finding> => {
  const [one, other] = [connectOnce(url), connectOnce(url)]
  try {
    const [first, again, others] = [await pidOf(one), await pidOf(one), await pidOf(other)]
    if (again === first && others !== first)
      return ok('No transaction pooler: each connection has its own session.')
    return fail(
      'A transaction pooler is in front of PostgreSQL, so sessions last for one transaction only. LISTEN and prepared statements do not work through it.',
      'Connect to PostgreSQL directly, or use session pooling (pool_mode = session in PgBouncer).',
    )
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })])
  }
}

const connectOnce = (url: string) => connect(url, { name: 'arden doctor', max: 1 })

/** In the simple protocol: prepared statements fail behind a transaction pooler. */
const pidOf = async (sql: Sql): Promise<unknown> => {
  const [row] = await sql.unsafe('SELECT pg_backend_pid() AS pid')
  return row?.pid
}

const checkClock = async (sql: Sql): Promise<Finding> => {
  // The first statement includes the time to connect.
  await sql`SELECT 1`
  const before = Date.now()
  const [row] = await sql<[{ at: Date }]>`SELECT clock_timestamp() AS at`
  const after = Date.now()
  return compareClocks("PostgreSQL's", row.at.getTime() - (before + after) / 2, after - before)
}
