import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller, Tenant } from '../../caller'
import type { Db, Tx } from '../../db/connect'
import { CHECK_ID_AND_MODE, type DomainError, invalid } from '../../errors'
import type { BatchedBy } from '../../http/change'
import { claimInserts } from '../../http/idempotency'
import type { TypeOf } from '../../http/schema'
import { newId } from '../../ids'
import { isActiveHash } from '../../keys/status'
import { hashValue } from '../../keys/value'
import {
  buildEvents,
  type EventInput,
  eventInserts,
  type RecordedEvent,
  traceEvents,
} from '../../webhooks/events/record'
import { readLanguage, withSlug } from './project-language'
import type { Article, NewArticle } from './schema'
import { checkSchedule, eventData, toArticle, toDate, unknownKeyword } from './store'
import type { Writer } from './versions'

type ArticleInput = TypeOf<typeof NewArticle>
/** With its slug: `withSlug`. */
export type TitledInput = ArticleInput & { slug: string }
/** An article with its id, its times and its defaults. */
export type PendingArticle = ReturnType<typeof toPending>
/** The article and the events it fired, or why it was not inserted; undefined where it has `by` and was not. */
export type InsertResult = { article: Article; events: RecordedEvent[] } | Error | undefined

type InsertOptions = {
  /** One more event for each article: all events of a transaction are recorded in one call. */
  alsoFires?: ((articleId: string) => EventInput) | undefined
  /** How long the statement waits for a lock, in ms; the limit of the connection when absent. */
  lockTimeoutMs?: number
}

/**
 * Creates an article in the transaction of `tx`. Fires `article.created`, and `article.published` when it is created
 * as PUBLISHED (contract 6.4).
 * @throws {DomainError} VALIDATION_ERROR naming `project_id` or `keyword_id` when it is unknown to the tenant.
 */
export const createArticle = async (
  tx: Tx,
  writer: Writer,
  input: ArticleInput,
  alsoFires?: InsertOptions['alsoFires'],
): Promise<Article> => {
  const titled = await withSlug(input, id => readLanguage(tx, writer, id))
  const [result] = await insertArticles(tx, [toPending(writer, titled)], { alsoFires })
  const article = articleOf(result)
  if (article === undefined) throw new Error('insertArticles returned no result for an article')
  return article
}

/** The same for a request of the API. One that is created as PUBLISHED, or scheduled, is in the audit history. */
export const createArticleOf = async (
  tx: Tx,
  caller: Caller,
  input: ArticleInput,
): Promise<Article> => {
  const article = await createArticle(tx, caller, input)
  if (article.status === 'PUBLISHED')
    await recordAudit(tx, auditContextOf(caller), 'article.published', article.id, {
      title: article.title,
    })
  else if (article.scheduled_at !== null)
    await recordAudit(tx, auditContextOf(caller), 'article.scheduled', article.id, {
      title: article.title,
      scheduled_at: article.scheduled_at,
    })
  return article
}

/** The article of a result; adds its events to the open span. @throws the error of the result. */
export const articleOf = (result: InsertResult): Article | undefined => {
  if (result instanceof Error) throw result
  traceEvents(result?.events ?? [])
  return result?.article
}

/**
 * @throws {DomainError} VALIDATION_ERROR naming `scheduled_at` unless it is a draft.
 * `by`: the request, outside a transaction. The article is inserted only while its API key is active (contract 3.19),
 * with the response for its `Idempotency-Key` (contract 6.12).
 */
export const toPending = (
  { accountId, mode, actor }: Writer,
  input: TitledInput,
  by?: BatchedBy,
) => {
  const status = input.status ?? 'DRAFT'
  const scheduled_at = toDate(input.scheduled_at ?? null)
  checkSchedule(status, scheduled_at)
  // The time of this process, as that of events, so that the response is known before the statement.
  const created_at = new Date()
  return {
    id: newId('art'),
    tenant: { accountId, mode } satisfies Tenant,
    version_by: actor,
    project_id: input.project_id,
    keyword_id: input.keyword_id ?? null,
    title: input.title,
    slug: input.slug,
    body: input.body ?? '',
    meta_title: input.meta_title ?? null,
    meta_description: input.meta_description ?? null,
    status,
    published_at: status === 'PUBLISHED' ? created_at : null,
    scheduled_at,
    created_at,
    updated_at: created_at,
    by,
  }
}

