import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Elysia } from 'elysia'
import type { Caller } from '../caller'
import {
  DatabaseTimeout,
  isDatabaseUnavailable,
  isDeadlock,
  isLockTimeout,
  isOutcomeUnknown,
  isOutdatedStatement,
  LOCK_TIMEOUT_MS,
  type Sql,
  type Tx,
  withTimeout,
} from '../db/connect'
import { type Limit, limitConcurrency, limitConcurrencyPerKey } from '../db/limit-concurrency'
import { DomainError, Unconfirmed } from '../errors'
import type { Topic } from '../notifications/topics'
import { inSpan } from '../tracing/span'
import {
  type Claim,
  claimKey,
  findStoredResponse,
  hasSecret,
  type IdempotentResult,
  REPLAYED_HEADER,
  readIdempotentRequest,
  runIdempotent,
  type StoredResponse,
} from './idempotency'
import { confirmCaller } from './request/caller'
import { readKeyValue } from './request/gate'
import { explainLockTimeout } from './response/errors'
import type { UnreadLimit } from './response/unread-limit'

/** Pause before the retry, so that the other transaction has finished by then. */
const DEADLOCK_RETRY_MS = 50
/** For the statements of all connections to be prepared again, in ms. */
const OUTDATED_MS = 5_000
/**
 * For a transaction to end, in ms (contract 2.5): longer than two waits for locks. A commit waits without limit where
 * PostgreSQL waits for a standby that is gone.
 */
const TRANSACTION_MS = 25_000
/** Open transactions per account: while changes of one account wait for a locked row, other accounts make theirs. */
const TRANSACTIONS_PER_ACCOUNT = 3
/** Open transactions of all accounts. The pool has ten connections: two are left for queries that are no changes. */
const TRANSACTIONS = 8
const LATE = `PostgreSQL has not confirmed the change within ${TRANSACTION_MS / 1000} s`
const LOST = 'The connection to PostgreSQL ended before it had confirmed the change'
/** It may be committed, now or later. */
const notConfirmed = (cause: unknown = new DatabaseTimeout(LATE)) =>
  new Unconfirmed(
    `${cause instanceof DatabaseTimeout ? `${LATE}, and may still make it` : `${LOST}, which may be made`}. Read the record before you send the change again; a POST with the same Idempotency-Key is safe to repeat.`,
    { cause },
  )
const explainUnknownOutcome = (error: unknown): never => {
  throw isOutcomeUnknown(error) ? notConfirmed(error) : error
}
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
export type Change = <T, B = undefined>(
  context: ChangeContext,
  status: 200 | 201 | 202,
  fn: (tx: Tx, before: B) => Promise<T>,
  options?: ChangeOptions<T, B>,
) => Promise<{ data: T }>

/** Runs a part of a change in a transaction of its own, in the account's turn, with the caller's rights checked. */
export type Transact = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>

/** `key` is the value of the caller's API key. */
export type BatchedBy = { claim: Claim | undefined; key: string }

type ChangeOptions<T, B> = {
  /**
   * Work that is too slow for one transaction, such as a DNS lookup, or a change of many rows in batches. `fn` gets its
   * result. Not run where a stored response is found.
   */
  before?: (transact: Transact) => Promise<B>
  /**
   * Replaces `fn` with a batched transaction, for API keys. Only for changes that lock no row of their own. It claims
   * the `Idempotency-Key`, and checks in its statement that the key is active. Undefined where it changed nothing: the
   * change is refused, or one of the two is not so. Then `fn` finds the stored response or the reason.
   */
  batched?: (by: BatchedBy) => Promise<T | undefined>
  /** Called before anything else, and in each turn of the account. Rejects the change by throwing. */
  check?: () => void
}

/**
 * For records that can be large in a response. Checks before a change, and again when it is its turn: responses can
 * become unread while it waits. A stored response is read in a turn, too.
 */
export const checkUnreadWrites =
  (change: Change, unread: Pick<UnreadLimit, 'checkWrite'>): Change =>
  (context, status, fn, options) =>
    change(context, status, fn, { ...options, check: () => unread.checkWrite(context.caller) })

/**
 * For `fn`, where `before` makes the whole change: its result is the response, also where that cannot be stored for its
 * `Idempotency-Key` because PostgreSQL is away or busy.
 */
export const madeBefore = async <B>(_: Tx, made: B): Promise<B> => made

