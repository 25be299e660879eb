import { isDeepStrictEqual } from 'node:util'
import type { Tenant } from '../../caller'
import { type Db, isUniqueViolation, type Sql, type Tx } from '../../db/connect'
import { contains } from '../../db/contains'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { indexableEq, type PageRequest, type PageResult, readPage } from '../../db/page'
import { conflict, notFound } from '../../errors'
import { invalidCursor } from '../../http/request/paging'
import type { TypeOf } from '../../http/schema'
import { isId } from '../../ids'
import { getProject } from '../projects/store'
import { addKeywords } from './insert'
import { type KeywordRow, type KeywordSearch, toKeyword } from './row'
import type { Keyword, KeywordChanges, NewKeyword } from './schema'
import { cursorAfter, type KeywordSort, keywordOrder, readCursor } from './sort'
import { foldKeyword, normalizeKeyword } from './text'

/** Keywords: search terms with a country and a device (contract 6.2). */

type KeywordFilter = CreatedBetween & {
  tracked?: boolean
  country?: string
  device?: Keyword['device']
  search?: string
  tag?: string
  /** Keywords that were not found are beyond every position. */
  position_min?: number
  position_max?: number
  change?: keyof typeof CHANGES
  /** Newest first when undefined. */
  sort?: KeywordSort
}

/**
 * Creates a keyword and fires `keyword.created`.
 * @throws {DomainError} NOT_FOUND for the project; CONFLICT with the id of the duplicate.
 */
export const createKeyword = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  input: NewKeyword,
): Promise<Keyword> => {
  const [added] = await addKeywords(tx, tenant, projectId, [input])
  if (added?.status !== 'created') throw alreadyHas(added?.keyword)
  return added.keyword
}

/** @throws {DomainError} NOT_FOUND for the project; VALIDATION_ERROR for a cursor of another order. */
export const listKeywords = async (
  sql: Sql,
  tenant: Tenant,
  projectId: string,
  filter: KeywordFilter,
  page: PageRequest,
): Promise<PageResult<Keyword>> => {
  const { tracked, country, device, search, tag, position_min, position_max, change, sort } = filter
  await getProject(sql, tenant, projectId)
  const after = page.before === null ? undefined : readCursor(page.before)
  if (page.before !== null && after?.sort !== sort) throw invalidCursor()
  const order = sort && keywordOrder(sql, sort, after)
  const place = sql`coalesce(latest_position, 101)`
  const gain = sql`coalesce(position_change, 0)`
  const list = sql`
    SELECT * FROM keywords
    WHERE project_id = ${indexableEq(sql, projectId)} AND account_id = ${tenant.accountId}
      AND mode = ${tenant.mode} AND deleted_at IS NULL
      ${order?.where ?? (page.before === null ? sql`` : sql`AND id < ${page.before}`)}
      ${tracked === undefined ? sql`` : sql`AND tracked = ${tracked}`}
      ${country === undefined ? sql`` : sql`AND country = ${country}`}
      ${device === undefined ? sql`` : sql`AND device = ${device}`}
      ${tag === undefined ? sql`` : sql`AND tags @> ${[tag]}`}
      ${position_min === undefined ? sql`` : sql`AND ${place} >= ${position_min}`}
      ${position_max === undefined ? sql`` : sql`AND ${place} <= ${position_max}`}
      ${change === undefined ? sql`` : sql`AND ${gain} ${CHANGES[change](sql)}`}
      ${createdBetween(sql, filter, 'kw')}
      ${search === undefined ? sql`` : sql`AND (${contains(sql, search, [sql`keyword`])})`}
    ORDER BY ${order?.orderBy ?? sql`project_id, id DESC`}`
  const { rows, next } = await readPage(sql, list, page, toKeyword)
  const last = rows.at(-1)
  return { rows, next: next !== null && sort && last ? cursorAfter(sort, last) : next }
}

const CHANGES = {
  improved: (sql: Sql) => sql`> 0`,
  declined: (sql: Sql) => sql`< 0`,
  unchanged: (sql: Sql) => sql`= 0`,
}

