import { createBatch } from '../db/batch'
import { isHeldUp, type Sql, type Tx } from '../db/connect'
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
  type Create = (article: ToCreate, ms: number) => Promise<Created | undefined>
  const accounts = new Map<string, { create: Create; callers: number }>()
  const waits = createTurns(WAITING_ACCOUNTS)

  // In a transaction also where one statement would do: on a connection of one, the driver puts nobody else's
  // queries behind it.
  const write = (articles: ToCreate[], lockMs?: number) =>
    outsideSpans(() =>
      sql.begin(tx => createArticlesIn(tx as Tx, articles, { lockMs })),
    ) as Promise<Map<string, Created>>
  const writeOrWait = (articles: ToCreate[]) =>
    write(articles, SOON_MS).catch(error => {
      if (!isHeldUp(error)) throw error
      return waits(() => write(articles))
    })

  const open = (accountId: string) => {
    let refused: Error | undefined
    const ask = async (articles: ToCreate[]): Promise<Map<string, Created>> => {
      if (refused === undefined)
        try {
          return await writeOrWait(articles)
        } catch (error) {
          if (!(error instanceof Error && isHeldUp(error))) throw error
          refused = error
          // Whoever comes from now on finds out anew.
          accounts.delete(accountId)
        }
      const reason = refused
      return new Map(articles.map(({ id }) => [id, reason]))
    }
    const account = {
      create: createBatch(ask, { calls: 1, most: MOST, key: ({ id }: ToCreate) => id }),
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
        return await account.create(article, ms)
      } finally {
        account.callers--
        if (account.callers === 0 && accounts.get(accountId) === account) accounts.delete(accountId)
      }
    },
  }
}