/**
 * Inserts articles of any tenants and their events in one statement, which needs no transaction around it. An
 * article with an unknown project or keyword, an ended API key or an `Idempotency-Key` that is not free gets no row and
 * does not affect the others.
 * Locks in the order keywords, projects, keys, webhooks.
 */
export const insertArticles = async (
  db: Db,
  articles: PendingArticle[],
  { alsoFires, lockTimeoutMs }: InsertOptions = {},
): Promise<InsertResult[]> => {
  const fired = articles.flatMap(article =>
    firedBy(article, alsoFires).map(occurrence => ({ articleId: article.id, occurrence })),
  )
  const events = buildEvents(fired.map(({ occurrence }) => occurrence))
  const about = fired.map(({ articleId }) => articleId)
  // Without keywords and claims the statement is shorter, and PostgreSQL starts it sooner.
  const hasKeywords = articles.some(({ keyword_id }) => keyword_id !== null)
  const claims = articles.flatMap(article => claimOf(article) ?? [])
  const claiming = claims.map(claim => claim.about)
  const rows = await db<{ id: string; is_inserted: boolean }[]>`
    WITH setting AS MATERIALIZED (${lockTimeout(db, lockTimeoutMs)}),
    ${hasKeywords ? db`keyword AS MATERIALIZED (${lockKeywords(db, articles)}),` : db``}
    accepted AS MATERIALIZED (
      SELECT a.* FROM setting,
        ${hasKeywords ? db`(SELECT array_agg(id) AS ids FROM keyword) AS with_keyword,` : db``}
        unnest(
          ${articles.map(({ id }) => id)}::text[],
          ${articles.map(({ tenant }) => tenant.accountId)}::text[],
          ${articles.map(({ tenant }) => tenant.mode)}::text[],
          ${articles.map(({ project_id }) => project_id)}::text[],
          ${articles.map(({ keyword_id }) => keyword_id)}::text[],
          ${articles.map(({ title }) => title)}::text[],
          ${articles.map(({ slug }) => slug)}::text[], ${articles.map(({ body }) => body)}::text[],
          ${articles.map(({ meta_title }) => meta_title)}::text[],
          ${articles.map(({ meta_description }) => meta_description)}::text[],
          ${articles.map(({ status }) => status)}::text[],
          ${articles.map(({ published_at }) => published_at?.toISOString() ?? null)}::timestamptz[],
          ${articles.map(({ scheduled_at }) => scheduled_at?.toISOString() ?? null)}::timestamptz[],
          ${articles.map(({ created_at }) => created_at.toISOString())}::timestamptz[],
          ${articles.map(({ version_by }) => JSON.stringify(version_by))}::text[],
          ${articles.map(({ by }) => (by === undefined ? null : hashValue(by.key).toString('hex')))}::text[]
        ) AS a (id, account_id, mode, project_id, keyword_id, title, slug, body, meta_title,
          meta_description, status, published_at, scheduled_at, created_at, version_by, api_key)
        JOIN projects p ON p.id = a.project_id AND p.account_id = a.account_id AND p.mode = a.mode
          AND p.deleted_at IS NULL
      WHERE (a.api_key IS NULL OR ${isActiveHash(db, db`decode(a.api_key, 'hex')`)})
        ${hasKeywords ? db`AND (a.keyword_id IS NULL OR a.id = ANY (with_keyword.ids))` : db``}
      FOR KEY SHARE OF p
    ),
    ${claims.length > 0 ? db`${claimInserts(db, claims, db`SELECT id FROM accepted`)},` : db``}
    article AS (
      INSERT INTO articles
        (id, account_id, mode, project_id, keyword_id, title, slug, body, meta_title, meta_description,
          status, published_at, scheduled_at, created_at, updated_at, version_at, version_by)
      SELECT id, account_id, mode, project_id, keyword_id, title, slug, body, meta_title, meta_description,
        status, published_at, scheduled_at, created_at, created_at, created_at, version_by::jsonb
      FROM accepted
      ${claims.length > 0 ? db`WHERE id <> ALL (${claiming}::text[]) OR id IN (SELECT about FROM claimed)` : db``}
      RETURNING id
    ),
    ${eventInserts(db, events, { about, made: db`SELECT id FROM article` })}
    SELECT id, true AS is_inserted FROM article, (SELECT count(*) FROM counted) AS all_counted
    ${hasKeywords ? db`UNION ALL SELECT id, false FROM keyword` : db``}`
  const inserted = new Set<string>()
  const withKeyword = new Set<string>()
  for (const { id, is_inserted } of rows) (is_inserted ? inserted : withKeyword).add(id)
  const resultOf = async (article: PendingArticle): Promise<InsertResult> => {
    if (inserted.has(article.id))
      return {
        article: recordOf(article),
        events: events.filter((_, n) => about[n] === article.id),
      }
    if (article.by !== undefined) return undefined
    return article.keyword_id === null || withKeyword.has(article.id)
      ? unknownProject()
      : unknownReference(db, article)
  }
  return Promise.all(articles.map(resultOf))
}

