import type { Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import { invalid } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { newId } from '../../ids'
import {
  buildEvents,
  type EventInput,
  eventInserts,
  type RecordedEvent,
  traceEvents,
} from '../../webhooks/events/record'
import type { Article, NewArticle } from './schema'
import { slugify } from './slug'
import { eventData, toArticle, unknownKeyword } from './store'

export type Input = TypeOf<typeof NewArticle>
/** What else happens with the article of this id. */
type More = (articleId: string) => EventInput
/** Articles in one transaction of several callers: few, because each may be of 1 MiB. */
export const MOST_AT_ONCE = 50
/** What became of one: the article and its events, or why there is none. */
export type Created = { article: Article; events: RecordedEvent[] } | Error

/**
 * Fires `article.created`, and `article.published` when it is made PUBLISHED; then `more`, for the events of one
 * transaction are recorded together.
 * @throws {DomainError} VALIDATION_ERROR naming `project_id` or `keyword_id` when it is unknown here.
 */
export const createArticle = async (
  tx: Tx,
  tenant: Tenant,
  input: Input,
  more?: More,
): Promise<Article> => {
  const article = toCreate(tenant, input)
  return articleOf((await createArticlesIn(tx, [article], { more })).get(article.id))
}

export const articleOf = (created: Created | undefined): Article => {
  if (created === undefined) throw new Error('an article was neither created nor refused')
  if (created instanceof Error) throw created
  traceEvents(created.events)
  return created.article
}

const unknownProject = () => invalid('project_id', 'is not the id of a project here')

export type ToCreate = ReturnType<typeof toCreate>

export const toCreate = ({ accountId, mode }: Tenant, input: Input) => ({
  id: newId('art'),
  tenant: { accountId, mode },
  project_id: input.project_id,
  keyword_id: input.keyword_id ?? null,
  title: input.title,
  slug: input.slug ?? slugify(input.title),
  body: input.body ?? '',
  status: input.status ?? 'DRAFT',
})

type How = {
  more?: More | undefined
  /** For how long it waits for what another transaction holds, in ms; as long as anything does when absent. */
  lockMs?: number | undefined
}

/**
 * Each that can be is created with its events in one transaction, and no other one stands in its way. Where no
 * keyword must be held that is one statement.
 */
export const createArticles = (
  sql: Sql,
  articles: ToCreate[],
  how: How,
): Promise<Map<string, Created>> =>
  articles.some(one => one.keyword_id !== null)
    ? (sql.begin(tx => createArticlesIn(tx as Tx, articles, how)) as Promise<Map<string, Created>>)
    : insertArticles(sql, articles, how)

/** The same in the transaction of `tx`. */
export const createArticlesIn = async (
  tx: Tx,
  articles: ToCreate[],
  how: How = {},
): Promise<Map<string, Created>> => {
  const held = await holdKeywords(tx, articles, how)
  const isPossible = ({ id, keyword_id }: ToCreate) => keyword_id === null || held.has(id)
  const created = await insertArticles(tx, articles.filter(isPossible), how)
  for (const one of articles) if (!isPossible(one)) created.set(one.id, unknownKeyword())
  return created
}

const firedBy = (one: ToCreate, more?: More): EventInput[] => {
  const { id, tenant, status } = one
  const data = eventData(one)
  const fired: EventInput[] = [{ tenant, type: 'article.created', data }]
  if (status === 'PUBLISHED') fired.push({ tenant, type: 'article.published', data })
  if (more !== undefined) fired.push(more(id))
  return fired
}

type Written = { id: string; published_at: Date | null; created_at: Date }

/**
 * Those whose project is one of their tenant, and their events, in one statement. The title and the text are
 * known: they do not come back.
 */
const insertArticles = async (
  db: Db,
  articles: ToCreate[],
  { more, lockMs }: How,
): Promise<Map<string, Created>> => {
  const fired = articles.flatMap(one => firedBy(one, more).map(occurrence => ({ one, occurrence })))
  const events = buildEvents(fired.map(({ occurrence }) => occurrence))
  const about = fired.map(({ one }) => one.id)
  const rows = await db<Written[]>`
    WITH article AS (
      INSERT INTO articles
        (id, account_id, mode, project_id, keyword_id, title, slug, body, status, published_at)
      SELECT a.id, p.account_id, p.mode, p.id, a.keyword_id, a.title, a.slug, a.body, a.status,
        CASE a.status WHEN 'PUBLISHED' THEN clock_timestamp() END
      FROM ${waitingFor(db, lockMs)} unnest(
        ${articles.map(one => one.id)}::text[],
        ${articles.map(one => one.tenant.accountId)}::text[],
        ${articles.map(one => one.tenant.mode)}::text[],
        ${articles.map(one => one.project_id)}::text[],
        ${articles.map(one => one.keyword_id)}::text[], ${articles.map(one => one.title)}::text[],
        ${articles.map(one => one.slug)}::text[], ${articles.map(one => one.body)}::text[],
        ${articles.map(one => one.status)}::text[]
      ) AS a (id, account_id, mode, project_id, keyword_id, title, slug, body, status)
      JOIN projects p ON p.id = a.project_id AND p.account_id = a.account_id AND p.mode = a.mode
        AND p.deleted_at IS NULL
      -- Before the webhooks that keep an order, as the deletion of a project holds them.
      FOR KEY SHARE OF p
      RETURNING id, published_at, created_at
    ),
    ${eventInserts(db, events, { about, made: db`SELECT id FROM article` })}
    SELECT article.* FROM article, (SELECT count(*) FROM counted) AS all_counted`
  const written = new Map(rows.map(row => [row.id, row]))
  const outcome = (one: ToCreate): Created => {
    const row = written.get(one.id)
    if (row === undefined) return unknownProject()
    const article = toArticle({ ...one, ...row, mode: one.tenant.mode })
    return { article, events: events.filter((_, n) => about[n] === one.id) }
  }
  return new Map(articles.map(one => [one.id, outcome(one)]))
}

/**
 * The ids of those whose keyword is one of their project. It is held until the commit: one that is being
 * deleted waits, or is not here any more.
 */
const holdKeywords = async (
  tx: Tx,
  articles: ToCreate[],
  { lockMs }: How,
): Promise<Set<string>> => {
  const about = articles.filter(one => one.keyword_id !== null)
  if (about.length === 0) return new Set()
  const rows = await tx<{ id: string }[]>`
    SELECT a.id
    FROM ${waitingFor(tx, lockMs)} unnest(
      ${about.map(one => one.id)}::text[], ${about.map(one => one.tenant.accountId)}::text[],
      ${about.map(one => one.tenant.mode)}::text[], ${about.map(one => one.project_id)}::text[],
      ${about.map(one => one.keyword_id)}::text[]
    ) AS a (id, account_id, mode, project_id, keyword_id)
    JOIN keywords k ON k.id = a.keyword_id AND k.project_id = a.project_id
      AND k.account_id = a.account_id AND k.mode = a.mode AND k.deleted_at IS NULL
    ORDER BY k.id FOR KEY SHARE OF k`
  return new Set(rows.map(row => row.id))
}

/** SQL that stands first in a FROM: from there to its end, the transaction waits no longer for any lock. */
const waitingFor = (db: Db, lockMs: number | undefined) =>
  lockMs === undefined
    ? db``
    : db`(SELECT set_config('lock_timeout', ${String(lockMs)}, true)) AS waiting,`
