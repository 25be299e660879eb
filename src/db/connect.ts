import postgres from 'postgres'
import { readTlsSettings } from './tls'
import { explainTlsError } from './tls-error'

type Types = { bigint: number }

/** A pool. Reads take it first among their parameters. */
export type Sql = postgres.Sql<Types>
/** An open transaction. Changes take it, so that what belongs together commits together. */
export type Tx = postgres.TransactionSql<Types>
/** One connection, held for what belongs to a session: an advisory lock. */
export type ReservedSql = postgres.ReservedSql<Types>
/** A piece of SQL, to stand in a query. */
export type Fragment = postgres.Fragment
/** Either, for reads that a change also makes. */
export type Db = Sql | Tx

const POOL_SIZE = 10
const CONNECT_TIMEOUT_S = 5
/** Longest pause before a lost connection is tried again, in seconds: the pool heals by itself. */
const RECONNECT_MAX_S = 1
/**
 * Longest wait for what another transaction holds, and longest rest between two statements of one, in ms:
 * a process that hangs within a transaction holds up nobody for longer.
 */
export const LOCK_TIMEOUT_MS = 10_000
const IDLE_IN_TRANSACTION_MS = 30_000

/**
 * A pool on `url` (a standard `postgres://` URL, libpq's parameters for TLS included). Connections open
 * when they are first used, and open again after Postgres was away.
 * @throws {StartError} for a parameter that is wrong or not supported.
 */
export const connect = (url: string, options: { name: string; max?: number }): Sql => {
  const { url: plainUrl, ssl } = readTlsSettings(url)
  return postgres(plainUrl, {
    ssl,
    max: options.max ?? POOL_SIZE,
    connect_timeout: CONNECT_TIMEOUT_S,
    backoff: attempt => Math.min(RECONNECT_MAX_S, 0.05 * 2 ** attempt),
    connection: {
      application_name: options.name,
      TimeZone: 'UTC',
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    // Counters stay far below 2^53, and a JavaScript bigint does not go into JSON.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    onnotice: () => {},
  })
}

/** Codes of the driver and classes of SQLSTATE that mean "the database is away", not "we are wrong". */
const UNAVAILABLE_CODES =
  /^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|08|57P|53300)/

/** Whether `error` says that Postgres cannot be reached now (it restarts, refuses, is gone, or TLS fails). */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (UNAVAILABLE_CODES.test(String(error.code)) || explainTlsError(error) !== undefined)

/** Whether `error` says that Postgres ended this transaction because it and another held each other up. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '40P01'

/** What was to be done had to wait for others for too long: nothing was done. */
export class LockTimeout extends Error {
  override name = 'HeldUp'
}

/** Whether `error` says that a transaction waited for too long, or was ended so that others need not. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof LockTimeout ||
  isDeadlock(error) ||
  (error instanceof postgres.PostgresError && ['55P03', '57014', '25P03'].includes(error.code))

/** Whether `error` says that a table is not there: the database was not migrated. */
export const isMissingTable = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '42P01'

/**
 * Gives up on a query after `ms`: the driver itself waits without end for a server that accepts
 * connections and drops them (a load balancer without a backend), and one that hangs fails only after
 * minutes. To us either is away.
 */
export const withTimeout = async <T>(
  query: PromiseLike<T>,
  ms = CONNECT_TIMEOUT_S * 1000,
): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(databaseTimeout()), Math.max(ms, 0))
  try {
    return await Promise.race([query, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** For `isDatabaseAway`, a query that got no result in time is the same as a connection that cannot be opened. */
export const databaseTimeout = (): Error =>
  Object.assign(new Error('the database does not answer'), { code: 'CONNECT_TIMEOUT' })

/** Whether `error` says that a row this one refers to was deleted in between. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '23503'

/** Whether `error` is a violation of the unique index `index`. */
export const isUniqueViolation = (error: unknown, index: string): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === '23505' &&
  error.constraint_name === index

/** Host and database of a URL, for messages: never its user or password. */
export const describeUrl = (url: string): string => {
  if (!URL.canParse(url)) return 'a URL that does not parse'
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}
