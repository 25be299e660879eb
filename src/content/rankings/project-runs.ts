import type { Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import { indexableEq, type PageRequest, type PageResult, readPage } from '../../db/page'
import { conflict, notFound, TooManyRequests } from '../../errors'
import { isId, newId } from '../../ids'
import { readProviders } from '../../temporal/heartbeat'
import { getProject } from '../projects/store'
import { isTracked } from './due-projects'
import { FAILED_INTERVAL_MS, REQUEST_INTERVAL_MS } from './policy'
import { type RankRun, RUN_ERRORS, type RunErrorCode } from './run-schema'

/** Runs of the rank tracking for a project (contract 6.20). */

type RankRunRow = {
  id: string
  project_id: string
  origin: RankRun['trigger']
  status: RankRun['status']
  run_at: Date | null
  keywords: number
  ranked: number
  failed: number
  searches: number
  cost_usd: string | null
  error_code: RunErrorCode | null
  mode: string
  created_at: Date
  finished_at: Date | null
}

/**
 * Queues a run of the project's tracked keywords now. While a requested one is open, returns that one.
 * @throws {DomainError} NOT_FOUND; CONFLICT where nothing can be tracked; TOO_MANY_REQUESTS within an hour of the last
 * one, or a minute of one that failed without a search.
 */
export const requestRankRun = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
): Promise<RankRun> => {
  // Concurrent requests for a project take turns.
  const project = await getProject(tx, tenant, projectId, tx`FOR NO KEY UPDATE`)
  const [last] = await tx<[LastRun?]>`
    SELECT *, extract(epoch FROM clock_timestamp() - created_at)::float8 AS age_s,
      extract(epoch FROM clock_timestamp() - finished_at)::float8 AS ended_s
    FROM project_rank_runs
    WHERE project_id = ${indexableEq(tx, projectId)} AND origin = 'manual'
    ORDER BY project_id, id DESC LIMIT 1`
  if (last?.status === 'QUEUED' || last?.status === 'RUNNING') return toRankRun(last)
  const keywords = await countTracked(tx, projectId)
  const problem = await findProblem(tx, { ...tenant, domain: project.domain, keywords })
  if (problem !== undefined) throw conflict(problem)
  if (last !== undefined) checkInterval(last)
  const [row] = await tx<[RankRunRow]>`
    INSERT INTO project_rank_runs
      (id, account_id, mode, project_id, origin, status, keywords, due_at)
    VALUES (${newId('rrn')}, ${tenant.accountId}, ${tenant.mode}, ${projectId}, 'manual', 'QUEUED',
      ${keywords}, clock_timestamp())
    RETURNING *`
  return toRankRun(row)
}

/** The last run that was requested, with the seconds since then and since its end. */
type LastRun = RankRunRow & { age_s: number; ended_s: number | null }

/** @throws {DomainError} TOO_MANY_REQUESTS */
const checkInterval = ({ status, searches, error_code, age_s, ended_s }: LastRun): void => {
  // What a run that was stopped has searched may not be counted.
  const hasCostNothing = status === 'FAILED' && searches === 0 && error_code !== 'stopped'
  const waitS = hasCostNothing
    ? FAILED_INTERVAL_MS / 1000 - (ended_s ?? age_s)
    : REQUEST_INTERVAL_MS / 1000 - age_s
  if (waitS > 0)
    throw new TooManyRequests(
      hasCostNothing
        ? `The last run of this project failed less than a minute ago. Try again in ${Math.ceil(waitS)} s.`
        : `The last run of this project was requested less than an hour ago, and one an hour is permitted, because searches cost money. Try again in ${Math.ceil(waitS / 60)} min.`,
      Math.ceil(waitS),
    )
}

/** Why a run would check nothing. */
const findProblem = async (
  tx: Tx,
  { mode, domain, keywords }: Pick<Tenant, 'mode'> & { domain: string | null; keywords: number },
): Promise<string | undefined> => {
  if (mode === 'test')
    return 'Rankings are tracked in live mode only, because searches cost money. Use a live key.'
  if (domain === null) return 'The project has no domain to look for. Set its domain first.'
  if (keywords === 0) return 'The project has no tracked keyword. Add one, or track one, first.'
  const providers = await readProviders(tx)
  return providers === undefined || providers.includes('serp')
    ? undefined
    : 'No SERP provider is configured. Ask the operator of Arden to set ARDEN_SERP_PROVIDER.'
}

const countTracked = async (tx: Tx, projectId: string): Promise<number> => {
  const [{ count }] = await tx<[{ count: number }]>`
    SELECT count(*)::int FROM keywords k JOIN projects p ON p.id = k.project_id
    WHERE k.project_id = ${projectId} AND ${isTracked(tx)}`
  return count
}

/** @throws {DomainError} NOT_FOUND for the project. */
export const listRankRuns = async (
  sql: Sql,
  tenant: Tenant,
  projectId: string,
  page: PageRequest,
): Promise<PageResult<RankRun>> => {
  await getProject(sql, tenant, projectId)
  const list = sql`
    SELECT * FROM project_rank_runs
    WHERE project_id = ${indexableEq(sql, projectId)}
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
    ORDER BY project_id, id DESC`
  return readPage(sql, list, page, toRankRun)
}

/** @throws {DomainError} NOT_FOUND, for a run of a hidden project as well. */
export const getRankRun = async (db: Db, tenant: Tenant, id: string): Promise<RankRun> => {
  const [row] = isId('rrn', id)
    ? await db<RankRunRow[]>`
        SELECT r.* FROM project_rank_runs r
        JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
        WHERE r.id = ${id} AND r.account_id = ${tenant.accountId} AND r.mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('rank run', id)
  return toRankRun(row)
}

const toRankRun = (row: RankRunRow): RankRun => ({
  id: row.id,
  project_id: row.project_id,
  trigger: row.origin,
  status: row.status,
  // Keywords that were added while it ran are checked as well.
  keywords: Math.max(row.keywords, row.ranked + row.failed),
  ranked: row.ranked,
  failed: row.failed,
  searches: row.searches,
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
  error:
    row.error_code === null ? null : { code: row.error_code, message: RUN_ERRORS[row.error_code] },
  started_at: row.run_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
})
