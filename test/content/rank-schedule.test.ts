import { beforeEach, describe, expect, test } from 'bun:test'
import type { Caller } from '../../src/caller'
import { createKeyword, updateKeyword } from '../../src/content/keywords/store'
import type { RankSchedule } from '../../src/content/projects/schema'
import { createProject, getProject, updateProject } from '../../src/content/projects/store'
import { beginRankRun, endRankRun } from '../../src/content/rankings/runs'
import { recordRanking } from '../../src/content/rankings/store'
import { createLog } from '../../src/log'
import { createCaller } from '../support/caller'
import { useDatabase } from '../support/database'

/** When the keywords of a project are checked (contract 6.20). */

const { sql } = await useDatabase()
const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
let caller: Caller

beforeEach(async () => {
  for (const table of ['rankings', 'keywords', 'projects', 'events', 'rank_runs'])
    await sql`DELETE FROM ${sql(table)}`
  caller = await createCaller(sql)
})

type Options = { schedule?: RankSchedule; zone?: string; domain?: string | null; words?: string[] }

const add = ({
  schedule = 'daily',
  zone = 'UTC',
  domain = 'acme.com',
  words = ['a'],
}: Options = {}) =>
  sql.begin(async tx => {
    const input = { name: 'p', domain, rank_schedule: schedule, time_zone: zone }
    const { id } = await createProject(tx, caller, input)
    const keywords: string[] = []
    for (const keyword of words)
      keywords.push((await createKeyword(tx, caller, id, { keyword })).id)
    return { id, keywords }
  })
const setDue = (id: string, at: string) =>
  sql`UPDATE projects SET rank_due_at = ${at} WHERE id = ${id}`
const dueAt = async (id: string) => (await getProject(sql, caller, id)).next_rank_run_at
/** The accounts whose dashboards are notified. */
const changed: string[] = []
const addChanged = (accounts: readonly string[]) => {
  changed.push(...accounts)
}
const begin = (run: string) => beginRankRun(sql, run, 16, log, addChanged)
const end = (run: string, problem: string | null = null) =>
  endRankRun(sql, run, { ranked: 0, failed: 0, problem }, log, addChanged)
/** What the run did for each project. */
const projectRuns = () => sql`
  SELECT project_id, status, keywords, ranked, failed, error_code FROM project_rank_runs ORDER BY id`
/** As if the run had ranked the keyword. */
const rank = (id: string, run: string) =>
  sql.begin(async tx => {
    await tx`UPDATE keywords SET rank_run_at = ${run} WHERE id = ${id}`
    await recordRanking(tx, caller, id, { position: 1 })
  })

test('a run takes the projects that are due, each by its schedule and time zone', async () => {
  const utc = await add()
  const berlin = await add({ zone: 'Europe/Berlin', words: ['a', 'b'] })
  const weekly = await add({ schedule: 'weekly' })
  await setDue(utc.id, '2026-02-02T04:00:00Z')
  await setDue(berlin.id, '2026-02-02T03:00:00Z')
  await setDue(weekly.id, '2026-02-02T04:00:00Z')

  expect((await begin('2026-02-02T03:00:00.000Z')).shards).toHaveLength(1)
  expect(await projectRuns()).toMatchObject([
    { project_id: berlin.id, status: 'RUNNING', keywords: 2 },
  ])
  expect(await dueAt(berlin.id)).toBe('2026-02-03T03:00:00.000Z')
  await end('2026-02-02T03:00:00.000Z')

  await begin('2026-02-02T04:00:00.000Z')
  expect((await projectRuns()).map(row => row.project_id).sort()).toEqual(
    [berlin.id, utc.id, weekly.id].sort(),
  )
  expect(await dueAt(utc.id)).toBe('2026-02-03T04:00:00.000Z')
  expect(await dueAt(weekly.id)).toBe('2026-02-09T04:00:00.000Z')
})

test('the accounts of a run are notified when it begins and when it ends, others are not', async () => {
  const other = caller
  await setDue((await add()).id, '2026-02-03T04:00:00Z')
  caller = await createCaller(sql)
  for (const { id } of [await add(), await add()]) await setDue(id, '2026-02-02T04:00:00Z')
  changed.length = 0
  await begin('2026-02-02T04:00:00.000Z')
  expect(changed).toEqual([caller.accountId])
  await end('2026-02-02T04:00:00.000Z', 'refused')
  expect(changed).toEqual([caller.accountId, caller.accountId])
  expect(changed).not.toContain(other.accountId)
})

