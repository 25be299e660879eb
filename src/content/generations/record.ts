import type { Mode } from '../../caller'
import type { Db, Fragment } from '../../db/connect'
import type { BriefDefaults } from './brief'
import type { Generation, GenerationDetail, GenerationErrorCode, Step, StepKind } from './schema'

/** Rows of generations and their steps, as the records of the API (contract 6.5). */

export type GenerationRow = BriefDefaults & {
  outline: string[] | null
  review_outline: boolean
  required_checks: Generation['required_checks']
  id: string
  project_id: string
  keyword_id: string | null
  keyword: string
  status: Generation['status']
  progress: number
  article_id: string | null
  offline_draft: boolean
  error_code: GenerationErrorCode | null
  error_message: string | null
  started_at: Date | null
  finished_at: Date | null
  account_id: string
  mode: Mode
  created_at: Date
  queued_at: Date
}

/** SQL on a row of `generations`: not final. */
export const isOpen = (db: Db): Fragment => db`status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')`

export const toGeneration = (row: GenerationRow): Generation => ({
  id: row.id,
  project_id: row.project_id,
  keyword_id: row.keyword_id,
  keyword: row.keyword,
  instructions: row.instructions,
  audience: row.audience,
  tone: row.tone,
  length: row.length,
  model: row.model,
  outline: row.outline,
  review_outline: row.review_outline,
  required_checks: row.required_checks,
  status: row.status,
  progress: row.progress,
  article_id: row.article_id,
  offline_draft: row.offline_draft,
  error:
    row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
})

type StepRow = {
  kind: StepKind
  heading: string | null
  status: Step['status']
  retried_after: Step['retried_after']
  text: string | null
  model: string | null
  prompt_version: string | null
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: number | null
  started_at: Date | null
  finished_at: Date | null
}

/** The record of a generation with its steps. */
export const withSteps = async (db: Db, generation: Generation): Promise<GenerationDetail> => {
  const rows = await db<StepRow[]>`
    SELECT * FROM generation_steps WHERE generation_id = ${generation.id} ORDER BY position`
  return { ...generation, ...totalOf(rows), steps: rows.map(row => toStep(row, generation)) }
}

/** What is known, added up; null where nothing is. */
export const totalOf = (rows: readonly Counted[]): Counted => {
  const sum = (name: keyof Counted) =>
    rows.reduce<number | null>(
      (total, row) => (row[name] === null ? total : (total ?? 0) + row[name]),
      null,
    )
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cost_usd: sum('cost_usd'),
  }
}

type Counted = Pick<StepRow, 'input_tokens' | 'output_tokens' | 'cost_usd'>

/** A step that was not finished when its generation ended is PENDING. */
const toStep = (row: StepRow, { finished_at }: Generation): Step => ({
  step: row.kind,
  heading: row.heading,
  status: row.status === 'RUNNING' && finished_at !== null ? 'PENDING' : row.status,
  retried_after: finished_at === null ? row.retried_after : null,
  text: row.text,
  model: row.model,
  prompt_version: row.prompt_version,
  input_tokens: row.input_tokens,
  output_tokens: row.output_tokens,
  cost_usd: row.cost_usd,
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
})