/** @throws {DomainError} NOT_FOUND, for a keyword of a hidden project as well. */
export const getKeyword = async (db: Db, tenant: Tenant, id: string): Promise<Keyword> =>
  toKeyword(await findKeyword(db, tenant, id, db``))

/**
 * Changes `tracked`, `tags` and the spelling at any time, but keyword, country and device only before the first ranking:
 * otherwise the ranking history would mix two searches. Without a difference it writes nothing. `check` gets the keyword
 * before the change, and rejects it by throwing.
 * @throws {DomainError} NOT_FOUND; CONFLICT when the keyword has rankings, or with the id of the duplicate.
 */
export const updateKeyword = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
  changes: TypeOf<typeof KeywordChanges>,
  check: (before: Keyword) => void = () => {},
): Promise<Keyword> => {
  const before = await findKeyword(tx, tenant, id, tx`FOR NO KEY UPDATE OF k`)
  check(toKeyword(before))
  const keyword = changes.keyword === undefined ? before.keyword : normalizeKeyword(changes.keyword)
  const search: KeywordSearch = {
    project_id: before.project_id,
    folded: changes.keyword === undefined ? before.folded : foldKeyword(keyword),
    country: changes.country ?? before.country,
    device: changes.device ?? before.device,
  }
  // Both folded as today: the stored value may come from an older version of `foldKeyword`.
  const [was, is] = [before.keyword, keyword].map(one => foldKeyword(normalizeKeyword(one)))
  const isSameSearch =
    was === is && before.country === search.country && before.device === search.device
  if (!isSameSearch && (await isRanked(tx, id)))
    throw conflict(
      'The keyword has rankings, which belong to its current search. Add a new keyword instead, and stop tracking this one.',
    )
  const written = {
    ...search,
    keyword,
    tracked: changes.tracked ?? before.tracked,
    tags: changes.tags ?? before.tags,
  }
  if (isDeepStrictEqual({ ...before, ...written }, before)) return toKeyword(before)
  try {
    // In a savepoint, so that the transaction can still query the duplicate after the error.
    const [row] = await tx.savepoint(
      savepoint => savepoint<[KeywordRow]>`
        UPDATE keywords
        SET ${tx(written)}, updated_at = clock_timestamp()
        WHERE id = ${id} RETURNING *`,
    )
    return toKeyword(row)
  } catch (error) {
    throw isUniqueViolation(error, 'keywords_unique') ? await duplicateConflict(tx, search) : error
  }
}

/**
 * The row of a keyword that is not hidden.
 * @param lock a locking clause on `k`, or empty SQL.
 * @throws {DomainError} NOT_FOUND
 */
export const findKeyword = async (
  db: Db,
  tenant: Tenant,
  id: string,
  lock: ReturnType<Db>,
): Promise<KeywordRow> => {
  const [row] = isId('kw', id)
    ? await db<KeywordRow[]>`
        SELECT k.* FROM keywords k
        JOIN projects p ON p.id = k.project_id AND p.deleted_at IS NULL
        WHERE k.id = ${id} AND k.account_id = ${tenant.accountId} AND k.mode = ${tenant.mode}
          AND k.deleted_at IS NULL
        ${lock}`
    : []
  if (row === undefined) throw notFound('keyword', id)
  return row
}

const isRanked = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx`SELECT FROM rankings WHERE keyword_id = ${id} LIMIT 1`).length > 0

const duplicateConflict = async (tx: Tx, search: KeywordSearch) => {
  const { project_id, folded, country, device } = search
  const [duplicate] = await tx<{ id: string }[]>`
    SELECT id FROM keywords
    WHERE project_id = ${project_id} AND folded = ${folded} AND country = ${country}
      AND device = ${device} AND deleted_at IS NULL`
  return alreadyHas(duplicate && { ...duplicate, country, device })
}

const alreadyHas = (
  duplicate: (Pick<Keyword, 'id'> & { country: string; device: string }) | undefined,
) =>
  conflict(
    duplicate === undefined
      ? 'The project had this keyword, which was deleted at the same time. Try again.'
      : `The project has this keyword already, for ${duplicate.country} on ${duplicate.device}: ${duplicate.id}. Use that one, or choose another country or device.`,
  )