test('where no project is due, nothing is recorded; a second call of the same run changes nothing', async () => {
  const { id } = await add()
  await setDue(id, '2026-02-02T04:00:00Z')
  expect((await begin('2026-02-02T03:45:00.000Z')).shards).toEqual([])
  expect(await sql`SELECT FROM rank_runs`).toHaveLength(0)
  const plan = await begin('2026-02-02T04:00:00.000Z')
  expect(await begin('2026-02-02T04:00:00.000Z')).toEqual(plan)
  expect(await projectRuns()).toHaveLength(1)
})

test('projects that are off, in test mode, without a domain or without a tracked keyword are in no run', async () => {
  const off = await add({ schedule: 'off' })
  expect(await dueAt(off.id)).toBeNull()
  const without = await add({ domain: null })
  expect(await dueAt(without.id)).toBeNull()
  const untracked = await add()
  await sql.begin(tx => updateKeyword(tx, caller, untracked.keywords[0] ?? '', { tracked: false }))
  const empty = await add({ words: [] })
  caller = { ...caller, mode: 'test' }
  const test = await add()
  for (const { id } of [off, without, untracked, empty, test])
    await setDue(id, '2026-02-02T04:00:00Z')
  expect((await begin('2026-02-02T04:00:00.000Z')).shards).toEqual([])
})

describe('a run that ended early', () => {
  const FIRST = '2026-02-02T04:00:00.000Z'

  test('is repeated an hour later, for the keywords that it did not check', async () => {
    const { id, keywords } = await add({ words: ['a', 'b'] })
    const other = await add()
    for (const project of [id, other.id]) await setDue(project, FIRST)
    await begin(FIRST)
    await rank(keywords[0] ?? '', FIRST)
    await rank(other.keywords[0] ?? '', FIRST)
    await sql`UPDATE projects SET rank_due_at = now() + interval '1 day'`
    expect(await end(FIRST, 'Refused.')).toBe(1)
    expect(await projectRuns()).toMatchObject([
      {
        project_id: id,
        status: 'FAILED',
        ranked: 1,
        failed: 1,
        error_code: 'provider_unavailable',
      },
      { project_id: other.id, status: 'COMPLETED', ranked: 1, failed: 0, error_code: null },
    ])
    const wait = Date.parse((await dueAt(id)) ?? '') - Date.now()
    expect(wait).toBeWithin(3_500_000, 3_600_001)
    expect(Date.parse((await dueAt(other.id)) ?? '') - Date.now()).toBeGreaterThan(80_000_000)

    const second = new Date(Date.now() + 3_601_000).toISOString()
    await begin(second)
    expect((await projectRuns()).at(-1)).toMatchObject({ project_id: id, keywords: 1 })
    await rank(keywords[1] ?? '', second)
    await end(second)
    expect((await projectRuns()).at(-1)).toMatchObject({
      status: 'COMPLETED',
      ranked: 1,
      failed: 0,
    })
  })
})

test('a change of schedule or time zone sets the next run, and so does the first domain', async () => {
  const { id } = await add({ domain: null })
  const change = (changes: Parameters<typeof updateProject>[3]) =>
    sql.begin(tx => updateProject(tx, caller, id, changes))
  const { next_rank_run_at: first } = await change({ domain: 'acme.com' })
  expect(Date.parse(first ?? '')).toBeWithin(Date.now() - 60_000, Date.now() + 1_000)
  const { next_rank_run_at: later } = await change({ time_zone: 'Asia/Tokyo' })
  expect(later).toMatch(/T19:00:00\.000Z$/)
  const { next_rank_run_at: monday } = await change({ rank_schedule: 'weekly' })
  expect(new Date(monday ?? '').getUTCDay()).toBe(0)
  expect((await change({ rank_schedule: 'off' })).next_rank_run_at).toBeNull()
})

test('changes of domain, schedule and time zone make no scheduled run within an hour of the last', async () => {
  const { id } = await add()
  const [run] = await sql<[{ at: Date }]>`
    UPDATE projects SET rank_run_at = clock_timestamp() WHERE id = ${id} RETURNING rank_run_at AS at`
  const earliest = run.at.getTime() + 3_600_000
  const change = (changes: Parameters<typeof updateProject>[3]) =>
    sql.begin(tx => updateProject(tx, caller, id, changes))
  await change({ domain: null })
  const { next_rank_run_at: again } = await change({ domain: 'acme.com' })
  expect(Date.parse(again ?? '')).toBe(earliest)
  // In one of these it is 04:00 within the hour.
  for (let offset = -12; offset <= 12; offset++) {
    const zone = `Etc/GMT${offset < 0 ? offset : `+${offset}`}`
    const { next_rank_run_at } = await change({ time_zone: zone })
    expect(Date.parse(next_rank_run_at ?? '')).toBeGreaterThanOrEqual(earliest)
  }
})
