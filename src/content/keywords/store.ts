import type { Tenant } from '../../caller'
import { type Db, isUniqueViolation, type Sql, type Tx } from '../../db/connect'
import { contains } from '../../db/contains'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { indexableEq, type PageRequest, type PageResult, readPage } from '../../db/page'
import { conflict, notFound } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { isId, newId } from '../../ids'
import { recordEvent } from '../../webhooks/events/record'
import { getProject } from '../projects/store'
import type { Keyword, KeywordChanges, NewKeyword } from './schema'
import { foldKeyword, normalizeKeyword } from './text'

/** Keywords: search terms with a country and a device (contract 6.2). */

type KeywordRow = {
  id: string
  project_id: string
  keyword: string
  folded: string
  tracked: boolean
  country: string
  device: string
  latest_position: number | null
  mode: string
  created_at: Date
}

/** The columns that identify a keyword: unique within a project (contract 6.2). */
type KeywordSearch = Pick<KeywordRow, 'project_id' | 'folded' | 'country' | 'device'>

type KeywordFilter = CreatedBetween & {
  tracked?: boolean
  country?: string
  device?: Keyword['device']
  search?: string
}

/**
 * Creates a keyword and fires `keyword.created`.
 * @throws {DomainError} NOT_FOUND for the project; CONFLICT with the id of the duplicate.
 */
export const createKeyword = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  input: TypeOf<typeof NewKeyword>,
): Promise<Keyword> => {
  await getProject(tx, tenant, projectId, tx`FOR KEY SHARE`)
  const keyword = normalizeKeyword(input.keyword)
  const search: KeywordSearch = {
    project_id: projectId,
    folded: foldKeyword(keyword),
    country: input.country ?? 'US',
    device: input.device ?? 'desktop',
  }
  const [row] = await tx<KeywordRow[]>`
    INSERT INTO keywords ${tx({
      id: newId('kw'),
      account_id: tenant.accountId,
      mode: tenant.mode,
      keyword,
      tracked: input.tracked ?? true,
      ...search,
    })}
    ON CONFLICT (project_id, folded, country, device) WHERE deleted_at IS NULL DO NOTHING
    RETURNING *`
  if (row === undefined) throw await duplicateConflict(tx, search)
  await recordEvent(tx, tenant, 'keyword.created', {
    keyword_id: row.id,
    project_id: projectId,
    keyword,
  })
  return toKeyword(row)
}

/** @throws {DomainError} NOT_FOUND for the project. */
export const listKeywords = async (
  sql: Sql,
  tenant: Tenant,
  projectId: string,
  filter: KeywordFilter,
  page: PageRequest,
): Promise<PageResult<Keyword>> => {
  const { tracked, country, device, search } = filter
  await getProject(sql, tenant, projectId)
  const list = sql`
    SELECT * FROM keywords
    WHERE project_id = ${indexableEq(sql, projectId)} AND account_id = ${tenant.accountId}
      AND mode = ${tenant.mode} AND deleted_at IS NULL
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${tracked === undefined ? sql`` : sql`AND tracked = ${tracked}`}
      ${country === undefined ? sql`` : sql`AND country = ${country}`}
      ${device === undefined ? sql`` : sql`AND device = ${device}`}
      ${createdBetween(sql, filter, 'kw')}
      ${search === undefined ? sql`` : sql`AND (${contains(sql, search, [sql`keyword`])})`}
    ORDER BY project_id, id DESC`
  return readPage(sql, list, page, toKeyword)
}

/** @throws {DomainError} NOT_FOUND, for a keyword of a hidden project as well. */
export const getKeyword = async (db: Db, tenant: Tenant, id: string): Promise<Keyword> =>
  toKeyword(await findKeyword(db, tenant, id, db``))

/**
 * Changes `tracked` and the spelling at any time, but keyword, country and device only before the first ranking:
 * otherwise the ranking history would mix two searches.
 * @throws {DomainError} NOT_FOUND; CONFLICT when the keyword has rankings, or with the id of the duplicate.
 */
export const updateKeyword = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
  changes: TypeOf<typeof KeywordChanges>,
): Promise<Keyword> => {
  const before = await findKeyword(tx, tenant, id, tx`FOR NO KEY UPDATE OF k`)
  const keyword = changes.keyword === undefined ? before.keyword : normalizeKeyword(changes.keyword)
  const search: KeywordSearch = {
    project_id: before.project_id,
    folded: foldKeyword(keyword),
    country: changes.country ?? before.country,
    device: changes.device ?? before.device,
  }
  // Folded again: the stored value may come from an older version of `foldKeyword`.
  if (
    !isSame({ ...before, folded: foldKeyword(before.keyword) }, search) &&
    (await isRanked(tx, id))
  )
    throw conflict(
      'The keyword has rankings, which belong to its current search. Add a new keyword instead, and stop tracking this one.',
    )
  try {
    // In a savepoint, so that the transaction can still query the duplicate after the error.
    const [row] = await tx.savepoint(
      savepoint => savepoint<[KeywordRow]>`
        UPDATE keywords
        SET ${tx({ ...search, keyword, tracked: changes.tracked ?? before.tracked })}
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

const isSame = (before: KeywordSearch, after: KeywordSearch) =>
  before.folded === after.folded &&
  before.country === after.country &&
  before.device === after.device

const isRanked = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx`SELECT FROM rankings WHERE keyword_id = ${id} LIMIT 1`).length > 0

const duplicateConflict = async (tx: Tx, search: KeywordSearch) => {
  const { project_id, folded, country, device } = search
  const [duplicate] = await tx<{ id: string }[]>`
    SELECT id FROM keywords
    WHERE project_id = ${project_id} AND folded = ${folded} AND country = ${country}
      AND device = ${device} AND deleted_at IS NULL`
  return conflict(
    duplicate === undefined
      ? 'The project had this keyword, which was deleted at the same time. Try again.'
      : `The project has this keyword already, for ${country} on ${device}: ${duplicate.id}. Use that one, or choose another country or device.`,
  )
}

const toKeyword = (row: KeywordRow): Keyword => ({
  id: row.id,
  project_id: row.project_id,
  keyword: row.keyword,
  tracked: row.tracked,
  country: row.country,
  device: row.device as Keyword['device'],
  latest_position: row.latest_position,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
})
