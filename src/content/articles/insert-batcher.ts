import { type Batcher, createBatcher } from '../../db/batcher'
import { isLockTimeout, LOCK_TIMEOUT_MS, LockTimeout, type Sql, type Tx } from '../../db/connect'
import { type Limit, limitConcurrency } from '../../db/limit-concurrency'
import { perKey } from '../../db/per-key'
import type { BatchedBy } from '../../http/change'
import { runOutsideSpans } from '../../tracing/span'
import {
  articleOf,
  type InsertResult,
  insertArticles,
  type PendingArticle,
  type TitledInput,
  toPending,
} from './insert'
import type { Article } from './schema'
import type { Writer } from './versions'

/** Statements in flight at a time. */
const MAX_STATEMENTS = 3
/**
 * Those with articles of one account: its second is sent while the first one commits, and the third is left for other
 * accounts.
 */
const MAX_STATEMENTS_OF_ACCOUNT = 2
/** Longer than the wait for a lock, so that a 503 names the lock as the reason. */
const TIMEOUT_MS = 25_000
/** Articles in one statement. */
const MAX_ARTICLES = 50
/**
 * Characters of their texts, unless it is one article: the driver escapes them in one step on the event loop. 15
 * articles of 1 MiB of quotation marks with their responses took 780 ms of CPU, one takes 45.
 */
const MAX_CHARACTERS = 1024 * 1024
/**
 * Those of one account while others wait: with 100 webhooks, each has up to 200 deliveries, which take PostgreSQL
 * 4 ms.
 */
const MAX_ARTICLES_OF_ACCOUNT = 10
/** How long an insert waits for a lock where unblocked articles wait with it, in ms. */
const SHORT_LOCK_TIMEOUT_MS = 200
/** Accounts that wait for a lock longer than that at a time: each takes one of the transactions of the process. */
const MAX_WAITING_ACCOUNTS = 3

/**
 * Creates articles of concurrent requests in shared statements: 0.16 ms of PostgreSQL's CPU for each instead of 0.54
 * (docs/decisions/speed.md). Accounts take turns: the articles of one delay those of others by no more
 * than its share of a statement. When a statement meets a locked row, its articles wait in the queues of their accounts
 * (`createBlockedInserts`), and so do new articles of these accounts.
 *
 * Each call returns undefined where its article was not inserted: `createArticle` in a transaction finds the reason.
 * `ofProcess` is the limit of `limitTransactions`.
 * @throws from each call the error of PostgreSQL for a lock not released in time.
 */
export const createInsertBatcher = (
  sql: Sql,
  ofProcess: Limit,
): ((writer: Writer, input: TitledInput, by: BatchedBy) => Promise<Article | undefined>) => {
  const blocked = createBlockedInserts(sql, ofProcess)

  const insert = async (articles: PendingArticle[]): Promise<(InsertResult | 'blocked')[]> => {
    const free = articles.filter(({ tenant }) => !blocked.has(tenant.accountId))
    if (free.length === 0) return articles.map(() => 'blocked')
    const options = { lockTimeoutMs: SHORT_LOCK_TIMEOUT_MS }
    const begun = performance.now()
    const results = await runOutsideSpans(() => insertArticles(sql, free, options)).catch(error => {
      // Each further statement would wait as long again.
      const isTableLocked = performance.now() - begun > LOCK_TIMEOUT_MS / 2
      if (!isLockTimeout(error) || isTableLocked) throw error
      return 'blocked' as const
    })
    return articles.map(article => {
      const at = free.indexOf(article)
      return at < 0 || results === 'blocked' ? 'blocked' : results[at]
    })
  }
  const batcher = createBatcher(insert, {
    maxCalls: MAX_STATEMENTS,
    maxItems: MAX_ARTICLES,
    maxWeight: MAX_CHARACTERS,
    weightOf,
    uniqueBy: keyOf,
    turns: {
      by: ({ tenant }) => tenant.accountId,
      maxItems: MAX_ARTICLES_OF_ACCOUNT,
      maxCalls: MAX_STATEMENTS_OF_ACCOUNT,
    },
  })

  return async (writer, input, by) => {
    const article = toPending(writer, input, by)
    const result = blocked.has(writer.accountId) ? 'blocked' : await batcher(article, TIMEOUT_MS)
    return articleOf(result === 'blocked' ? await blocked.insert(article, TIMEOUT_MS) : result)
  }
}

