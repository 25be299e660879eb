import { type Batcher, createBatcher } from '../../db/batcher'
import { isLockTimeout, LockTimeout, type Sql, type Tx } from '../../db/connect'
import { limitConcurrency } from '../../db/limit-concurrency'
import { perKey } from '../../db/per-key'
import { runOutsideSpans } from '../../tracing/span'
import { type Created, createArticlesIn, MOST_AT_ONCE, type ToCreate } from './create'

/** For how long a transaction waits for what somebody holds, in ms, where others wait with it. */
export const SOON_MS = 200
/** Accounts that may wait for longer at a time: each takes a connection for that, and a pool has ten. */
const WAITING_ACCOUNTS = 3

/** `giveUpAt`: when its caller is told that it was not created, in ms of the process. */
type Waiting = { article: ToCreate; giveUpAt: number }

/**
 * Creates articles of accounts of which something is held, such as a webhook that keeps an order: those of an account
 * in one transaction, and those that come meanwhile in the next. When what they wait for is not free in time, all of
 * them are refused together: asked one after the other, each would wait for as long once more, and be created after
 * its caller was told otherwise.
 */
export const createHeldArticles = (sql: Sql) => {
  const waits = limitConcurrency(WAITING_ACCOUNTS)

  // In a transaction also where one statement would do: on a connection of one, the driver puts nobody else's
  // queries behind it.
  const write = (work: (tx: Tx) => Promise<Map<string, Created>>) =>
    runOutsideSpans(() => sql.begin(transaction => work(transaction as Tx))) as Promise<
      Map<string, Created>
    >
  const wait = (articles: ToCreate[], giveUpAt: number) =>
    waits(() => {
      // For each of the two statements; what takes longer is not done, and a 503 stays true.
      const ms = Math.floor((giveUpAt - performance.now()) / 2)
      if (ms < SOON_MS) throw new LockTimeout()
      return write(async tx => {
        await tx`SELECT set_config('statement_timeout', ${String(ms)}, true)`
        return createArticlesIn(tx, articles)
      })
    })

  const accounts = perKey((accountId: string) => {
    let refused: Error | undefined
    const insert = async (waiting: Waiting[]): Promise<(Created | undefined)[]> => {
      const articles = waiting.map(one => one.article)
      const giveUpAt = Math.min(...waiting.map(one => one.giveUpAt))
      if (refused === undefined)
        try {
          const created = await write(tx =>
            createArticlesIn(tx, articles, { lockMs: SOON_MS }),
          ).catch(error => {
            if (!isLockTimeout(error)) throw error
            return wait(articles, giveUpAt)
          })
          return articles.map(({ id }) => created.get(id))
        } catch (error) {
          if (!(error instanceof Error && isLockTimeout(error))) throw error
          refused = error
          // Whoever comes from now on finds out anew.
          accounts.retire(accountId, create)
        }
      const reason = refused
      return articles.map(() => reason)
    }
    const create: Batcher<Waiting, Created | undefined> = createBatcher(insert, {
      maxCalls: 1,
      maxItems: MOST_AT_ONCE,
    })
    return create
  })

  return {
    /** Whether articles of the account wait here. */
    has: accounts.has,
    /** Gives up after `ms`, as a batch does. */
    create: (article: ToCreate, ms: number): Promise<Created | undefined> =>
      accounts.use(article.tenant.accountId, create =>
        create({ article, giveUpAt: performance.now() + ms }, ms),
      ),
  }
}
