import type { Caller } from '../caller'
import { isStatementTimeout, LockTimeout, type Sql } from '../db/connect'
import { limitConcurrencyPerKey } from '../db/limit-concurrency'
import { DomainError } from '../errors'

/** `statement_timeout` of the pool for reads, in ms. The slowest list of a page takes milliseconds. */
export const READ_TIMEOUT_MS = 5_000
/**
 * Reads per account in each process. The pool has ten connections; a read uses one, a list of deliveries two.
 */
const READS_PER_ACCOUNT = 3

/**
 * Runs the reads of a GET route. Every route whose cost grows with the records of an account reads through this
 * function, so that no account can use up the connections of the others (contract 2.5).
 * @throws {DomainError} UNAVAILABLE for a statement that was stopped, and after waiting too long for its turn.
 */
export type Read = <T>(
  caller: Pick<Caller, 'accountId'>,
  fn: (sql: Sql) => Promise<T>,
) => Promise<T>

/** `sql` is the pool whose statements are stopped after `READ_TIMEOUT_MS`. */
export const createRead = (sql: Sql): Read => {
  const limit = limitConcurrencyPerKey(READS_PER_ACCOUNT)
  return ({ accountId }, fn) =>
    limit(accountId, () => fn(sql)).catch(error => {
      throw toReadError(error)
    })
}

const toReadError = (error: unknown): unknown => {
  if (isStatementTimeout(error))
    return new DomainError(
      'UNAVAILABLE',
      `The read was stopped after ${READ_TIMEOUT_MS / 1000} s: PostgreSQL had too many records to search, or was too busy. Narrow the filter, for example with created_after and created_before, or try again later.`,
    )
  if (error instanceof LockTimeout)
    return new DomainError(
      'UNAVAILABLE',
      `The read was not started: other reads of this account took too long, and ${READS_PER_ACCOUNT} run at a time. Send fewer requests at a time, and narrow their filters.`,
    )
  return error
}
