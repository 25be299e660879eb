import type { Tenant } from '../caller'
import { createBatch } from '../db/batch'
import { isHeldUp, type Sql } from '../db/connect'
import { outsideSpans } from '../tracing/span'
import {
  articleOf,
  type Created,
  createArticles,
  type Input,
  type ToCreate,
  toCreate,
} from './new-articles'
import type { Article } from './records'

/**
 * Transactions under way at a time, and articles in one: two, so that the next one need not wait for a commit; few
 * articles, because each may be of 1 MiB.
 */
const CALLS = 2
const MOST = 50
/** For how long such a transaction waits for what somebody holds, in ms: all that are in it wait. */
const SOON_MS = 200
/** Accounts at a time that have transactions of their own: each may take a connection for as long as it waits. */
const HELD_CALLS = 3
/** In ms: longer than two that come one after the other may wait for a lock, so that a 503 says why. */
const GIVE_UP_MS = 25_000

/** Not created, because something is held that one of the articles beside it needs, or it itself. */
const HELD = 'held'

/**
 * Creates an article in a transaction that those which are created at the same time share: for Postgres, a
 * transaction and its statements are most of the work. One that comes alone waits for one round trip in place of
 * four.
 *
 * Where a row is held, such as a webhook that keeps an order, the articles of its account wait for it in a
 * transaction of their own, all in one, and those that come meanwhile behind them; nobody else does.
 * @throws {DomainError} from each call, as `createArticle`; what Postgres says of a lock that was not free in time.
 */
export const createArticleWriter = (
  sql: Sql,
): ((tenant: Tenant, input: Input) => Promise<Article>) => {
  const key = ({ id }: ToCreate) => id
  const together = createBatch(
    (articles: ToCreate[]) => createOr<typeof HELD>(() => HELD, sql, articles, SOON_MS),
    { calls: CALLS, most: MOST, key },
  )
  const byAccount = createBatch(
    // Answered to all of them: asked one by one, each would wait for as long once more.
    (articles: ToCreate[]) => createOr(error => error, sql, articles),
    { calls: HELD_CALLS, most: MOST, key, group: one => one.tenant.accountId },
  )
  /** How many wait in transactions of their account's own. */
  const waiting = new Map<string, number>()
  const createApart = async (article: ToCreate) => {
    const { accountId } = article.tenant
    waiting.set(accountId, (waiting.get(accountId) ?? 0) + 1)
    try {
      return await byAccount(article, GIVE_UP_MS)
    } finally {
      const left = (waiting.get(accountId) ?? 0) - 1
      if (left > 0) waiting.set(accountId, left)
      else waiting.delete(accountId)
    }
  }
  return async (tenant, input) => {
    const article = toCreate(tenant, input)
    const created = waiting.has(tenant.accountId) ? HELD : await together(article, GIVE_UP_MS)
    return articleOf(created === HELD ? await createApart(article) : created)
  }
}

/** What `otherwise` makes of the error stands for each of the articles when something is held. */
const createOr = <T>(
  otherwise: (error: Error) => T,
  sql: Sql,
  articles: ToCreate[],
  lockMs?: number,
): Promise<Map<string, Created | T>> =>
  outsideSpans(() => createArticles(sql, articles, { lockMs })).catch(error => {
    if (!isHeldUp(error)) throw error
    return new Map(articles.map(({ id }) => [id, otherwise(error)]))
  })
