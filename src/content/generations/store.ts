import type { Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import type { PageRequest, PageResult } from '../../db/page'
import { CHECK_ID_AND_MODE, invalid, notFound } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { isId, newId } from '../../ids'
import { readModelProviders, readProviders } from '../../temporal/heartbeat'
import { takeFromQuota } from '../../usage/store'
import { closeVersion } from '../articles/rewrite'
import { type ContentFilter, readFilteredPage } from '../filter'
import { type BriefDefaults, resolveBrief, toHeading } from './brief'
import { type GenerationRow, toGeneration, totalOf, withSteps } from './record'
import type { Generation, GenerationDetail, NewGeneration } from './schema'

/**
 * Generations (contract 6.5). The API only writes rows; a worker starts or cancels the workflow of a due row
 * (docs/architecture.md, "Processes").
 */

/**
 * Queues a generation and takes it from this month's quota. Where the running workers have no language model, it becomes
 * an offline draft, which takes nothing (contract 6.11).
 * @throws {DomainError} VALIDATION_ERROR naming `keyword_id` or `article_id` when it is unknown to the tenant (contract 1.8),
 * or `model` when no running worker has it;
 * PLAN_LIMIT_REACHED.
 */
export const createGeneration = async (
  tx: Tx,
  tenant: Tenant,
  {
    keyword_id,
    article_id,
    outline,
    review_outline = false,
    required_checks = [],
    ...given
  }: TypeOf<typeof NewGeneration>,
): Promise<GenerationDetail> => {
  const keyword = await lockKeyword(tx, tenant, keyword_id)
  if (keyword === undefined)
    throw invalid('keyword_id', `is not the id of a keyword here. ${CHECK_ID_AND_MODE}`)
  const rewritten =
    article_id === undefined
      ? null
      : await readRewritten(tx, tenant, keyword.project_id, article_id)
  const providers = await readProviders(tx)
  const isOffline = providers !== undefined && !providers.includes(tenant.mode)
  const { instructions, audience, tone, length, model } = resolveBrief(given, keyword.brief)
  if (model !== null && !isOffline) await checkModel(tx, model, given.model === undefined)
  const [row] = await tx<[GenerationRow]>`
    INSERT INTO generations
      (id, account_id, mode, project_id, keyword_id, keyword, instructions, audience, tone, length, model,
        outline, review_outline, required_checks, article_id, article_version, offline_draft, due_at)
    VALUES (${newId('gen')}, ${tenant.accountId}, ${tenant.mode}, ${keyword.project_id}, ${keyword_id},
      ${keyword.keyword}, ${instructions}, ${audience}, ${tone}, ${length}, ${model},
      ${outline?.map(toHeading) ?? null}, ${review_outline}, ${required_checks}, ${article_id ?? null}, ${rewritten},
      ${isOffline}, clock_timestamp())
    RETURNING *`
  if (!isOffline) await takeFromQuota(tx, tenant)
  return { ...toGeneration(row), ...totalOf([]), steps: [] }
}

type LockedKeyword = { project_id: string; keyword: string; brief: Partial<BriefDefaults> }

/**
 * The keyword of a generation that is about to be queued, undefined when it is unknown to the tenant. Locked: this waits
 * for a concurrent deletion, and a later deletion finds the generation and cancels it.
 */
export const lockKeyword = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<LockedKeyword | undefined> => {
  if (!isId('kw', id)) return undefined
  const [keyword] = await tx<LockedKeyword[]>`
    SELECT k.project_id, k.keyword, p.brief
    FROM keywords k JOIN projects p ON p.id = k.project_id AND p.deleted_at IS NULL
    WHERE k.id = ${id} AND k.account_id = ${tenant.accountId} AND k.mode = ${tenant.mode}
      AND k.deleted_at IS NULL
    FOR SHARE OF k, p`
  return keyword
}

/** While no worker runs, a model is not known, and the generation waits for one. */
const checkModel = async (tx: Tx, model: string, isOfProject: boolean): Promise<void> => {
  const providers = await readModelProviders(tx)
  const models = new Set(providers?.flatMap(one => one.models.map(({ name }) => name)))
  if (providers !== undefined && !models.has(model))
    throw invalid(
      'model',
      `is "${model}", ${isOfProject ? 'the default of the project, which is not configured. Change the project' : 'which is not configured. Leave it out'}, or use one of: ${[...models].join(', ')}.`,
    )
}

/** The version of an article that is written anew. */
const readRewritten = async (tx: Tx, tenant: Tenant, projectId: string, id: string) => {
  const [article] = isId('art', id)
    ? await tx`
        SELECT FROM articles
        WHERE id = ${id} AND project_id = ${projectId} AND account_id = ${tenant.accountId}
          AND mode = ${tenant.mode}`
    : []
  const version = article && (await closeVersion(tx, id))
  if (version === undefined)
    throw invalid('article_id', 'is not the id of an article of the same project as the keyword')
  return version
}

export const listGenerations = async (
  sql: Sql,
  tenant: Tenant,
  filter: ContentFilter<Generation['status']>,
  page: PageRequest,
): Promise<PageResult<Generation>> => {
  const select = () => sql`
    SELECT g.* FROM generations g
    JOIN projects p ON p.id = g.project_id AND p.deleted_at IS NULL`
  const list = {
    select,
    searched: [sql`g.keyword`],
    table: 'g',
    prefix: 'gen',
    toRecord: toGeneration,
  } as const
  return readFilteredPage(sql, list, tenant, filter, page)
}

/** @throws {DomainError} NOT_FOUND, for a generation of a hidden project as well. */
export const getGeneration = async (
  db: Db,
  tenant: Tenant,
  id: string,
): Promise<GenerationDetail> => {
  const [row] = isId('gen', id)
    ? await db<GenerationRow[]>`
        SELECT g.* FROM generations g
        JOIN projects p ON p.id = g.project_id AND p.deleted_at IS NULL
        WHERE g.id = ${id} AND g.account_id = ${tenant.accountId} AND g.mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('generation', id)
  return await withSteps(db, toGeneration(row))
}
