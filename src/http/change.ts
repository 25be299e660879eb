import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Elysia } from 'elysia'
import type { Caller } from '../caller'
import { isDeadlock, LOCK_TIMEOUT_MS, type Sql, type Tx } from '../db/connect'
import { type Limit, limitConcurrency, limitConcurrencyPerKey } from '../db/limit-concurrency'
import type { Topic } from '../notifications/topics'
import { inSpan } from '../tracing/span'
import {
  findStoredResponse,
  hasSecret,
  REPLAYED_HEADER,
  readIdempotentRequest,
  runIdempotent,
  type StoredResponse,
} from './idempotency'
import { confirmCaller } from './request/caller'
import { explainLockTimeout } from './response/errors'

/** Pause before the retry, so that the other transaction has finished by then. */
const DEADLOCK_RETRY_MS = 50
/** Open transactions per account: while changes of one account wait for a locked row, other accounts make theirs. */
const TRANSACTIONS_PER_ACCOUNT = 3
/** Open transactions of all accounts. The pool has ten connections: two are left for queries that are no changes. */
const TRANSACTIONS = 8
const PROCESS_IS_BUSY = `The change was not started: PostgreSQL was busy with changes of other accounts for ${LOCK_TIMEOUT_MS / 1000} s. Nothing was changed. Try again later.`

/** The limit for all transactions of a process that may wait for a lock of an account. */
export const limitTransactions = (): Limit => limitConcurrency(TRANSACTIONS)

/**
 * Gives routes the option `changes`: the topics to publish after the commit. Without it a route's context has
 * no `topics`, so it cannot call `change`.
 */
export const withChanges = new Elysia({ name: 'changes' }).macro({
  changes: (topics: readonly Topic[]) => ({
    // Elysia removes the option itself, so it is copied here for the route table.
    introspect: (hooks: object) => {
      Object.assign(hooks, { topics })
    },
    resolve: () => ({ topics }),
  }),
})

/** The part of the Elysia context that a changing route passes on. */
type ChangeContext = {
  caller: Caller
  topics: readonly Topic[]
  request: Request
  path: string
  body: unknown
  set: Context['set']
}

/**
 * Runs `fn` in one transaction and responds with `{data}` and `status` (contract 1.3). Every API route changes data
 * through this function, so a change, its events and its audit entry commit together. The rights of the caller are
 * checked again in the transaction, before `fn` (contract 3.19). A POST whose `Idempotency-Key` has a stored response
 * gets that response, and `fn` does not run (contract 6.12).
 */
export type Change = <T>(
  context: ChangeContext,
  status: 200 | 201 | 202,
  fn: (tx: Tx) => Promise<T>,
  options?: ChangeOptions<T>,
) => Promise<{ data: T }>

type ChangeOptions<T> = {
  /** Work that is too slow for a transaction, such as a DNS lookup. */
  before?: () => Promise<unknown>
  /**
   * Replaces `fn` with a batched transaction, for API keys. Only for changes that lock no row of their own and give no
   * rights: for these the check at the gate is enough, and a second one would cost each a round trip.
   */
  batched?: () => Promise<T>
}

/** Called after each commit: wakes the dispatchers and publishes what changed. */
type OnCommit = (context: Pick<ChangeContext, 'caller' | 'topics'>) => void

/** `ofProcess` is the limit of `limitTransactions`. */
export const createChange = (sql: Sql, ofProcess: Limit, onCommit: OnCommit): Change => {
  const ofAccount = limitConcurrencyPerKey(TRANSACTIONS_PER_ACCOUNT)
  return async <T>(
    context: ChangeContext,
    status: number,
    fn: (tx: Tx) => Promise<T>,
    { before, batched }: ChangeOptions<T> = {},
  ) => {
    const idempotent = readIdempotentRequest(context)
    const stored = idempotent && (await findStoredResponse<T>(sql, idempotent))
    if (stored !== undefined) return respond(context.set, stored)

    await before?.()
    const isBatched = idempotent === undefined && context.caller.actor.type === 'key'
    const run = () =>
      inSpan('transaction', { kind: 'INTERNAL' }, () =>
        isBatched && batched
          ? batched().then(data => ({ status, data, replayed: false }))
          : ofAccount(context.caller.accountId, () =>
              ofProcess(() =>
                sql.begin(async transaction => {
                  const tx = transaction as Tx
                  await confirmCaller(context.request, tx)
                  return idempotent === undefined
                    ? { status, data: await fn(tx), replayed: false }
                    : runIdempotent(tx, idempotent, status, () => fn(tx))
                }),
              ).catch(explainLockTimeout(PROCESS_IS_BUSY)),
            ),
      ) as Promise<StoredResponse<T>>
    const response = await run().catch(async error => {
      if (!isDeadlock(error)) throw error
      await sleep(DEADLOCK_RETRY_MS)
      return run()
    })
    onCommit(context)
    return respond(context.set, response)
  }
}

const respond = <T>(
  set: Context['set'],
  { status, data, replayed }: StoredResponse<T>,
): { data: T } => {
  set.status = status
  if (replayed) set.headers[REPLAYED_HEADER.toLowerCase()] = 'true'
  if (hasSecret(data)) set.headers['cache-control'] = 'no-store'
  return { data }
}
