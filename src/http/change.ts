import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Elysia } from 'elysia'
import type { Caller } from '../caller'
import { isDeadlock, type Sql, type Tx } from '../db/connect'
import { limitConcurrencyPerKey } from '../db/limit-concurrency'
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

/** Pause before the retry, so that the other transaction has finished by then. */
const DEADLOCK_RETRY_MS = 50
/**
 * Open transactions per account. The pool has ten connections: while changes of one account wait for a locked
 * row, the others serve the rest.
 */
const TRANSACTIONS_PER_ACCOUNT = 3

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

/** What a changing route passes on from its Elysia context. */
export type ChangeContext = {
  caller: Caller
  topics: readonly Topic[]
  request: Request
  path: string
  body: unknown
  set: Context['set']
}

/**
 * Runs `fn` in one transaction and responds with `{data}` and `status`. Every API route changes data through
 * this function, so a change, its events and its audit entry commit together. A POST whose `Idempotency-Key`
 * has a stored response gets that response, and `fn` does not run (contract 6.12).
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
  /** Replaces `fn` with a batched transaction. Only for changes that lock no row of their own. */
  batched?: () => Promise<T>
}

/** Called after each commit: wakes the dispatchers and publishes what changed. */
export type OnCommit = (context: Pick<ChangeContext, 'caller' | 'topics'>) => void

export const createChange = (sql: Sql, onCommit: OnCommit): Change => {
  const limit = limitConcurrencyPerKey(TRANSACTIONS_PER_ACCOUNT)
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
    const run = () =>
      inSpan('transaction', { kind: 'INTERNAL' }, () =>
        idempotent === undefined && batched
          ? batched().then(data => ({ status, data, replayed: false }))
          : limit(context.caller.accountId, () =>
              sql.begin(async transaction => {
                const tx = transaction as Tx
                return idempotent === undefined
                  ? { status, data: await fn(tx), replayed: false }
                  : runIdempotent(tx, idempotent, status, () => fn(tx))
              }),
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
