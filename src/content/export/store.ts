import type { Tenant } from '../../caller'
import type { Db, Sql } from '../../db/connect'
import { conflict, notFound } from '../../errors'
import { isId } from '../../ids'
import type { Article } from '../articles/schema'
import { type ContentFilter, contentConditions } from '../filter'
import { EXPORT_ARTICLES_MAX, EXPORT_MIB_MAX } from './limits'

/** Articles as they are exported (contract 6.17). */

export type ExportedArticle = Pick<
  Article,
  | 'id'
  | 'title'
  | 'slug'
  | 'status'
  | 'body'
  | 'meta_title'
  | 'meta_description'
  | 'created_at'
  | 'updated_at'
  | 'published_at'
> & {
  /** Of its project. */
  language: string
  /** The text and the tags of its keyword. */
  keyword: string | null
  tags: string[]
}

/** An article that is to be exported, with the bytes of its body. */
export type SelectedArticle = { id: string; bytes: number }

/** @throws {DomainError} NOT_FOUND */
export const readExportedArticle = async (
  db: Db,
  tenant: Tenant,
  id: string,
): Promise<ExportedArticle> => {
  const [article] = isId('art', id) ? await readExportedArticles(db, tenant, [id]) : []
  if (article === undefined) throw notFound('article', id)
  return article
}

/** Those that still exist, newest first. */
export const readExportedArticles = async (
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ExportedArticle[]> => {
  const rows = await db<Row[]>`
    SELECT a.id, a.title, a.slug, a.status, a.body, a.meta_title, a.meta_description, a.created_at, a.updated_at,
      a.published_at, p.language, k.keyword, k.tags
    FROM articles a
      JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
      LEFT JOIN keywords k ON k.id = a.keyword_id
    WHERE a.id = ANY (${[...ids]}) AND a.account_id = ${tenant.accountId} AND a.mode = ${tenant.mode}
    ORDER BY a.id DESC`
  return rows.map(row => ({
    ...row,
    tags: row.tags ?? [],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    published_at: row.published_at?.toISOString() ?? null,
  }))
}

type Row = Omit<ExportedArticle, 'tags' | 'created_at' | 'updated_at' | 'published_at'> & {
  tags: string[] | null
  created_at: Date
  updated_at: Date
  published_at: Date | null
}

/** `ids`, or else all articles that match `filter`. */
export type Selection = {
  filter: ContentFilter<Article['status']>
  ids: readonly string[] | undefined
}

/**
 * What a ZIP is to have, newest first, without the texts.
 * @throws {DomainError} NOT_FOUND for one of `ids`, CONFLICT for more than a ZIP may have.
 */
export const selectArticles = async (
  sql: Sql,
  tenant: Tenant,
  { filter, ids }: Selection,
): Promise<SelectedArticle[]> => {
  const articles = { table: 'a', prefix: 'art', searched: [sql`a.title`, sql`a.slug`] } as const
  const found = await sql<SelectedArticle[]>`
    SELECT a.id, octet_length(a.body) AS bytes
    FROM articles a JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
    WHERE a.account_id = ${tenant.accountId}
      ${contentConditions(sql, articles, tenant, filter)}
      ${ids === undefined ? sql`` : sql`AND a.id = ANY (${[...ids]})`}
    LIMIT ${EXPORT_ARTICLES_MAX + 1}`
  checkAllFound(found, ids ?? [])
  checkSize(found)
  return found.sort((a, b) => (a.id < b.id ? 1 : -1))
}

const checkAllFound = (found: readonly SelectedArticle[], ids: readonly string[]) => {
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.find(id => !known.has(id))
  if (missing !== undefined) throw notFound('article', missing)
}

const checkSize = (found: readonly SelectedArticle[]) => {
  if (found.length > EXPORT_ARTICLES_MAX)
    throw conflict(
      `More than ${EXPORT_ARTICLES_MAX} articles match, and a ZIP has at most as many. Narrow the filter, for example with created_after and created_before.`,
    )
  const mib = found.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2
  if (mib > EXPORT_MIB_MAX)
    throw conflict(
      `The articles that match have ${Math.ceil(mib)} MiB of text, and a ZIP has at most ${EXPORT_MIB_MAX} MiB. Narrow the filter, for example with created_after and created_before.`,
    )
}
