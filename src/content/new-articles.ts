import type { Tenant } from '../caller'
import { createBatch } from '../db/batch'
import type { Sql, Tx } from '../db/connect'
import { type DomainError, invalid } from '../errors'
import type { Of } from '../http/schema'
import { newId } from '../ids'
import { outsideSpans } from '../tracing/span'
import { noteEvents, type Occurrence, type Recorded, recordEvents } from '../webhooks/events'
import { eventData, toArticle, unknownKeyword } from './articles'
import type { Article, NewArticle } from './records'
import { slugify } from './slug'

type Input = Of<typeof NewArticle>
/** What became of one: the article and its events, or why there is none. */
type Created = { article: Article; events: Recorded[] } | DomainError

/**
 * Transactions under way at a time, and articles in one. Two, so that one which waits for a row that somebody
 * holds does not stop all others; few articles, because each may be of 1 MiB.
 */
const CALLS = 2
const MOST = 50
/** In ms: longer than two that come one after the other may wait for a lock, so that a 503 says why. */
const GIVE_UP_MS = 25_000

/**
 * Fires `article.created`, and `article.published` when it is made PUBLISHED; then what `more` says, for events
 * of one transaction are recorded together.
 * @throws {DomainError} VALIDATION_ERROR naming `project_id` or `keyword_id` when it is unknown here.
 */
export const createArticle = async (
  tx: Tx,
  tenant: Tenant,
  input: Input,
  more: (article: Article) => Occurrence[] = () => [],
): Promise<Article> => {
  const article = toCreate(tenant, input)
  return articleOf((await createArticles(tx, [article], more)).get(article.id))
}

/**
 * The same in a transaction of its own, which those that are created at the same time share: for Postgres, a
 * transaction and its statements are most of the work.
 */
export const createArticleWriter = (
  sql: Sql,
): ((tenant: Tenant, input: Input) => Promise<Article>) => {
  const create = createBatch(
    (articles: ToCreate[]) =>
      outsideSpans(() => sql.begin(tx => createArticles(tx as Tx, articles))) as Promise<
        Map<string, Created>
      >,
    { calls: CALLS, most: MOST, key: ({ id }) => id },
  )
  return async (tenant, input) => articleOf(await create(toCreate(tenant, input), GIVE_UP_MS))
}

const articleOf = (created: Created | undefined): Article => {
  if (created === undefined) throw new Error('an article was neither created nor refused')
  if (created instanceof Error) throw created
  noteEvents(created.events)
  return created.article
}

const unknownProject = () => invalid('project_id', 'is not the id of a project here')

type ToCreate = ReturnType<typeof toCreate>

const toCreate = ({ accountId, mode }: Tenant, input: Input) => ({
  id: newId('art'),
  tenant: { accountId, mode },
  project_id: input.project_id,
  keyword_id: input.keyword_id ?? null,
  title: input.title,
  slug: input.slug ?? slugify(input.title),
  body: input.body ?? '',
  status: input.status ?? 'DRAFT',
})

/** Each that can be is created with its events, and no other one stands in its way. */
const createArticles = async (
  tx: Tx,
  articles: ToCreate[],
  more: (article: Article) => Occurrence[] = () => [],
): Promise<Map<string, Created>> => {
  const held = await holdKeywords(tx, articles)
  const isPossible = ({ id, keyword_id }: ToCreate) => keyword_id === null || held.has(id)
  const rows = await insert(tx, articles.filter(isPossible))
  const created = new Map<string, Created>()
  const fired: Occurrence[][] = []
  for (const one of articles) {
    const row = rows.get(one.id)
    if (row === undefined)
      created.set(one.id, isPossible(one) ? unknownProject() : unknownKeyword())
    else {
      const article = toArticle({ ...one, ...row, mode: one.tenant.mode })
      created.set(one.id, { article, events: [] })
      fired.push([...firedBy(one.tenant, article), ...more(article)])
    }
  }
  const recorded = await recordEvents(tx, fired.flat())
  for (const one of created.values())
    if ('article' in one) one.events = recorded.splice(0, fired.shift()?.length)
  return created
}

const firedBy = (tenant: Tenant, article: Article): Occurrence[] => {
  const data = eventData(article)
  const created: Occurrence = { tenant, type: 'article.created', data }
  return article.status === 'PUBLISHED'
    ? [created, { tenant, type: 'article.published', data }]
    : [created]
}

type Written = { published_at: Date | null; created_at: Date }

/** Those whose project is one of their tenant. The title and the text are known: they do not come back. */
const insert = async (tx: Tx, articles: ToCreate[]): Promise<Map<string, Written>> => {
  const rows = await tx<(Written & { id: string })[]>`
    INSERT INTO articles
      (id, account_id, mode, project_id, keyword_id, title, slug, body, status, published_at)
    SELECT a.id, p.account_id, p.mode, p.id, a.keyword_id, a.title, a.slug, a.body, a.status,
      CASE a.status WHEN 'PUBLISHED' THEN clock_timestamp() END
    FROM unnest(
      ${articles.map(one => one.id)}::text[], ${articles.map(one => one.tenant.accountId)}::text[],
      ${articles.map(one => one.tenant.mode)}::text[],
      ${articles.map(one => one.project_id)}::text[],
      ${articles.map(one => one.keyword_id)}::text[], ${articles.map(one => one.title)}::text[],
      ${articles.map(one => one.slug)}::text[], ${articles.map(one => one.body)}::text[],
      ${articles.map(one => one.status)}::text[]
    ) AS a (id, account_id, mode, project_id, keyword_id, title, slug, body, status)
    JOIN projects p ON p.id = a.project_id AND p.account_id = a.account_id AND p.mode = a.mode
      AND p.deleted_at IS NULL
    RETURNING id, published_at, created_at`
  return new Map(rows.map(row => [row.id, row]))
}

/**
 * The ids of those whose keyword is one of their project. It is held until the commit: one that is being
 * deleted waits, or is not here any more.
 */
const holdKeywords = async (tx: Tx, articles: ToCreate[]): Promise<Set<string>> => {
  const about = articles.filter(one => one.keyword_id !== null)
  if (about.length === 0) return new Set()
  const rows = await tx<{ id: string }[]>`
    SELECT a.id
    FROM unnest(
      ${about.map(one => one.id)}::text[], ${about.map(one => one.tenant.accountId)}::text[],
      ${about.map(one => one.tenant.mode)}::text[], ${about.map(one => one.project_id)}::text[],
      ${about.map(one => one.keyword_id)}::text[]
    ) AS a (id, account_id, mode, project_id, keyword_id)
    JOIN keywords k ON k.id = a.keyword_id AND k.project_id = a.project_id
      AND k.account_id = a.account_id AND k.mode = a.mode AND k.deleted_at IS NULL
    ORDER BY k.id FOR KEY SHARE OF k`
  return new Set(rows.map(row => row.id))
}
