import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Elysia } from 'elysia'
import type { Caller } from '../caller'
import { isDeadlock, type Sql, type Tx } from '../db/connect'
import { limitConcurrencyPerKey } from '../db/limit-concurrency'
import type { Topic } from '../notifications/topics'
import { inSpan } from '../tracing/span'
import {
  findStoredResponse,
  REPLAYED_HEADER,
  readIdempotentRequest,
  runIdempotent,
  type StoredResponse,
} from './idempotency'

/** For the other transaction to go on, which would else meet the second try as it met the first. */
const DEADLOCK_RETRY_MS = 50
/**
 * Transactions of one account at a time. A pool has ten connections: where one of the account's rows is held, its
 * changes wait for that, and the rest of the pool serves the others meanwhile.
 */
const TRANSACTIONS_PER_ACCOUNT = 3

/**
 * Gives routes the option `changes`: the topics that open dashboards are notified of once the change is
 * committed. A route without it has no `topics` in its context, so it cannot call `change`.
 */
export const withChanges = new Elysia({ name: 'changes' }).macro({
  changes: (topics: readonly Topic[]) => ({
    // For the route table: Elysia removes the option itself.
    introspect: (hooks: object) => {
      Object.assign(hooks, { topics })
    },
    resolve: () => ({ topics }),
  }),
})

/** What a changing route passes on of its Elysia context. */
export type ChangeContext = {
  caller: Caller
  topics: readonly Topic[]
  request: Request
  path: string
  body: unknown
  set: Context['set']
}

/**
 * Runs `fn` in one transaction and answers `{data}` with `status`: the only way an API route changes
 * anything, so that a change, its events and its audit entry commit together or not at all. A POST that was
 * answered before under its `Idempotency-Key` gets that answer, and nothing is run (contract 6.12).
 */
export type Change = <T>(
  context: ChangeContext,
  status: 200 | 201 | 202,
  fn: (tx: Tx) => Promise<T>,
  more?: ChangeOptions<T>,
) => Promise<{ data: T }>

type ChangeOptions<T> = {
  /** What takes too long for a transaction, such as resolving a name. */
  before?: () => Promise<unknown>
  /** Does as `fn`, in a transaction that it shares with others: where there is no row of its own to keep. */
  batched?: () => Promise<T>
}

/** Called after each commit: wakes the dispatchers and publishes what changed. */
export type OnCommit = (context: Pick<ChangeContext, 'caller' | 'topics'>) => void

export const createChange = (sql: Sql, committed: OnCommit): Change => {
  const limit = limitConcurrencyPerKey(TRANSACTIONS_PER_ACCOUNT)
  return async <T>(
    context: ChangeContext,
    status: number,
    fn: (tx: Tx) => Promise<T>,
    { before, batched }: ChangeOptions<T> = {},
  ) => {
    const once = readIdempotentRequest(context)
    const earlier = once && (await findStoredResponse<T>(sql, once))
    if (earlier !== undefined) return respond(context.set, earlier)

    await before?.()
    const run = () =>
      inSpan('transaction', { kind: 'INTERNAL' }, () =>
        once === undefined && batched
          ? batched().then(data => ({ status, data, replayed: false }))
          : limit(context.caller.accountId, () =>
              sql.begin(async transaction => {
                const tx = transaction as Tx
                return once === undefined
                  ? { status, data: await fn(tx), replayed: false }
                  : runIdempotent(tx, once, status, () => fn(tx))
              }),
            ),
      ) as Promise<StoredResponse<T>>
    const answer = await run().catch(async error => {
      if (!isDeadlock(error)) throw error
      await sleep(DEADLOCK_RETRY_MS)
      return run()
    })
    committed(context)
    return respond(context.set, answer)
  }
}

const respond = <T>(
  set: Context['set'],
  { status, data, replayed }: StoredResponse<T>,
): { data: T } => {
  set.status = status
  if (replayed) set.headers[REPLAYED_HEADER.toLowerCase()] = 'true'
  return { data }
}
