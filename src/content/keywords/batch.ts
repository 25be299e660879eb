import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { DomainError, invalid, invalidMembers } from '../../errors'
import type { TypeOf } from '../../http/schema'
import type { GenerationDetail } from '../generations/schema'
import { createGeneration } from '../generations/store'
import { getProject } from '../projects/store'
import type {
  BulkGeneration,
  KeywordBatch,
  KeywordBatchResult,
  KeywordImport,
  KeywordImportResult,
} from './batch-schema'
import { readKeywordCsv } from './csv'
import { addKeywords, countExisting } from './insert'

/** Errors of a file that are shown. */
const ERRORS_MAX = 100

/**
 * Creates the keywords that the project does not have (contract 6.21).
 * @throws {DomainError} NOT_FOUND for the project.
 */
export const createKeywordBatch = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  { keywords }: TypeOf<typeof KeywordBatch>,
): Promise<TypeOf<typeof KeywordBatchResult>> => {
  const results = await addKeywords(tx, tenant, projectId, keywords)
  const created = results.filter(({ status }) => status === 'created').length
  return { created, existing: results.length - created, results }
}

/**
 * Imports the keywords of a CSV file, or none where a line is wrong (contract 6.22).
 * @throws {DomainError} NOT_FOUND for the project; VALIDATION_ERROR with an entry for each wrong line, but in a preview.
 */
export const importKeywords = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  { csv, country, preview = false }: TypeOf<typeof KeywordImport>,
): Promise<KeywordImportResult> => {
  await getProject(tx, tenant, projectId)
  const { keywords, errors } = readKeywordCsv(csv, country)
  const shown = errors.slice(0, ERRORS_MAX)
  if (!preview && shown.length > 0)
    throw invalidMembers(
      shown.map(({ line, column, message }) => ({
        path: `csv.${line}${column === null ? '' : `.${column}`}`,
        message,
      })),
    )
  if (!preview && keywords.length === 0) throw invalid('csv', 'has no keyword below its header')
  const existing = preview
    ? await countExisting(tx, projectId, keywords)
    : (await addKeywords(tx, tenant, projectId, keywords)).filter(
        ({ status }) => status === 'exists',
      ).length
  return {
    preview,
    keywords: keywords.length,
    created: keywords.length - existing,
    existing,
    errors: shown,
  }
}

/**
 * Queues a generation for each keyword, or none (contract 6.24).
 * @throws {DomainError} NOT_FOUND for the project; VALIDATION_ERROR naming a keyword that the project does not have;
 * PLAN_LIMIT_REACHED when the quota does not suffice for all.
 */
export const generateForKeywords = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  { keyword_ids, ...brief }: TypeOf<typeof BulkGeneration>,
): Promise<GenerationDetail[]> => {
  await getProject(tx, tenant, projectId)
  const rows = await tx<{ id: string }[]>`
    SELECT id FROM keywords
    WHERE id = ANY (${keyword_ids}) AND project_id = ${projectId} AND deleted_at IS NULL`
  const known = new Set(rows.map(({ id }) => id))
  const unknown = keyword_ids.flatMap((id, n) =>
    known.has(id)
      ? []
      : [{ path: `keyword_ids.${n}`, message: 'is not the id of a keyword of this project' }],
  )
  if (unknown.length > 0) throw invalidMembers(unknown)
  const generations: GenerationDetail[] = []
  for (const keyword_id of keyword_ids)
    generations.push(
      await createGeneration(tx, tenant, { keyword_id, ...brief }).catch(error => {
        throw explainShortage(error, { left: generations.length, asked: keyword_ids.length })
      }),
    )
  return generations
}

/** The quota has some left, which its own error does not say: the caller can choose fewer. */
const explainShortage = (error: unknown, { left, asked }: { left: number; asked: number }) =>
  error instanceof DomainError && error.code === 'PLAN_LIMIT_REACHED' && left > 0
    ? new DomainError(
        error.code,
        `Your plan has ${left} live ${left === 1 ? 'generation' : 'generations'} left this month, and you chose ${asked} keywords, so none was started. Choose at most ${left}, use test mode, or ask the operator for a larger plan.`,
      )
    : error
