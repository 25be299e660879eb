import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { getKeyword } from '../keywords/store'

/** The result of one check; `position` is null when the domain was not found. */
export type RankPoint = { checked_at: string; position: number | null }

/** The rankings of a keyword in a period, for a chart. */
export type RankingHistory = {
  /** In order of time. Beyond POINTS_MAX checks, the latest check of each of as many equal intervals. */
  points: RankPoint[]
  /** The best position, at the time it was first reached. */
  best: RankPoint | null
  last: RankPoint | null
  /** The check before `last`. */
  previous: RankPoint | null
  checks: number
}

/** More points cannot be distinguished in the chart. */
const POINTS_MAX = 200

type HistoryRow = {
  checked_at: Date
  position: number | null
  checks: number
  recency: number
  is_best: boolean
  is_point: boolean
}

/**
 * @param since only checks after this time (ISO 8601); all checks when undefined.
 * @throws {DomainError} NOT_FOUND for the keyword.
 */
export const getRankingHistory = async (
  sql: Sql,
  tenant: Tenant,
  keywordId: string,
  since: string | undefined,
): Promise<RankingHistory> => {
  await getKeyword(sql, tenant, keywordId)
  const rows = await sql<HistoryRow[]>`
    WITH checked AS (
      SELECT checked_at, position,
        count(*) OVER ()::int AS checks,
        row_number() OVER (ORDER BY checked_at DESC, id DESC)::int AS recency,
        position IS NOT NULL
          AND row_number() OVER (ORDER BY position, checked_at, id) = 1 AS is_best,
        width_bucket(
          extract(epoch FROM checked_at),
          extract(epoch FROM min(checked_at) OVER ()),
          extract(epoch FROM max(checked_at) OVER ()) + 0.001,
          ${POINTS_MAX}
        ) AS moment
      FROM rankings
      WHERE keyword_id = ${keywordId}
        ${since === undefined ? sql`` : sql`AND checked_at > ${since}`}
    ), marked AS (
      SELECT *, recency = min(recency) OVER (PARTITION BY moment) AS is_point FROM checked
    )
    SELECT checked_at, position, checks, recency, is_best, is_point FROM marked
    WHERE is_point OR is_best OR recency <= 2
    ORDER BY recency DESC`
  const find = (is: (row: HistoryRow) => boolean) => {
    const row = rows.find(is)
    return row === undefined ? null : toRankPoint(row)
  }
  return {
    points: rows.filter(({ is_point }) => is_point).map(toRankPoint),
    best: find(({ is_best }) => is_best),
    last: find(({ recency }) => recency === 1),
    previous: find(({ recency }) => recency === 2),
    checks: rows[0]?.checks ?? 0,
  }
}

const toRankPoint = ({ checked_at, position }: HistoryRow): RankPoint => ({
  checked_at: checked_at.toISOString(),
  position,
})
