/** State changes of a generation by its workflow (contract 6.6). None of them changes a final row or one of another run. */

import type { Mode, Tenant } from '../../caller'
import type { Sql, Tx } from '../../db/connect'
import { readableDomain } from '../../domain-name'
import type { Job } from '../../outbox/outbox'
import { returnToQuota } from '../../usage/store'
import { recordEvent } from '../../webhooks/events/record'
import { cancelGenerationsWhere } from './cancellation'
import { isOpen } from './record'
import { PROVIDER_ATTEMPTS } from './retry-schedule'
import type { Generation, GenerationErrorCode } from './schema'

type Status = Generation['status']

/** A generation with what its steps need. */
export type LoadedGeneration = Tenant & {
  id: string
  status: Status
  run: number
  articleId: string | null
  /** Queued to be written by the offline provider. */
  offlineDraft: boolean
  startedAt: Date | null
  /** Why it FAILED. */
  errorMessage: string | null
  keyword: string
  instructions: string | null
  audience: string | null
  tone: string | null
  /** Words. */
  length: number | null
  model: string | null
  outline: string[] | null
  /** The outline waits for an approval that it does not have. */
  reviewOutline: boolean
  requiredChecks: Generation['required_checks']
  projectName: string
  /** As people read it. */
  projectDomain: string | null
  projectLanguage: string
  styleGuide: string | null
}

/** Undefined when the generation was deleted with its project. */
export const loadGeneration = async (
  sql: Sql,
  id: string,
): Promise<LoadedGeneration | undefined> => {
  const [generation] = await sql<[LoadedGeneration?]>`
    SELECT g.id, g.status, g.run, g.account_id AS "accountId", g.mode, g.article_id AS "articleId",
      g.offline_draft AS "offlineDraft", g.started_at AS "startedAt", g.error_message AS "errorMessage",
      g.keyword, g.instructions, g.audience, g.tone, g.length, g.model, g.outline,
      g.review_outline AND g.outline_approved_at IS NULL AS "reviewOutline", g.required_checks AS "requiredChecks",
      p.name AS "projectName", p.domain AS "projectDomain", p.language AS "projectLanguage",
      p.style_guide AS "styleGuide"
    FROM generations g JOIN projects p ON p.id = g.project_id
    WHERE g.id = ${id}`
  if (!generation?.projectDomain) return generation
  return { ...generation, projectDomain: readableDomain(generation.projectDomain) }
}

/** QUEUED becomes RUNNING and fires `generation.started`. */
export const beginGeneration = async (sql: Sql, { id, run }: Job): Promise<void> => {
  await sql.begin(async tx => {
    const [row] = await tx<LockedGeneration[]>`
      UPDATE generations SET status = 'RUNNING', started_at = clock_timestamp()
      WHERE id = ${id} AND run = ${run} AND status = 'QUEUED'
      RETURNING *`
    if (row === undefined) return
    await recordEvent(tx as Tx, tenantOf(row), 'generation.started', {
      ...eventData(row),
      status: 'RUNNING',
    })
  })
}

type GenerationError = { code: GenerationErrorCode; message: string }

/**
 * Records a failure of the provider in a step, idempotently: only when the step has `seen` failures so far. Step and
 * generation are FAILED when the failure is `final`, or after PROVIDER_ATTEMPTS failures. Returns the failures of the
 * step and whether the generation is FAILED; undefined when it is not RUNNING.
 */
export const recordFailure = async (
  sql: Sql,
  job: Job,
  { position, seen }: { position: number; seen: number },
  error: GenerationError,
  final: boolean,
): Promise<{ failures: number; failed: boolean } | undefined> =>
  await sql.begin(async transaction => {
    const tx = transaction as Tx
    const row = await lockRunning(tx, job)
    if (row === undefined) return undefined
    const failed = final || seen + 1 >= PROVIDER_ATTEMPTS
    const [step] = await tx`
      UPDATE generation_steps
      SET failures = failures + 1, text = NULL, status = ${failed ? 'FAILED' : 'PENDING'},
        retried_after = ${failed ? null : error.code}
      WHERE generation_id = ${job.id} AND position = ${position} AND failures = ${seen}
      RETURNING position`
    // Already recorded by a call that timed out.
    if (step === undefined) return { failures: seen + 1, failed: false }
    if (failed) await failLocked(tx, row, error)
    return { failures: seen + 1, failed }
  })

/** Sets FAILED for a reason other than the provider. */
export const failGeneration = async (
  sql: Sql,
  { id, run }: Job,
  error: GenerationError,
): Promise<void> => {
  await sql.begin(async tx => {
    const [row] = await tx<LockedGeneration[]>`
      SELECT * FROM generations
      WHERE id = ${id} AND run = ${run} AND ${isOpen(tx)} FOR UPDATE`
    if (row !== undefined) await failLocked(tx as Tx, row, error)
  })
}

/** Sets CANCELLED after an operator cancelled the workflow in Temporal. Returns the tenant; undefined when final. */
export const cancelRun = async (sql: Sql, { id, run }: Job): Promise<Tenant | undefined> => {
  const [row] = await sql.begin(tx =>
    cancelGenerationsWhere(tx as Tx, tx`id = ${id} AND run = ${run}`),
  )
  return row && { accountId: row.account_id, mode: row.mode }
}

export type LockedGeneration = {
  id: string
  account_id: string
  mode: Mode
  project_id: string
  keyword_id: string | null
  keyword: string
  offline_draft: boolean
  article_id: string | null
  article_version: number | null
  queued_at: Date
}

export const lockRunning = async (
  tx: Tx,
  { id, run }: Job,
): Promise<LockedGeneration | undefined> => {
  const [row] = await tx<LockedGeneration[]>`
    SELECT * FROM generations
    WHERE id = ${id} AND run = ${run} AND status = 'RUNNING' FOR UPDATE`
  return row
}

export const failLocked = async (
  tx: Tx,
  row: LockedGeneration,
  error: GenerationError,
): Promise<void> => {
  await tx`
    UPDATE generations
    SET status = 'FAILED', error_code = ${error.code}, error_message = ${error.message},
      finished_at = clock_timestamp(), due_at = NULL, check_at = NULL
    WHERE id = ${row.id}`
  if (!row.offline_draft) await returnToQuota(tx, tenantOf(row), [row.queued_at])
  await recordEvent(tx, tenantOf(row), 'generation.failed', {
    ...eventData(row),
    status: 'FAILED',
    error,
  })
}

export const tenantOf = ({ account_id, mode }: LockedGeneration) => ({
  accountId: account_id,
  mode,
})

export const eventData = ({ id, project_id, keyword }: LockedGeneration) => ({
  generation_id: id,
  project_id,
  keyword,
})
