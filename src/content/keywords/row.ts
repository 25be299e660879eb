import type { Keyword } from './schema'

export type KeywordRow = {
  id: string
  project_id: string
  keyword: string
  folded: string
  tracked: boolean
  country: string
  device: string
  tags: string[]
  latest_position: number | null
  position_change: number | null
  latest_checked_at: Date | null
  mode: string
  created_at: Date
  updated_at: Date | null
}

/** The columns that identify a keyword: unique within a project (contract 6.2). */
export type KeywordSearch = Pick<KeywordRow, 'project_id' | 'folded' | 'country' | 'device'>

export const toKeyword = (row: KeywordRow): Keyword => ({
  id: row.id,
  project_id: row.project_id,
  keyword: row.keyword,
  tracked: row.tracked,
  country: row.country,
  device: row.device as Keyword['device'],
  tags: row.tags,
  latest_position: row.latest_position,
  position_change: row.position_change,
  latest_checked_at: row.latest_checked_at?.toISOString() ?? null,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
  updated_at: (row.updated_at ?? row.created_at).toISOString(),
})
