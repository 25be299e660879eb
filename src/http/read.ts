import { connect, isStatementTimeout, LOCK_TIMEOUT_MS, type Sql } from '../db/connect'
import { limitConcurrency, limitConcurrencyPerKey } from '../db/limit-concurrency'
import { DomainError } from '../errors'
import { explainLockTimeout } from './response/errors'
import type { Reader, UnreadLimit } from './response/unread-limit'

/** `statement_timeout` of the pool for reads, in ms. The slowest list of a page takes milliseconds. */
const READ_TIMEOUT_MS = 5_000
/** Reads in each process, one for each connection of their pool. */
const READS = 10
/** Reads per account in each process. */
const READS_PER_ACCOUNT = 3

const ACCOUNT_IS_BUSY = `The read was not started: other reads of this account took too long, and ${READS_PER_ACCOUNT} run at a time. Send fewer requests at a time, and narrow their filters.`
const PROCESS_IS_BUSY = `The read was not started: PostgreSQL was busy with reads of other accounts for ${LOCK_TIMEOUT_MS / 1000} s. Try again later.`

/**
 * The pool for `createRead`. Without pipelining: a connection that becomes free takes one waiting query, where the
 * driver would otherwise send it all of them, so that fast ones wait behind a slow one while other connections are idle.
 */
export const connectForReads = (url: string, name: string): Sql =>
  connect(url, { name, max: READS, statementTimeoutMs: READ_TIMEOUT_MS, pipelining: false })

/**
 * Runs the reads of a GET route. Every route whose cost grows with the records of an account reads through this
 * function, so that no account can use up the connections of the others (contract 2.5). `fn` runs one query at a time.
 * @throws {DomainError} UNAVAILABLE for a statement that was stopped, and after waiting too long for its turn;
 * TOO_MANY_REQUESTS while the caller or its account has too many unread responses.
 */
export type Read = RunRead<Reader>

/**
 * The same without regard to unread responses: for API keys, so that the one to revoke can be found, and for small
 * results that the callers of an account share.
 */
export type UncheckedRead = RunRead<Pick<Reader, 'accountId'>>

type RunRead<C> = <T>(caller: C, fn: (sql: Sql) => Promise<T>) => Promise<T>

/** Checks when it is the turn of a read: responses can become unread while it waits. */
export const checkUnread =
  (read: UncheckedRead, unread: UnreadLimit): Read =>
  (caller, fn) =>
    read(caller, async sql => {
      unread.check(caller)
      return fn(sql)
    })

/** `sql` is the pool of `connectForReads`. */
export const createRead = (sql: Sql): UncheckedRead => {
  const ofAccount = limitConcurrencyPerKey(READS_PER_ACCOUNT)
  const ofProcess = limitConcurrency(READS)
  return ({ accountId }, fn) => {
    const run = async () => {
      try {
        return await fn(sql)
      } catch (error) {
        throw isStatementTimeout(error) ? stopped() : error
      }
    }
    const runOfProcess = () => ofProcess(run).catch(explainLockTimeout(PROCESS_IS_BUSY))
    return ofAccount(accountId, runOfProcess).catch(explainLockTimeout(ACCOUNT_IS_BUSY))
  }
}

const stopped = () =>
  new DomainError(
    'UNAVAILABLE',
    `The read was stopped after ${READ_TIMEOUT_MS / 1000} s: PostgreSQL had too many records to search, or was too busy. Narrow the filter, for example with created_after and created_before, or try again later.`,
  )
