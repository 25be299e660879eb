import type { Tenant } from '../../caller'
import type { Fragment, Sql } from '../../db/connect'
import { contains, containsOrDomain, folded } from '../../db/contains'
import { indexableEq } from '../../db/page'
import { readableDomain } from '../../domain-name'
import { type IdPrefix, isId } from '../../ids'

/** The kinds of records that are found, in the order in which they are shown. */
export const KINDS = [
  'project',
  'keyword',
  'article',
  'generation',
  'webhook',
  'key',
  'delivery',
  'event',
  'request',
] as const
export type Kind = (typeof KINDS)[number]

export type Found = {
  kind: Kind
  id: string
  title: string
  /** A second line; null if there is none. */
  detail: string | null
  status: string | null
}

/** Records that are searched of each kind, the newest. */
const SEARCHED_MAX = 10_000
/** Records that are found of each kind. */
const FOUND_MAX = 5

const PREFIXES = {
  project: 'prj',
  keyword: 'kw',
  article: 'art',
  generation: 'gen',
  webhook: 'wh',
  key: 'key',
  delivery: 'dlv',
  event: 'evt',
  request: 'req',
} as const satisfies { [kind in Kind]: IdPrefix }

/**
 * The tenant's records with an id, or with each word of a text in their names, or with it in their id: of each kind that
 * of exactly this name, then those with it as whole words, then by their names, then by their ids, which contain any
 * short text; the newest first. A workflow id finds its delivery.
 */
export const search = async (sql: Sql, tenant: Tenant, text: string): Promise<Found[]> => {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const id = trimmed.replace(/^delivery:/, '').split(':', 1)[0] ?? ''
  const kind = KINDS.find(one => isId(PREFIXES[one], id))
  const found =
    kind === undefined
      ? unionAll(
          sql,
          KINDS.map(one => matching(sql, one, tenant, trimmed)),
        )
      : sql`${select(sql, kind)} WHERE ${ofTenant(sql, tenant, kind)} AND r.id = ${id}`
  return (await sql<Found[]>`${found}`).map(toReadable)
}

const toReadable = (found: Found): Found =>
  found.kind === 'project' && found.detail !== null
    ? { ...found, detail: readableDomain(found.detail) }
    : found

const matching = (sql: Sql, kind: Kind, tenant: Tenant, text: string) => {
  const wanted = folded(sql, sql`${text}::text`)
  // OFFSET 0 folds the names of a row once to find it, and once more to order what was found.
  return sql`
  SELECT kind, id, title, detail, status FROM (
    SELECT *, ${folded(sql, sql`title`)} AS name FROM (
      SELECT *,
        ${(kind === 'project' ? containsOrDomain : contains)(sql, text, namesOf(sql, kind))} AS is_named
      FROM (
        ${select(sql, kind)} WHERE ${ofTenant(sql, tenant, kind)}
        ORDER BY ${tableOf(sql, kind)}.account_id, r.id DESC LIMIT ${SEARCHED_MAX}
      ) newest
      OFFSET 0
    ) compared
    WHERE is_named OR position(lower(${text}) IN id) > 0
    OFFSET 0
  ) found
  ORDER BY name IS DISTINCT FROM ${wanted},
    position(' ' || ${wanted} || ' ' IN ' ' || name || ' ') = 0, NOT is_named, id DESC
  LIMIT ${FOUND_MAX}`
}

/** The second line of a keyword is the name of its project, which would find all keywords of it. */
const namesOf = (sql: Sql, kind: Kind) => [sql`title`, ...(kind === 'keyword' ? [] : [sql`detail`])]

const unionAll = (sql: Sql, [first = sql``, ...rest]: Fragment[]): Fragment =>
  rest.reduce((all, one) => sql`${all} UNION ALL (${one})`, sql`(${first})`)

const select = (sql: Sql, kind: Kind): Fragment => sql`
  SELECT ${kind}::text AS kind, r.id, ${
    {
      project: sql`r.name AS title, r.domain AS detail, NULL AS status FROM projects r`,
      keyword: sql`r.keyword AS title, p.name AS detail, NULL AS status
        FROM projects p JOIN keywords r ON r.project_id = p.id AND r.deleted_at IS NULL`,
      article: sql`r.title, r.slug AS detail, r.status FROM articles r ${inProject(sql)}`,
      generation: sql`r.keyword AS title, NULL AS detail, r.status FROM generations r ${inProject(sql)}`,
      webhook: sql`coalesce(nullif(r.description, ''), r.url) AS title, r.url AS detail,
        CASE WHEN r.enabled THEN 'enabled' ELSE 'disabled' END AS status FROM webhooks r`,
      key: sql`r.name AS title, r.prefix || '…' AS detail,
        key_status(r.revoked_at, r.expires_at, clock_timestamp()) AS status FROM api_keys r`,
      delivery: sql`r.event_type AS title, r.error AS detail, r.status FROM deliveries r`,
      event: sql`r.type AS title, NULL AS detail, NULL AS status FROM events r`,
      request: sql`r.method || ' ' || r.path AS title, r.request_id AS detail, r.status::text AS status
        FROM failed_requests r`,
    }[kind]
  }`

/** A worker deletes the records of a deleted project later (contract 6.1): until then they are hidden here, too. */
const inProject = (sql: Sql): Fragment =>
  sql`JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL`

/** Keywords have no index of their tenant: they are found by their projects. */
const tableOf = (sql: Sql, kind: Kind) => sql(kind === 'keyword' ? 'p' : 'r')

const DELETED_LATER: readonly Kind[] = ['project', 'keyword', 'webhook']

const ofTenant = (sql: Sql, { accountId, mode }: Tenant, kind: Kind): Fragment => {
  const table = tableOf(sql, kind)
  return sql`
    ${table}.account_id = ${indexableEq(sql, accountId)} AND ${table}.mode = ${mode}
    ${DELETED_LATER.includes(kind) ? sql`AND ${table}.deleted_at IS NULL` : sql``}`
}