/** Two articles with one Idempotency-Key are in two statements: one cannot meet its own row twice. */
const keyOf = ({ id, by }: PendingArticle) =>
  by?.claim === undefined ? id : `${by.claim.request.callerId} ${by.claim.request.key}`

/** The response, which is stored with a claim, has the texts once more. */
const weightOf = ({ title, body, meta_title, meta_description, by }: PendingArticle) =>
  [title, body, meta_title, meta_description].reduce((sum, text) => sum + (text?.length ?? 0), 0) *
  (by?.claim === undefined ? 1 : 2)

/** `deadline`: when the request gets its 503, in ms of `performance.now()`. */
type BlockedArticle = { article: PendingArticle; deadline: number }

/**
 * Inserts the articles of accounts with a locked row, such as a webhook with ordered deliveries, one batch per
 * account at a time. When the lock is not released in time, all waiting articles of the account fail together: one
 * after the other, each would wait as long again, and could be inserted after its request got a 503.
 */
export const createBlockedInserts = (sql: Sql, ofProcess: Limit) => {
  const ofBatcher = limitConcurrency(MAX_WAITING_ACCOUNTS)
  const limitWaiting: Limit = work => ofBatcher(() => ofProcess(work))

  // In a transaction: the driver pipelines queries of other requests behind a single statement.
  const transaction = (work: (tx: Tx) => Promise<InsertResult[]>) =>
    runOutsideSpans(() => sql.begin(tx => work(tx as Tx))) as Promise<InsertResult[]>

  const insertBefore = (deadline: number, articles: PendingArticle[]) =>
    limitWaiting(() => {
      // Half of what is left: the error arrives before the batcher times out, so the 503 stays true.
      const timeoutMs = Math.floor((deadline - performance.now()) / 2)
      if (timeoutMs < SHORT_LOCK_TIMEOUT_MS) throw new LockTimeout()
      return transaction(async tx => {
        await tx`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`
        return insertArticles(tx, articles)
      })
    })

  const insert = async (blocked: BlockedArticle[]): Promise<InsertResult[]> => {
    const articles = blocked.map(({ article }) => article)
    try {
      return await transaction(tx =>
        insertArticles(tx, articles, { lockTimeoutMs: SHORT_LOCK_TIMEOUT_MS }),
      )
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      return insertBefore(Math.min(...blocked.map(({ deadline }) => deadline)), articles)
    }
  }

  const batchers = perKey((accountId: string) => {
    let failure: Error | undefined
    const batcher: Batcher<BlockedArticle, InsertResult> = createBatcher(
      async blocked => {
        if (failure === undefined)
          try {
            return await insert(blocked)
          } catch (error) {
            if (!(error instanceof Error && isLockTimeout(error))) throw error
            failure = error
            // Articles that arrive from now on try again.
            batchers.retire(accountId, batcher)
          }
        return Array<InsertResult>(blocked.length).fill(failure)
      },
      {
        maxCalls: 1,
        maxItems: MAX_ARTICLES,
        maxWeight: MAX_CHARACTERS,
        weightOf: ({ article }) => weightOf(article),
        uniqueBy: ({ article }) => keyOf(article),
      },
    )
    return batcher
  })

  return {
    /** Whether articles of the account wait for a lock. */
    has: batchers.has,
    insert: (article: PendingArticle, timeoutMs: number): Promise<InsertResult> =>
      batchers.use(article.tenant.accountId, batcher =>
        batcher({ article, deadline: performance.now() + timeoutMs }, timeoutMs),
      ),
  }
}
