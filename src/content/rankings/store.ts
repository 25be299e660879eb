import type { Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { type PageRequest, type PageResult, readPage } from '../../db/page'
import { invalidCursor } from '../../http/request/paging'
import type { TypeOf } from '../../http/schema'
import { newId } from '../../ids'
import { recordEvent } from '../../webhooks/events/record'
import { findKeyword, getKeyword } from '../keywords/store'
import type { NewRanking, Ranking } from './schema'

/**
 * Rankings: the position of a project's domain in a search at a time (contract 6.3). They are ordered by `checked_at`,
 * not by arrival, and then by id.
 */

type RankingRow = {
  id: string
  keyword_id: string
  position: number | null
  url: string | null
  checked_at: Date
  created_at: Date
}

/** The place of a domain that was not found, in comparisons: after all others. */
const NOT_FOUND = 101

type RankingFilter = { checked_after?: string; checked_before?: string }

/**
 * Stores a ranking, and fires `keyword.ranked` when the keyword is tracked, also for an unchanged position. Locks the
 * keyword, so that concurrent rankings see each other. `previous_position` is that of the ranking before this one by
 * `checked_at`.
 * @throws {DomainError} NOT_FOUND for the keyword.
 */
export const recordRanking = async (
  tx: Tx,
  tenant: Tenant,
  keywordId: string,
  input: TypeOf<typeof NewRanking>,
): Promise<Ranking> => {
  const { position, url = null, checked_at = null } = input
  const keyword = await findKeyword(tx, tenant, keywordId, tx`FOR NO KEY UPDATE OF k`)
  const [row] = await tx<[RankingRow]>`
    INSERT INTO rankings (id, keyword_id, position, url, checked_at)
    SELECT ${newId('rnk')}, ${keywordId}, ${position}, ${url},
      date_trunc('milliseconds', least(at, clock_timestamp()))
    FROM (SELECT coalesce(${checked_at}, clock_timestamp()) AS at) AS checked
    RETURNING *`
  const [{ previous_position }] = await tx<[{ previous_position: number | null }]>`
    SELECT
      (SELECT position FROM rankings WHERE keyword_id = ${keywordId}
         AND (checked_at, id) < (SELECT checked_at, id FROM rankings WHERE id = ${row.id})
       ORDER BY checked_at DESC, id DESC LIMIT 1) AS previous_position`
  await tx`
    UPDATE keywords k SET latest_position = l.position, latest_checked_at = l.checked_at,
      position_change = l.change, updated_at = clock_timestamp()
    FROM (
      SELECT max(position) FILTER (WHERE n = 1) AS position, max(checked_at) AS checked_at,
        max(place) FILTER (WHERE n = 2) - max(place) FILTER (WHERE n = 1) AS change
      FROM (
        SELECT position, checked_at, coalesce(position, ${NOT_FOUND}) AS place,
          row_number() OVER (ORDER BY checked_at DESC, id DESC) AS n
        FROM rankings WHERE keyword_id = ${keywordId} ORDER BY checked_at DESC, id DESC LIMIT 2
      ) latest
    ) l
    WHERE k.id = ${keywordId} AND (k.latest_position, k.latest_checked_at, k.position_change)
      IS DISTINCT FROM (l.position, l.checked_at, l.change)`
  if (keyword.tracked)
    await recordEvent(tx, tenant, 'keyword.ranked', {
      keyword_id: keywordId,
      project_id: keyword.project_id,
      keyword: keyword.keyword,
      position,
      previous_position,
      url,
      checked_at: row.checked_at.toISOString(),
    })
  return toRanking(row, tenant)
}

/**
 * The rankings of a keyword, the latest check first.
 * @throws {DomainError} NOT_FOUND for the keyword; VALIDATION_ERROR for a cursor of another keyword.
 */
export const listRankings = async (
  sql: Sql,
  tenant: Tenant,
  keywordId: string,
  { checked_after, checked_before }: RankingFilter,
  page: PageRequest,
): Promise<PageResult<Ranking>> => {
  await getKeyword(sql, tenant, keywordId)
  if (page.before !== null) {
    const [from] = await sql`
      SELECT FROM rankings WHERE id = ${page.before} AND keyword_id = ${keywordId}`
    if (from === undefined) throw invalidCursor()
  }
  const list = sql`
    SELECT * FROM rankings
    WHERE keyword_id = ${keywordId}
      ${
        page.before === null
          ? sql``
          : sql`AND (checked_at, id) < (SELECT checked_at, id FROM rankings WHERE id = ${page.before})`
      }
      ${checked_after === undefined ? sql`` : sql`AND checked_at > ${checked_after}`}
      ${checked_before === undefined ? sql`` : sql`AND checked_at < ${checked_before}`}
    ORDER BY checked_at DESC, id DESC`
  return readPage(sql, list, page, (row: RankingRow) => toRanking(row, tenant))
}

const toRanking = (row: RankingRow, { mode }: Tenant): Ranking => ({
  id: row.id,
  keyword_id: row.keyword_id,
  position: row.position,
  url: row.url,
  checked_at: row.checked_at.toISOString(),
  test_mode: mode === 'test',
  created_at: row.created_at.toISOString(),
})
