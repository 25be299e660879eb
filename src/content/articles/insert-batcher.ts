import type { Tenant } from '../../caller'
import { createBatcher } from '../../db/batcher'
import { isLockTimeout, type Sql } from '../../db/connect'
import { runOutsideSpans } from '../../tracing/span'
import { createHeldArticles, SOON_MS } from './blocked-inserts'
import {
  articleOf,
  type Created,
  createArticles,
  type Input,
  MOST_AT_ONCE,
  type ToCreate,
  toCreate,
} from './create'
import type { Article } from './schema'

/** Transactions under way at a time: two, so that the next one need not wait for a commit. */
const CALLS = 2
/** In ms: longer than a lock is waited for, so that a 503 says why. */
const GIVE_UP_MS = 25_000

/** Not created, because something is held that one of the articles beside it needs, or it itself. */
const HELD = 'held'

/**
 * Creates an article in a transaction that those which are created at the same time share: for Postgres, a
 * transaction and its statements are most of the work. One that comes alone waits for one round trip in place of
 * four.
 *
 * Where a row is held, such as a webhook that keeps an order, the articles of its account wait for it apart from
 * all others (held-articles.ts), and those of it that come meanwhile wait there too.
 * @throws {DomainError} from each call, as `createArticle`; what Postgres says of a lock that was not free in time.
 */
export const createArticleWriter = (
  sql: Sql,
): ((tenant: Tenant, input: Input) => Promise<Article>) => {
  const held = createHeldArticles(sql)

  const create = async (articles: ToCreate[]): Promise<(Created | typeof HELD)[]> => {
    const free = articles.filter(({ tenant }) => !held.has(tenant.accountId))
    let created = new Map<string, Created>()
    if (free.length > 0)
      try {
        created = await runOutsideSpans(() => createArticles(sql, free, { lockMs: SOON_MS }))
      } catch (error) {
        if (!isLockTimeout(error)) throw error
      }
    return articles.map(({ id }) => created.get(id) ?? HELD)
  }
  const together = createBatcher(create, { maxCalls: CALLS, maxItems: MOST_AT_ONCE })

  return async (tenant, input) => {
    const article = toCreate(tenant, input)
    const created = held.has(tenant.accountId) ? HELD : await together(article, GIVE_UP_MS)
    return articleOf(created === HELD ? await held.create(article, GIVE_UP_MS) : created)
  }
}
