import postgres from 'postgres'
import { renewReadOnlySessions } from './read-only-sessions'
import { readTlsSettings } from './tls'
import { explainTlsError } from './tls-error'

type Types = { bigint: number }

/** A connection pool. Functions that read take it as their first parameter. */
export type Sql = postgres.Sql<Types>
/**
 * An open transaction. Functions that change data take it, so that their changes commit together.
 */
export type Tx = postgres.TransactionSql<Types>
/** A piece of SQL inside a query. */
export type Fragment = postgres.Fragment
/** A pool or a transaction, for reads that changes also make. */
export type Db = Sql | Tx

const POOL_SIZE = 10
const CONNECT_TIMEOUT_S = 5
/** Longest pause before reconnecting, in seconds. */
const RECONNECT_MAX_S = 1
/**
 * Longest wait for a lock (contract 2.5), and longest idle time inside a transaction, in ms: a process that hangs
 * in a transaction blocks others no longer than that.
 */
export const LOCK_TIMEOUT_MS = 10_000
const IDLE_IN_TRANSACTION_MS = 30_000

type ConnectOptions = {
  /** Shown by PostgreSQL in `pg_stat_activity`. */
  name: string
  max?: number
  /** A statement that runs for longer is stopped, in ms; without it, none is. */
  statementTimeoutMs?: number
  /** Whether a connection may get a query while another runs on it. Without it, the pool has no transactions. */
  pipelining?: boolean
}

/**
 * A pool for `url`, a `postgres://` URL with libpq's TLS parameters. Connections open on first use, and
 * reopen after PostgreSQL was unavailable.
 * @throws {StartError} for a parameter that is invalid or not supported.
 */
export const connect = (url: string, options: ConnectOptions): Sql => {
  const { max = POOL_SIZE } = options
  const sql: Sql = open(url, {
    ...options,
    max,
    onparameter: renewReadOnlySessions({
      sql: () => sql,
      max,
      connectAnew: () => open(url, { ...options, max: 1 }),
    }),
  })
  return sql
}

type OpenOptions = ConnectOptions & {
  max: number
  onparameter?: (parameter: string, value: string) => void
}

const open = (url: string, { max, onparameter, ...options }: OpenOptions): Sql => {
  const { url: plainUrl, ssl } = readTlsSettings(url)
  return postgres(plainUrl, {
    ssl,
    max,
    ...(onparameter && { onparameter }),
    connect_timeout: CONNECT_TIMEOUT_S,
    backoff: attempt => Math.min(RECONNECT_MAX_S, 0.05 * 2 ** attempt),
    connection: {
      application_name: options.name,
      TimeZone: 'UTC',
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...(options.statementTimeoutMs === undefined
        ? {}
        : { statement_timeout: options.statementTimeoutMs }),
    },
    // Counters stay far below 2^53, and JSON has no bigint.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    // Of what waits behind the running query. The driver begins no transaction where it is 0.
    ...(options.pipelining === false ? { max_pipeline: 0 } : {}),
    onnotice: () => {},
  })
}

/**
 * Error codes of the driver and SQLSTATE classes that mean that PostgreSQL is unavailable: also where its disk is full
 * or it has no memory (53), where it is a standby (25006), and where it refuses the role or its password (28).
 */
const UNAVAILABLE_CODES =
  /^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|08|28|57P|53|25006)/

/**
 * Whether PostgreSQL cannot be used: it is down, restarting, full, a standby, refuses connections, or TLS fails.
 */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (UNAVAILABLE_CODES.test(String(error.code)) || explainTlsError(error) !== undefined)

/** Whether PostgreSQL has no connection left. */
export const isOutOfConnections = (error: unknown): error is Error =>
  error instanceof postgres.PostgresError && error.code === '53300'

/** Whether PostgreSQL's disk has no room for a change. */
export const isDiskFull = (error: unknown): error is Error =>
  error instanceof postgres.PostgresError && error.code === '53100'

/** The limit that the message names: that of the server, or of the role or the database. */
export const moreConnections = ({ message }: Error): string =>
  /for (role|database)/.test(message)
    ? 'Raise its CONNECTION LIMIT with ALTER ROLE or ALTER DATABASE.'
    : 'Raise max_connections of PostgreSQL; "Scaling" in docs/operations.md says how many Arden uses.'

/** Whether PostgreSQL aborted the transaction because of a deadlock. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '40P01'

/**
 * Whether a migration changed what a prepared statement returns. The driver prepares it again, but in a transaction, which
 * has failed then.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.routine === 'RevalidateCachedQuery'

/** A lock was not available in time. Nothing was changed. */
export class LockTimeout extends Error {
  override name = 'LockTimeout'
}

/**
 * Whether a transaction timed out waiting for a lock, or was aborted because others waited for it.
 */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof LockTimeout ||
  isDeadlock(error) ||
  (error instanceof postgres.PostgresError && ['55P03', '57014', '25P03'].includes(error.code))

/** Whether PostgreSQL stopped a statement that took longer than the `statement_timeout`. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '57014'

/** Whether PostgreSQL refused the value of a parameter, such as the name of a time zone. */
export const isInvalidParameter = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '22023'

/** Whether a table does not exist: the database is not migrated. */
export const isMissingTable = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '42P01'

/**
 * Rejects a query that takes longer than `ms`, with `late`. The driver waits forever for a server that accepts connections
 * and drops them, such as a load balancer without a backend.
 */
export const withTimeout = async <T>(
  query: PromiseLike<T>,
  ms = CONNECT_TIMEOUT_S * 1000,
  late: () => Error = () => new DatabaseTimeout(),
): Promise<T> => {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(late()), Math.max(ms, 0))
  try {
    return await Promise.race([query, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A query without a result in time, which may have one later. `isDatabaseUnavailable` treats it like a failed connect. */
export class DatabaseTimeout extends Error {
  override name = 'DatabaseTimeout'
  readonly code = 'CONNECT_TIMEOUT'
  constructor(
    message = 'the database did not respond in time',
    /** False where the query was not sent. */
    readonly isSent = true,
  ) {
    super(message)
  }
}

/** Whether a change that ended with `error` after it, or its COMMIT, was sent may have been made. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof DatabaseTimeout
    ? error.isSent
    : error instanceof Error && 'code' in error && LOST_CODES.test(String(error.code))

/** Of connections that broke, also because PostgreSQL was stopped (57P01, 57P02). */
const LOST_CODES = /^(CONNECTION_(CLOSED|DESTROYED|ENDED)|ECONNRESET|EPIPE|ETIMEDOUT|08|57P0[12])/

/** Whether a referenced row was deleted concurrently. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '23503'

/** Whether `error` is a violation of the unique index `index`. */
export const isUniqueViolation = (error: unknown, index: string): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === '23505' &&
  error.constraint_name === index

/** Host and database of a URL for messages, without user and password. */
export const describeUrl = (url: string): string => {
  if (!URL.canParse(url)) return 'an invalid URL'
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}
