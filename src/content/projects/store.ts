import { isDeepStrictEqual } from 'node:util'
import type { Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import { containsOrDomain } from '../../db/contains'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { indexableEq, type PageRequest, type PageResult, readWithCachedPlan } from '../../db/page'
import { notFound } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { isId, newId } from '../../ids'
import { type BriefDefaults, resolveBrief } from '../generations/brief'
import { nextRankRunAt } from './next-rank-run'
import { findTimeZone, type NewProject, type Project, type ProjectChanges } from './schema'

/** Projects group keywords and articles (contract 6.1). */

type ProjectRow = {
  id: string
  name: string
  domain: string | null
  language: string
  domain_match: Project['domain_match']
  rank_schedule: Project['rank_schedule']
  time_zone: string
  rank_due_at: Date | null
  style_guide: string | null
  brief: Partial<BriefDefaults>
  mode: string
  created_at: Date
  updated_at: Date | null
}

export const createProject = async (
  tx: Tx,
  tenant: Tenant,
  input: TypeOf<typeof NewProject>,
): Promise<Project> => {
  const { rank_schedule = 'daily', time_zone = 'UTC' } = withTimeZone(input)
  const [row] = await tx<[ProjectRow]>`
    INSERT INTO projects ${tx({
      id: newId('prj'),
      account_id: tenant.accountId,
      mode: tenant.mode,
      name: input.name,
      domain: input.domain ?? null,
      language: input.language ?? 'en',
      domain_match: input.domain_match ?? 'domain',
      rank_schedule,
      time_zone,
      rank_due_at: nextRankRunAt({ rank_schedule, time_zone }, new Date()),
      style_guide: input.style_guide ?? null,
      brief: input.brief ?? {},
    })}
    RETURNING *`
  return toProject(row)
}

/** `input` with its time zone as the IANA database writes it (contract 6.20). */
const withTimeZone = <T extends { time_zone?: string }>(input: T): T =>
  input.time_zone === undefined
    ? input
    : { ...input, time_zone: findTimeZone(input.time_zone) ?? input.time_zone }

export const listProjects = async (
  sql: Sql,
  tenant: Tenant,
  filter: CreatedBetween & { search?: string },
  page: PageRequest,
): Promise<PageResult<Project>> => {
  const { search } = filter
  const list = sql`
    SELECT * FROM projects
    WHERE account_id = ${indexableEq(sql, tenant.accountId)} AND mode = ${tenant.mode} AND deleted_at IS NULL
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${createdBetween(sql, filter, 'prj')}
      ${search === undefined ? sql`` : sql`AND ${containsOrDomain(sql, search, [sql`name`, sql`domain`])}`}
    ORDER BY account_id, id DESC`
  return readWithCachedPlan(sql, list, page, toProject)
}

/** @throws {DomainError} NOT_FOUND, for a hidden project as well. */
export const getProject = async (
  db: Db,
  tenant: Tenant,
  id: string,
  lock: ReturnType<Db> = db``,
): Promise<Project> => {
  const [row] = isId('prj', id)
    ? await db<ProjectRow[]>`
        SELECT * FROM projects
        WHERE id = ${id} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
          AND deleted_at IS NULL
        ${lock}`
    : []
  if (row === undefined) throw notFound('project', id)
  return toProject(row)
}

/** Locks the project until the end of the transaction. @throws {DomainError} NOT_FOUND */
export const lockProject = (tx: Tx, tenant: Tenant, id: string): Promise<Project> =>
  getProject(tx, tenant, id, tx`FOR NO KEY UPDATE`)

/** Records of each kind that are counted at most: a count of all could take seconds. */
const MEASURED_MAX = 10_000

export type ProjectSize = {
  articles: number
  published: number
  keywords: number
  generations: number
}

/**
 * How many records go with a project, each at most 10,000.
 * @throws {DomainError} NOT_FOUND
 */
export const measureProject = async (db: Db, tenant: Tenant, id: string): Promise<ProjectSize> => {
  await getProject(db, tenant, id)
  const [size] = await db<[ProjectSize]>`
    SELECT a.*, k.*, g.* FROM
      (SELECT count(*) AS articles, count(*) FILTER (WHERE status = 'PUBLISHED') AS published
        FROM (SELECT status FROM articles WHERE project_id = ${id} LIMIT ${MEASURED_MAX}) a) a,
      (SELECT count(*) AS keywords FROM (
        SELECT FROM keywords WHERE project_id = ${id} AND deleted_at IS NULL LIMIT ${MEASURED_MAX}) k) k,
      (SELECT count(*) AS generations
        FROM (SELECT FROM generations WHERE project_id = ${id} LIMIT ${MEASURED_MAX}) g) g`
  return size
}

/**
 * Changes the members that are named, also within `brief` (contract 6.25); without a difference it writes nothing.
 * `check` gets the project before the change, and rejects it by throwing.
 * @throws {DomainError} NOT_FOUND
 */
export const updateProject = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
  requested: TypeOf<typeof ProjectChanges>,
  check: (before: Project) => void = () => {},
): Promise<Project> => {
  const { brief, ...members } = withTimeZone(requested)
  const before = await lockProject(tx, tenant, id)
  check(before)
  const after = { ...before, ...members, brief: { ...before.brief, ...brief } }
  if (isDeepStrictEqual(after, before)) return before
  const dueAt = rescheduled(before, after)
  const [row] = await tx<ProjectRow[]>`
    UPDATE projects SET ${tx({
      ...members,
      ...(brief !== undefined && { brief: after.brief }),
      ...(dueAt === null && { rank_due_at: null }),
    })}, updated_at = clock_timestamp()
      ${dueAt ? tx`, rank_due_at = greatest(${dueAt}, rank_run_at + make_interval(secs => ${RUN_INTERVAL_S}))` : tx``}
    WHERE id = ${id} AND deleted_at IS NULL RETURNING *`
  if (row === undefined) throw notFound('project', id)
  return toProject(row)
}

/** Seconds from a scheduled run to the next, however often the schedule is changed: searches cost money. */
const RUN_INTERVAL_S = 3_600

/**
 * When a project is checked next, if a change affects it; null for never. With its first domain, which makes its keywords trackable, it
 * is due at once.
 */
const rescheduled = (
  before: Omit<Project, 'brief'>,
  after: Omit<Project, 'brief'>,
): Date | null | undefined => {
  const now = new Date()
  if (after.rank_schedule !== before.rank_schedule || after.time_zone !== before.time_zone)
    return nextRankRunAt(after, now)
  const isFirstDomain = before.domain === null && after.domain !== null
  return isFirstDomain && after.rank_schedule !== 'off' ? now : undefined
}

const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  domain: row.domain,
  language: row.language,
  domain_match: row.domain_match,
  rank_schedule: row.rank_schedule,
  time_zone: row.time_zone,
  next_rank_run_at:
    row.mode === 'live' && row.domain !== null && row.rank_schedule !== 'off'
      ? (row.rank_due_at?.toISOString() ?? null)
      : null,
  style_guide: row.style_guide,
  brief: resolveBrief({}, row.brief),
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
  updated_at: (row.updated_at ?? row.created_at).toISOString(),
})
