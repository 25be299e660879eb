import { expect, test } from 'bun:test'
import { createKeyword } from '../../src/content/keywords/store'
import { createProject } from '../../src/content/projects/store'
import { BATCH_SIZE } from '../../src/content/rankings/policy'
import { rankScheduleId } from '../../src/content/rankings/schedule'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'

const KEYWORDS = 4 * BATCH_SIZE
const IN_FLIGHT = 16

const source = useReceiver(async () => {
  await Bun.sleep(30)
  return Response.json({ position: 1 })
})
const arden = await useArden(
  {},
  { ARDEN_SERP_URL: source.url, ARDEN_SERP_IN_FLIGHT: `${IN_FLIGHT}` },
)
const temporal = await useTemporal(arden.env)

test('a worker that is killed during a run repeats no finished keyword, and the run ends', async () => {
  const caller = await createCaller(arden.sql)
  await arden.sql.begin(async tx => {
    const project = await createProject(tx, caller, { name: 'p', domain: 'blog.acme.com' })
    for (let n = 0; n < KEYWORDS; n++)
      await createKeyword(tx, caller, project.id, { keyword: `k${n}` })
  })
  const doomed = await spawnArden('worker', arden.env)
  const schedule = temporal.client.schedule.getHandle(
    rankScheduleId(arden.env.ARDEN_TASK_QUEUE ?? ''),
  )
  await until('the schedule exists', () => schedule.describe().catch(() => undefined))
  await arden.sql`UPDATE projects SET rank_due_at = now() - interval '1 second'`
  await schedule.trigger()
  await until('half is searched', () => source.received.length > KEYWORDS / 2)
  await doomed.kill('SIGKILL')
  const stored = await arden.sql`SELECT FROM rankings`
  expect(stored.length).toBeGreaterThan(0)

  const heir = await spawnArden('worker', arden.env)
  await until(
    'the run has ended',
    async () => {
      const rows = await arden.sql`SELECT * FROM rank_runs WHERE finished_at IS NOT NULL`
      return rows.length === 1 && rows
    },
    120,
  )
  const [row] = await arden.sql`SELECT * FROM rank_runs`
  expect(row).toMatchObject({ keywords: KEYWORDS, ranked: KEYWORDS, failed: 0, problem: null })
  const rankings = await arden.sql`SELECT count(*)::int FROM rankings GROUP BY keyword_id`
  expect(rankings.map(({ count }) => count)).toEqual(Array.from({ length: KEYWORDS }, () => 1))
  // Only the searches that the kill interrupted were made twice.
  expect(source.received.length).toBeLessThanOrEqual(KEYWORDS + IN_FLIGHT)
  await heir.kill('SIGTERM')
}, 240_000)