/** Whether the same change can succeed later. */
export const isTemporary = (error: unknown): boolean =>
  isLockTimeout(error) ||
  isDatabaseUnavailable(error) ||
  (error instanceof DomainError && error.code === 'UNAVAILABLE')

/** Called after each commit, also after one whose response was sent before: wakes the dispatchers and publishes what changed. */
type OnCommit = (context: Pick<ChangeContext, 'caller' | 'topics'>) => void

/** `ofProcess` is the limit of `limitTransactions`. */
export const createChange = (sql: Sql, ofProcess: Limit, onCommit: OnCommit): Change => {
  const ofAccount = limitConcurrencyPerKey(TRANSACTIONS_PER_ACCOUNT)
  const createTransact =
    (context: ChangeContext, check: () => void) =>
    async <R>(work: (tx: Tx, isClaimed: boolean) => Promise<R>, claim?: Claim): Promise<R> => {
      const begin = () => {
        let isCommitting = false
        const transaction = sql.begin(async transaction => {
          const tx = transaction as Tx
          check()
          // Sent together: one round trip.
          const [isClaimed] = await Promise.all([
            claim !== undefined && claimKey(tx, claim),
            confirmCaller(context.request, tx),
          ])
          const result = await work(tx, isClaimed)
          isCommitting = true
          return result
        }) as Promise<R>
        return transaction.then(
          result => {
            onCommit(context)
            return result
          },
          error => {
            if (isCommitting) explainUnknownOutcome(error)
            throw error
          },
        )
      }
      const run = () =>
        inSpan('transaction', { kind: 'INTERNAL' }, () => {
          const response = Promise.withResolvers<R>()
          ofAccount(context.caller.accountId, () =>
            ofProcess(() => {
              const transaction = begin()
              withTimeout(transaction, TRANSACTION_MS, notConfirmed).then(
                response.resolve,
                response.reject,
              )
              // Its turn ends with it: it has a connection until then.
              return transaction
            }).catch(explainLockTimeout(PROCESS_IS_BUSY)),
          ).catch(response.reject)
          return response.promise
        })
      return retry(run)
    }

  return async <T, B>(
    context: ChangeContext,
    status: number,
    fn: (tx: Tx, before: B) => Promise<T>,
    { before, batched, check = () => {} }: ChangeOptions<T, B> = {},
  ) => {
    check()
    const request = readIdempotentRequest(context)
    const claim = request && { request, status }
    // The gate of the dashboard does not read this header, so a key in it says nothing of a user's role.
    const key = context.caller.actor.type === 'key' ? readKeyValue(context.request) : undefined
    if (batched && key !== undefined) {
      const data = await retry(() =>
        inSpan('transaction', { kind: 'INTERNAL' }, () => batched({ claim, key })),
      ).catch(explainUnknownOutcome)
      if (data !== undefined) {
        onCommit(context)
        return respond(context.set, { status, data, replayed: false })
      }
    }
    const stored =
      before &&
      request &&
      (await ofAccount(context.caller.accountId, () => {
        check()
        return findStoredResponse<T>(sql, request)
      }))
    if (stored !== undefined) return respond(context.set, stored)

    const transact = createTransact(context, check)
    // Undefined only without `before`, where B is undefined.
    const prepared = (await before?.(transact)) as B
    const isMade = (fn as unknown) === madeBefore
    // With `madeBefore` T is B.
    const made = { status, data: prepared as unknown as T, replayed: false }
    if (isMade && claim === undefined) return respond(context.set, made)
    const { response, storing } = await transact(
      async (tx, isClaimed): Promise<IdempotentResult<T>> =>
        claim === undefined
          ? { response: { status, data: await fn(tx, prepared), replayed: false } }
          : runIdempotent(tx, claim, isClaimed, () => fn(tx, prepared)),
      claim,
    ).catch((error): IdempotentResult<T> => {
      if (isMade && isTemporary(error)) return { response: made }
      throw error
    })
    await storing
    return respond(context.set, response)
  }
}

/** Again after a deadlock, once, and after a migration, of which each connection learns by itself. */
const retry = async <R>(run: () => Promise<R>): Promise<R> => {
  let since: number | undefined
  for (let deadlocks = 0; ; ) {
    try {
      return await run()
    } catch (error) {
      if (isDeadlock(error) && deadlocks++ === 0) await sleep(DEADLOCK_RETRY_MS)
      else if (isOutdatedStatement(error)) {
        since ??= performance.now()
        if (performance.now() - since > OUTDATED_MS) throw error
      } else throw error
    }
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
