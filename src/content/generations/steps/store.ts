import type { Db, Sql, Tx } from '../../../db/connect'
import type { Job } from '../../../outbox/outbox'
import type { GenerationErrorCode, Step, StepKind } from '../schema'

/** The steps of a generation in PostgreSQL (contract 6.26). A finished one is never repeated. */

export const OUTLINE = 0

/** A step as its activity needs it. */
export type StoredStep = {
  position: number
  kind: StepKind
  heading: string | null
  status: Step['status']
  failures: number
  text: string | null
  model: string | null
}

/** In their order. The first one is added by `ensureOutline`, the others with the outline. */
export const readSteps = (db: Db, generationId: string) => db<StoredStep[]>`
  SELECT position, kind, heading, status, failures, text, model FROM generation_steps
  WHERE generation_id = ${generationId} ORDER BY position`

/** Adds nothing to a generation that is deleted meanwhile. */
export const ensureOutline = async (sql: Sql, generationId: string): Promise<void> => {
  await sql`
    INSERT INTO generation_steps (generation_id, position, kind)
    SELECT id, ${OUTLINE}, 'outline' FROM generations g
    WHERE id = ${generationId} AND NOT EXISTS (SELECT FROM generation_steps WHERE generation_id = g.id)
    FOR KEY SHARE
    ON CONFLICT DO NOTHING`
}

/** Replaces the steps after the outline: the introduction, a section for each heading, and what follows them. */
export const planSteps = async (tx: Tx, generationId: string, outline: string[]): Promise<void> => {
  await tx`
    DELETE FROM generation_steps WHERE generation_id = ${generationId} AND position > ${OUTLINE}`
  const kinds: [StepKind, string | null][] = [
    ['section', null],
    ...outline.map(heading => ['section', heading] as [StepKind, string]),
    ['assembly', null],
    ['metadata', null],
    ['checks', null],
  ]
  await tx`
    INSERT INTO generation_steps
    ${tx(
      kinds.map(([kind, heading], n) => ({
        generation_id: generationId,
        position: OUTLINE + 1 + n,
        kind,
        heading,
      })),
    )}`
}

/** Makes every step that is not finished PENDING, with all of its tries. */
export const resetUnfinishedSteps = async (tx: Tx, generationId: string): Promise<void> => {
  await tx`
    UPDATE generation_steps SET status = 'PENDING', failures = 0, retried_after = NULL, text = NULL, started_at = NULL
    WHERE generation_id = ${generationId} AND status <> 'COMPLETED'`
}

/** RUNNING, with nothing written so far. */
export const startStep = async (sql: Sql, { id }: Job, position: number): Promise<void> => {
  await sql`
    UPDATE generation_steps
    SET status = 'RUNNING', text = NULL, started_at = coalesce(started_at, clock_timestamp())
    WHERE generation_id = ${id} AND position = ${position} AND status <> 'COMPLETED'`
}

/** Steps before the outline says how many there are, for the progress. */
const EXPECTED_STEPS = 10

/**
 * Stores what has been written so far, and the progress: each step counts the same, this one as `part` of it, below 1.
 * Returns false when the generation is not RUNNING any more, so that its writer stops.
 */
export const reportStep = async (
  sql: Sql,
  { id, run }: Job,
  { position, text, part }: { position: number; text: string; part: number },
): Promise<boolean> => {
  const running = await sql`
    WITH written AS (
      UPDATE generation_steps SET text = ${text}
      WHERE generation_id = ${id} AND position = ${position} AND status = 'RUNNING'
        AND text IS DISTINCT FROM ${text}
    ), progress AS (
      SELECT floor(100 * (count(*) FILTER (WHERE status = 'COMPLETED') + ${part}::float)
        / CASE count(*) WHEN 1 THEN ${EXPECTED_STEPS} ELSE count(*) END)::int AS progress
      FROM generation_steps WHERE generation_id = ${id}
    ), changed AS (
      UPDATE generations g SET progress = p.progress FROM progress p
      WHERE g.id = ${id} AND g.run = ${run} AND g.status = 'RUNNING' AND g.progress < p.progress
    )
    SELECT FROM generations WHERE id = ${id} AND run = ${run} AND status = 'RUNNING'`
  return running.length > 0
}

export type StepResult = {
  text: string | null
  model: string | null
  promptVersion: string | null
  inputTokens: number | null
  outputTokens: number | null
  costUsd: number | null
}

export const WITHOUT_MODEL = {
  model: null,
  promptVersion: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
}

/**
 * Stores the result of a step, whatever its generation has become: it is paid for. The first result stays: false when
 * there was one.
 */
export const completeStep = async (
  db: Db,
  generationId: string,
  position: number,
  { text, model, promptVersion, inputTokens, outputTokens, costUsd }: StepResult,
): Promise<boolean> => {
  const { count } = await db`
    UPDATE generation_steps
    SET status = 'COMPLETED', retried_after = NULL, text = ${text}, model = ${model}, prompt_version = ${promptVersion},
      input_tokens = ${inputTokens}, output_tokens = ${outputTokens}, cost_usd = ${costUsd},
      started_at = coalesce(started_at, clock_timestamp()), finished_at = clock_timestamp()
    WHERE generation_id = ${generationId} AND position = ${position} AND status <> 'COMPLETED'`
  return count > 0
}

/** Records that a step waits for the rate limit of the provider, which is no failure. */
export const recordRateLimit = async (
  sql: Sql,
  { id }: Job,
  position: number,
  code: GenerationErrorCode,
): Promise<void> => {
  await sql`
    UPDATE generation_steps SET retried_after = ${code}
    WHERE generation_id = ${id} AND position = ${position} AND status <> 'COMPLETED'`
}

export const failStep = async (sql: Sql, { id }: Job, position: number): Promise<void> => {
  await sql`
    UPDATE generation_steps SET status = 'FAILED'
    WHERE generation_id = ${id} AND position = ${position} AND status <> 'COMPLETED'`
}
