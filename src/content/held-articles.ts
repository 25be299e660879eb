import { createBatch } from '../db/batch'
import { HeldUp, isHeldUp, type Sql, type Tx } from '../db/connect'
import { createTurns } from '../db/turns'
import { outsideSpans } from '../tracing/span'
import { type Created, createArticlesIn, type ToCreate } from './new-articles'

/** For how long a transaction waits for what somebody holds, in ms, where others wait with it. */
export const SOON_MS = 200
/** Articles in one transaction: each may be of 1 MiB. */
const MOST = 50
/** Accounts that may wait for longer at a time: each takes a connection for that, and a pool has ten. */
const WAITING_ACCOUNTS = 3

/**
 * Creates articles of accounts of which something is held, such as a webhook that keeps an order: those of an account
 * in one transaction, and those that come meanwhile in the next. When what they wait for is not free in time, all of
 * them are refused together: asked one after the other, each would wait for as long once more, and be created after
 * its caller was told otherwise.
 */
export const createHeldArticles = (sql: Sql) => {
  /** `giveUpAt`: when its caller is told that it was not created, in ms of the process. */
  type Waiting = { article: ToCreate; giveUpAt: number }
  type Create = (one: Waiting, ms: number) => Promise<Created | undefined>
  type Account = { create: Create; callers: number }
  const accounts = new Map<string, Account>()
  const waits = createTurns(WAITING_ACCOUNTS)

  // In a transaction also where one statement would do: on a connection of one, the driver puts nobody else's
  // queries behind it.
  const write = (work: (tx: Tx) => Promise<Map<string, Created>>) =>
    outsideSpans(() => sql.begin(transaction => work(transaction as Tx))) as Promise<
      Map<string, Created>
    >
  const wait = (articles: ToCreate[], giveUpAt: number) =>
    waits(() => {
      // For each of the two statements; what takes longer is not done, and a 503 stays true.
      const ms = Math.floor((giveUpAt - performance.now()) / 2)
      if (ms < SOON_MS) throw new HeldUp()
      return write(async tx => {
        await tx`SELECT set_config('statement_timeout', ${String(ms)}, true)`
        return createArticlesIn(tx, articles)
      })
    })

  const close = (accountId: string, account: Account) => {
    // Another may have been opened since.
    if (accounts.get(accountId) === account) accounts.delete(accountId)
  }
  const open = (accountId: string): Account => {
    let refused: Error | undefined
    const ask = async (waiting: Waiting[]): Promise<Map<string, Created>> => {
      const articles = waiting.map(one => one.article)
      const giveUpAt = Math.min(...waiting.map(one => one.giveUpAt))
      if (refused === undefined)
        try {
          return await write(tx => createArticlesIn(tx, articles, { lockMs: SOON_MS })).catch(
            error => {
              if (!isHeldUp(error)) throw error
              return wait(articles, giveUpAt)
            },
          )
        } catch (error) {
          if (!(error instanceof Error && isHeldUp(error))) throw error
          refused = error
          // Whoever comes from now on finds out anew.
          close(accountId, account)
        }
      const reason = refused
      return new Map(articles.map(({ id }) => [id, reason]))
    }
    const account: Account = {
      create: createBatch(ask, { calls: 1, most: MOST, key: ({ article }) => article.id }),
      callers: 0,
    }
    accounts.set(accountId, account)
    return account
  }

  return {
    /** Whether articles of the account wait here. */
    has: (accountId: string) => accounts.has(accountId),
    /** Gives up after `ms`, as a batch does. */
    create: async (article: ToCreate, ms: number): Promise<Created | undefined> => {
      const { accountId } = article.tenant
      const account = accounts.get(accountId) ?? open(accountId)
      account.callers++
      try {
        return await account.create({ article, giveUpAt: performance.now() + ms }, ms)
      } finally {
        account.callers--
        if (account.callers === 0) close(accountId, account)
      }
    },
  }
}
