import type { Mode, Tenant } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import type { PageRequest, PageResult } from '../../db/page'
import { conflict, invalid, notFound } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { isId, newId } from '../../ids'
import { readProviders } from '../../temporal/heartbeat'
import { returnToQuota, takeFromQuota } from '../../usage/store'
import { type ContentFilter, readFilteredPage } from '../filter'
import type { Generation, GenerationErrorCode, NewGeneration } from './schema'

/**
 * Generations (contract 6.5). The API only writes rows; a worker starts or cancels the workflow of a due row
 * (docs/architecture.md, "Processes").
 */

type GenerationRow = {
  id: string
  project_id: string
  keyword_id: string | null
  keyword: string
  instructions: string | null
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
}

/**
 * Queues a generation and takes it from this month's quota. Where the running workers have no language model, it becomes
 * an offline draft, which takes nothing (contract 6.11).
 * @throws {DomainError} VALIDATION_ERROR naming `keyword_id` when it is unknown to the tenant (contract 1.8);
 * PLAN_LIMIT_REACHED.
 */
export const createGeneration = async (
  tx: Tx,
  tenant: Tenant,
  { keyword_id, instructions = null }: TypeOf<typeof NewGeneration>,
): Promise<Generation> => {
  // Locked: this waits for a concurrent deletion, and a later deletion finds this generation and cancels it.
  const [keyword] = isId('kw', keyword_id)
    ? await tx<{ project_id: string; keyword: string }[]>`
        SELECT k.project_id, k.keyword
        FROM keywords k JOIN projects p ON p.id = k.project_id AND p.deleted_at IS NULL
        WHERE k.id = ${keyword_id} AND k.account_id = ${tenant.accountId} AND k.mode = ${tenant.mode}
          AND k.deleted_at IS NULL
        FOR SHARE OF k, p`
    : []
  if (keyword === undefined) throw invalid('keyword_id', 'is not the id of a keyword here')
  const providers = await readProviders(tx)
  const isOffline = providers !== undefined && !providers.includes(tenant.mode)
  const [row] = await tx<[GenerationRow]>`
    INSERT INTO generations
      (id, account_id, mode, project_id, keyword_id, keyword, instructions, offline_draft, due_at)
    VALUES (${newId('gen')}, ${tenant.accountId}, ${tenant.mode}, ${keyword.project_id},
      ${keyword_id}, ${keyword.keyword}, ${instructions}, ${isOffline}, clock_timestamp())
    RETURNING *`
  if (!isOffline) await takeFromQuota(tx, tenant)
  return toGeneration(row)
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
export const getGeneration = async (db: Db, tenant: Tenant, id: string): Promise<Generation> => {
  const [row] = isId('gen', id)
    ? await db<GenerationRow[]>`
        SELECT g.* FROM generations g
        JOIN projects p ON p.id = g.project_id AND p.deleted_at IS NULL
        WHERE g.id = ${id} AND g.account_id = ${tenant.accountId} AND g.mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('generation', id)
  return toGeneration(row)
}

/**
 * Cancels a generation (contract 6.6). Its workflow, where it still runs, finds it cancelled and stores nothing.
 * @throws {DomainError} NOT_FOUND; CONFLICT when it is final.
 */
export const cancelGeneration = async (tx: Tx, tenant: Tenant, id: string): Promise<Generation> => {
  const { status } = await getGeneration(tx, tenant, id)
  const [cancelled] = await cancelGenerationsWhere(tx, tx`id = ${id}`)
  if (cancelled !== undefined) return getGeneration(tx, tenant, id)
  const now = status === 'QUEUED' || status === 'RUNNING' ? 'final since a moment ago' : status
  throw conflict(`The generation is ${now}. Only one that is QUEUED or RUNNING can be cancelled.`)
}

type Owner = { project_id: string } | { keyword_id: string }

/** Newest generations among which a deletion cancels the open ones at once: 3 s for 100,000 would block other accounts. */
const NEWEST_MAX = 10_000

/**
 * Cancels the open generations among the newest 10,000 of a project or keyword. Call it after the row is marked as
 * deleted: `createGeneration` waits for that lock, so no later one is missed.
 */
export const cancelNewestGenerations = async (tx: Tx, of: Owner): Promise<void> => {
  await cancelGenerationsWhere(
    tx,
    tx`id IN (
      SELECT id FROM generations WHERE ${ownedBy(tx, of)} ORDER BY id DESC LIMIT ${NEWEST_MAX}
    )`,
  )
}

/** Cancels the open generations among the oldest `limit` of a project or keyword, before these are deleted or cleared. */
export const cancelOldestGenerations = async (tx: Tx, of: Owner, limit: number): Promise<void> => {
  await cancelGenerationsWhere(
    tx,
    tx`id IN (SELECT id FROM generations WHERE ${ownedBy(tx, of)} ORDER BY id LIMIT ${limit})`,
  )
}

const ownedBy = (tx: Tx, of: Owner): Fragment =>
  'project_id' in of ? tx`project_id = ${of.project_id}` : tx`keyword_id = ${of.keyword_id}`

type CancelledGeneration = Pick<
  GenerationRow,
  'account_id' | 'mode' | 'created_at' | 'offline_draft'
>

/** Cancels the open generations that match `which`, all of one tenant, and returns each to the quota of its month. */
export const cancelGenerationsWhere = async (
  tx: Tx,
  which: Fragment,
): Promise<CancelledGeneration[]> => {
  // Locked in the order of ids, so that two deletions cannot deadlock.
  const open = await tx<{ id: string }[]>`
    SELECT id FROM generations WHERE ${which} AND status IN ('QUEUED', 'RUNNING')
    ORDER BY id FOR UPDATE`
  if (open.length === 0) return []
  const rows = await tx<[CancelledGeneration, ...CancelledGeneration[]]>`
    UPDATE generations
    SET status = 'CANCELLED', finished_at = clock_timestamp(), due_at = clock_timestamp(),
      check_at = NULL
    WHERE id = ANY (${open.map(({ id }) => id)})
    RETURNING account_id, mode, created_at, offline_draft`
  const [{ account_id: accountId, mode }] = rows
  await returnToQuota(
    tx,
    { accountId, mode },
    rows.filter(row => !row.offline_draft).map(row => row.created_at),
  )
  return rows
}

const toGeneration = (row: GenerationRow): Generation => ({
  id: row.id,
  project_id: row.project_id,
  keyword_id: row.keyword_id,
  keyword: row.keyword,
  instructions: row.instructions,
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
