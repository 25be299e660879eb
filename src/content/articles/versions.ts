import type { Actor, Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import type { PageRequest, PageResult } from '../../db/page'
import { DomainError } from '../../errors'
import { type ArticleRow, findArticle } from './store'
import {
  type ArticleVersion,
  type ArticleVersionDetail,
  TEXT_FIELDS,
  type TextField,
} from './version-schema'

/** Versions of the text of an article (contract 6.13). The current one is the article itself. */

/** The text of a version. */
export type Text = Pick<ArticleRow, TextField>

/** The members of the text in which two versions differ. */
export const changedFields = (before: Text, after: Text): TextField[] =>
  TEXT_FIELDS.filter(field => before[field] !== after[field])

/** Who wrote a version: the author of a change, or a generation. */
export type Author = Actor | { type: 'generation'; id: string; name: string }

/** The tenant of an article with the author of its text. */
export type Writer = Tenant & { actor: Author }

/** Replaced versions that an article keeps. */
const VERSIONS_MAX = 100
/**
 * How long the saves of one user belong to the same version, in ms from its beginning: a user who saves after each
 * sentence gets a version of every five minutes of work. A change by an API key is one of its own.
 */
const OPEN_MS = 5 * 60_000

/** Of the editor, for a save that replaces a text which its user did not begin with: that one stays a version. */
export const NEW_VERSION_HEADER = 'x-arden-new-version'

/** `restoredFrom`: the version whose text it is. `replacesOther`: as NEW_VERSION_HEADER. */
export type VersionCause = { restoredFrom?: number; replacesOther?: boolean }

/**
 * Stores the fields of `before`, a locked row, that its new text `after` replaces. Returns the columns of its new
 * version; none where the change belongs to the current one.
 */
export const startVersion = async (
  tx: Tx,
  before: ArticleRow,
  after: Text,
  { actor }: Writer,
  { restoredFrom, replacesOther = false }: VersionCause = {},
) => {
  if (restoredFrom === undefined && !replacesOther && isOpenFor(before, actor)) {
    await changeReplaced(tx, before, after)
    return undefined
  }
  // Each text that was public stays.
  const isPublic = before.status === 'PUBLISHED'
  const changed = changedFields(before, after)
  await tx`
    INSERT INTO article_versions ${tx({
      article_id: before.id,
      version: before.version,
      changed,
      author: tx.json(before.version_by),
      restored_from: before.restored_from,
      created_at: before.version_at,
      ...pick(before, changed),
    })}`
  await tx`
    DELETE FROM article_versions
    WHERE article_id = ${before.id} AND version <= ${before.version - VERSIONS_MAX}`
  const isOpen = actor.type === 'user' && restoredFrom === undefined && !isPublic
  return {
    version: before.version + 1,
    version_by: tx.json(actor),
    restored_from: restoredFrom ?? null,
    version_open_until: isOpen ? new Date(Date.now() + OPEN_MS) : null,
  }
}

const isOpenFor = ({ version_by, version_open_until }: ArticleRow, actor: Author) =>
  version_open_until !== null &&
  version_open_until.getTime() > Date.now() &&
  version_by.type === actor.type &&
  version_by.id === actor.id

/** The version before has the fields that it does not share with the current one, which can take a change back. */
const changeReplaced = async (tx: Tx, before: ArticleRow, after: Text) => {
  const isIt = tx`article_id = ${before.id} AND version = ${before.version - 1}`
  const [replaced] = await tx<(Text & { changed: TextField[] })[]>`
    SELECT changed, ${tx(TEXT_FIELDS)} FROM article_versions WHERE ${isIt}`
  if (replaced === undefined) return
  const text = { ...before, ...pick(replaced, replaced.changed) }
  const changed = changedFields(text, after)
  const stored = TEXT_FIELDS.map(field => [field, changed.includes(field) ? text[field] : null])
  await tx`UPDATE article_versions SET ${tx({ changed, ...Object.fromEntries(stored) })} WHERE ${isIt}`
}

const pick = (text: Text, fields: readonly TextField[]): Partial<Text> =>
  Object.fromEntries(fields.map(field => [field, text[field]]))

type VersionRow = {
  version: number
  author: Author
  /** What the next version changed; null for the current one. */
  changed: TextField[] | null
  restored_from: number | null
  created_at: Date
}

/** The newest versions of an article, the current one included. @throws {DomainError} NOT_FOUND */
export const listVersions = async (
  sql: Sql,
  tenant: Tenant,
  articleId: string,
  { limit, before }: PageRequest,
): Promise<PageResult<ArticleVersion>> => {
  await findArticle(sql, tenant, articleId, sql``)
  // One row more than the page, and the one with what the last version of the page changed.
  const rows = await sql<VersionRow[]>`
    ${versionRows(sql, articleId)}
    ${before === null ? sql`` : sql`WHERE version < ${before}::text::int`}
    ORDER BY version DESC LIMIT ${limit + 1}`
  const versions = rows.map((row, index) => toVersion(articleId, row, rows[index + 1]))
  const shown = versions.slice(0, limit)
  return { rows: shown, next: rows.length > limit ? String(shown.at(-1)?.version) : null }
}

const versionRows = (db: Db, articleId: string) => db`
  SELECT * FROM (
    SELECT version, version_by AS author, NULL::text[] AS changed, restored_from, version_at AS created_at
    FROM articles WHERE id = ${articleId}
    UNION ALL
    SELECT version, author, changed, restored_from, created_at
    FROM article_versions WHERE article_id = ${articleId}
  ) AS versions`

/** One version with its text. @throws {DomainError} NOT_FOUND */
export const getVersion = async (
  db: Db,
  tenant: Tenant,
  articleId: string,
  version: number,
): Promise<ArticleVersionDetail> => {
  await findArticle(db, tenant, articleId, db``)
  const rows = await db<(VersionRow & Pick<ArticleRow, TextField>)[]>`
    SELECT v.*, ${TEXT_FIELDS.map(
      (field, n) => db`
        ${n === 0 ? db`` : db`,`}
        CASE WHEN ${db(`in_${field}`)}.version IS NULL THEN a.${db(field)} ELSE ${db(`in_${field}`)}.value END
          AS ${db(field)}`,
    )}
    FROM (${versionRows(db, articleId)}) AS v
    JOIN articles a ON a.id = ${articleId}
    ${TEXT_FIELDS.map(
      field => db`
        LEFT JOIN LATERAL (
          SELECT version, ${db(field)} AS value FROM article_versions
          WHERE article_id = a.id AND version >= v.version AND ${field}::text = ANY (changed)
          ORDER BY version LIMIT 1
        ) AS ${db(`in_${field}`)} ON true`,
    )}
    WHERE v.version IN (${version}, ${version - 1})
    ORDER BY v.version DESC`
  const [row, earlier] = rows
  if (row === undefined || row.version !== version)
    throw new DomainError(
      'NOT_FOUND',
      `There is no such version of the article ${articleId} here. Its list of versions has those that are kept.`,
    )
  const { title, body, meta_title, meta_description } = row
  return { ...toVersion(articleId, row, earlier), title, body, meta_title, meta_description }
}

const toVersion = (
  articleId: string,
  { version, author, changed, restored_from, created_at }: VersionRow,
  earlier: VersionRow | undefined,
): ArticleVersion => ({
  article_id: articleId,
  version,
  author,
  changed: TEXT_FIELDS.filter(field => earlier?.changed?.includes(field)),
  restored_from,
  is_current: changed === null,
  created_at: created_at.toISOString(),
})