/** Of a keyword that was not found in the project: the project itself may not exist. */
const unknownReference = async (db: Db, { tenant, project_id }: PendingArticle) => {
  const [project] = await db`
    SELECT FROM projects WHERE id = ${project_id} AND account_id = ${tenant.accountId}
      AND mode = ${tenant.mode} AND deleted_at IS NULL`
  return project === undefined ? unknownProject() : unknownKeyword()
}

const recordOf = (article: PendingArticle): Article =>
  toArticle({ ...article, mode: article.tenant.mode, version: 1 })

const claimOf = (article: PendingArticle) =>
  article.by?.claim && { ...article.by.claim, about: article.id, data: recordOf(article) }

const firedBy = (article: PendingArticle, alsoFires: InsertOptions['alsoFires']): EventInput[] => {
  const { id, tenant, status } = article
  const data = eventData(article)
  const fired: EventInput[] = [{ tenant, type: 'article.created', data }]
  if (status === 'PUBLISHED') fired.push({ tenant, type: 'article.published', data })
  if (alsoFires !== undefined) fired.push(alsoFires(id))
  return fired
}

const unknownProject = (): DomainError =>
  invalid('project_id', `is not the id of a project here. ${CHECK_ID_AND_MODE}`)

/** One row; the limit applies from its evaluation to the end of the transaction. */
const lockTimeout = (db: Db, ms: number | undefined) =>
  ms === undefined ? db`SELECT` : db`SELECT set_config('lock_timeout', ${String(ms)}, true)`

/**
 * The ids of the articles whose keyword belongs to their project. The keywords are locked until the commit: a
 * concurrent deletion is waited for, and its keyword is then missing here.
 */
const lockKeywords = (db: Db, articles: PendingArticle[]) => {
  const withKeyword = articles.filter(({ keyword_id }) => keyword_id !== null)
  return db`
    SELECT a.id
    FROM setting, unnest(
      ${withKeyword.map(({ id }) => id)}::text[],
      ${withKeyword.map(({ tenant }) => tenant.accountId)}::text[],
      ${withKeyword.map(({ tenant }) => tenant.mode)}::text[],
      ${withKeyword.map(({ project_id }) => project_id)}::text[],
      ${withKeyword.map(({ keyword_id }) => keyword_id)}::text[]
    ) AS a (id, account_id, mode, project_id, keyword_id)
    JOIN keywords k ON k.id = a.keyword_id AND k.project_id = a.project_id
      AND k.account_id = a.account_id AND k.mode = a.mode AND k.deleted_at IS NULL
    ORDER BY k.id FOR KEY SHARE OF k`
}
