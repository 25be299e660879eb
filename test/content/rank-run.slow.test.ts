import { beforeEach, describe, expect, test } from 'bun:test'
import { MockActivityEnvironment } from '@temporalio/testing'
import { Worker } from '@temporalio/worker'
import pino from 'pino'
import { createRankingActivities } from '../../activities/track-rankings'
import { createKeyword } from '../../src/content/keywords/store'
import { createProject } from '../../src/content/projects/store'
import {
  BATCH_ATTEMPTS,
  BATCH_SIZE,
  CONCURRENT_SEARCHES,
  MAX_EMPTY_BATCHES,
} from '../../src/content/rankings/policy'
import { createSerpProvider } from '../../src/content/rankings/serp/selection'
import { workflowBundle } from '../../src/temporal/bundle'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { limiterDeps } from '../support/content/limiter-deps'
import { testEnvironment } from '../support/environment'
import { useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'

/** The real workflows and activities; only the tries before a batch's last are left out, 12 minutes of it. */

let respond: (keyword: string) => Response | Promise<Response>

const TASK_QUEUE = 'rank-run'
const SHARDS = 4
/** Of a search, in US dollars. */
const PRICE = 0.01
const KEYWORDS = SHARDS * BATCH_SIZE

const source = useReceiver(one => respond(JSON.parse(one.body).keyword))
const { host } = new URL(source.url)
const found = () => Response.json({ position: 1 })
const arden = await useArden({})
const temporal = await useTemporal(arden.env)

const warnings: string[] = []
const log = pino(
  { level: 'warn' },
  { write: (line: string) => warnings.push(JSON.parse(line).msg) },
)

beforeEach(async () => {
  for (const table of ['rankings', 'keywords', 'projects', 'events', 'rank_runs'])
    await arden.sql`DELETE FROM ${arden.sql(table)}`
  source.received.length = 0
  warnings.length = 0
  respond = found
  const caller = await createCaller(arden.sql)
  await arden.sql.begin(async tx => {
    const project = await createProject(tx, caller, { name: 'p', domain: 'blog.acme.com' })
    for (let n = 0; n < KEYWORDS; n++)
      await createKeyword(tx, caller, project.id, { keyword: keyword(n) })
  })
})

/** In the order of their ids. */
const keyword = (n: number) => `k${String(n).padStart(3, '0')}`
const searched = () => source.received.map(one => JSON.parse(one.body).keyword).sort()
const runs = () => arden.sql`SELECT * FROM rank_runs ORDER BY started_at`

type Options = {
  workflow?: string
  serpInFlight?: number
  /** Changes the code of the workflows. */
  edit?: (code: string) => string
  meanwhile?: () => Promise<unknown>
  /** Since when the project is due. */
  dueAt?: Date
}

const run = async ({
  workflow = 'runRankTracking',
  serpInFlight = SHARDS * CONCURRENT_SEARCHES,
  edit = code => code,
  meanwhile,
  dueAt = new Date(Date.now() - 1000),
}: Options = {}) => {
  const serpProvider = createSerpProvider(
    {
      serp: { provider: 'http', url: source.url, apiKey: undefined, priceUsd: PRICE, depth: 100 },
      serpInFlight,
    },
    limiterDeps,
  )
  const activities = createRankingActivities({
    sql: arden.sql,
    log,
    serpProvider,
    serpInFlight,
    committed: () => {},
    publishChange: () => {},
  })
  const { code } = await workflowBundle(testEnvironment().workflowBundle)
  const worker = await Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { code: edit(code) },
    activities: {
      ...activities,
      trackRankingsBatch: (batch: Parameters<typeof activities.trackRankingsBatch>[0]) =>
        new MockActivityEnvironment({ attempt: BATCH_ATTEMPTS }).run(
          activities.trackRankingsBatch,
          batch,
        ),
    },
  })
  await arden.sql`UPDATE projects SET rank_due_at = ${dueAt}`
  return await worker.runUntil(async () => {
    const handle = await temporal.client.workflow.start(workflow, {
      taskQueue: TASK_QUEUE,
      workflowId: `rank-run-${crypto.randomUUID()}`,
    })
    await meanwhile?.()
    return await handle.result()
  })
}
const failure = async (options?: Options): Promise<string> => {
  const error = await run(options).catch(error => error)
  return error.cause.message
}

describe('a run', () => {
  test('has shards that search at the same time, and searches each keyword once', async () => {
    let inFlight = 0
    let most = 0
    respond = async () => {
      most = Math.max(most, ++inFlight)
      await Bun.sleep(20)
      inFlight--
      return found()
    }
    expect(await run()).toMatchObject({ ranked: KEYWORDS, failed: 0 })
    expect(searched()).toEqual(Array.from({ length: KEYWORDS }, (_, n) => keyword(n)))
    expect(most).toBeWithin(CONCURRENT_SEARCHES + 1, SHARDS * CONCURRENT_SEARCHES + 1)
    expect(await runs()).toMatchObject([
      {
        keywords: KEYWORDS,
        ranked: KEYWORDS,
        failed: 0,
        unranked: 0,
        missed_days: 0,
        problem: null,
        finished_at: expect.any(Date),
      },
    ])
    expect(warnings).toEqual([])
  })

  test.each([1, 6])('has at most ARDEN_SERP_IN_FLIGHT searches in flight: %d', async max => {
    let inFlight = 0
    let most = 0
    respond = async () => {
      most = Math.max(most, ++inFlight)
      await Bun.sleep(2)
      inFlight--
      return found()
    }
    expect(await run({ serpInFlight: max })).toMatchObject({ ranked: KEYWORDS })
    expect(most).toBeLessThanOrEqual(max)
  })

  test('that gets a 429 waits, and no keyword fails for it', async () => {
    let refused = 0
    respond = word =>
      word === keyword(KEYWORDS - 5) && refused++ < 1
        ? new Response('too many', { status: 429, headers: { 'retry-after': '1' } })
        : found()
    expect(await run()).toMatchObject({ ranked: KEYWORDS, failed: 0 })
    expect(refused).toBe(2)
  }, 120_000)

  test('without a response for some batches goes on with the others', async () => {
    respond = word => (word < keyword(BATCH_SIZE) ? new Response('no', { status: 503 }) : found())
    expect(await run({ serpInFlight: 1 })).toMatchObject({
      ranked: KEYWORDS - BATCH_SIZE,
      failed: BATCH_SIZE,
    })
  })

  test('without any response fails, says why, and records what it did not check', async () => {
    respond = () => new Response('no', { status: 503 })
    expect(await failure()).toBe(
      `${host} returned no result for ${BATCH_SIZE} of ${BATCH_SIZE} keywords: it responded with 503. The run ends, with 0 keywords ranked and ${KEYWORDS} without a new ranking; these are tried again in an hour.`,
    )
    const [row] = await runs()
    expect(row).toMatchObject({
      ranked: 0,
      failed: KEYWORDS,
      problem: expect.stringContaining('503'),
    })
    expect(warnings.at(-1)).toContain(`ended, and ${KEYWORDS} keywords have no new ranking.`)
  })

  test('whose API key is refused ends at once, and records the keywords that it did not check', async () => {
    respond = () => new Response('no', { status: 401 })
    expect(await failure()).toBe(
      `${host} refused the API key: it responded with 401. Check ARDEN_SERP_API_KEY. The run ends, with 0 keywords ranked and ${KEYWORDS} without a new ranking; these are tried again in an hour.`,
    )
    expect(await runs()).toMatchObject([{ unranked: KEYWORDS, problem: expect.any(String) }])
    expect(warnings.at(-1)).toContain(`ended, and ${KEYWORDS} keywords have no new ranking.`)
    expect(source.received.length).toBeLessThanOrEqual(SHARDS * CONCURRENT_SEARCHES)
  })

  test('whose provider has no credit ends at once, and says what to do; nothing is charged', async () => {
    respond = () => new Response('Payment required: top up', { status: 402 })
    expect(await failure()).toContain(
      `${host} makes no more searches for this account: it responded with 402. Add credit there, or raise its limit.`,
    )
    expect(await runs()).toMatchObject([{ unranked: KEYWORDS, searches: 0, cost_usd: '0.000000' }])
  })

  test('records what its searches cost', async () => {
    expect(await run()).toMatchObject({ ranked: KEYWORDS })
    const usd = (KEYWORDS * PRICE).toFixed(6)
    expect(await runs()).toMatchObject([{ searches: KEYWORDS, cost_usd: usd }])
  })

  test('that takes longer than a day is recorded and logged while it goes on', async () => {
    const gate = Promise.withResolvers<void>()
    respond = async word => {
      if (word === keyword(3)) await gate.promise
      return found()
    }
    const isLate = async () => ((await runs())[0]?.unranked ?? 0) > 0
    // A day of a second.
    const edit = (code: string) => {
      const day = '24 * 3600000'
      expect(code).toContain(`RUN_LATE_MS = ${day}`)
      return code.replace(`RUN_LATE_MS = ${day}`, 'RUN_LATE_MS = 1000')
    }
    const result = await run({
      edit,
      meanwhile: async () => {
        await until('it is late', isLate)
        expect(await runs()).toMatchObject([{ finished_at: null }])
        gate.resolve()
      },
    })
    expect(result).toMatchObject({ ranked: KEYWORDS })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(
      /has taken a day, and \d+ keywords have no new ranking\. It goes on/,
    )
    expect(await runs()).toMatchObject([{ unranked: 0, finished_at: expect.any(Date) }])
  })

  test('reports the days for which projects were due, and a run before it that has no end', async () => {
    await arden.sql`
      INSERT INTO rank_runs (started_at, keywords) VALUES ('2026-01-01T04:00:00Z', 7)`
    await run({ dueAt: new Date(Date.now() - 3.5 * 86_400_000) })
    expect(await runs()).toMatchObject([
      { problem: 'Its workflow ended before its last keyword.', unranked: 0 },
      { missed_days: 3, problem: null },
    ])
    expect(warnings.map(text => text.slice(0, 80))).toEqual([
      expect.stringContaining('The rank tracking that began at'),
      expect.stringContaining('There was no rank tracking for 3 days before'),
    ])
  })
})

test('a run that a version without shards started goes on, one batch after the other', async () => {
  respond = word => (word < keyword(2 * BATCH_SIZE) ? new Response('no', { status: 503 }) : found())
  expect(await run({ workflow: 'trackRankings' })).toMatchObject({
    ranked: 2 * BATCH_SIZE,
    failed: 2 * BATCH_SIZE,
  })
  source.received.length = 0
  respond = () => new Response('no', { status: 503 })
  expect(await failure({ workflow: 'trackRankings' })).toContain('it responded with 503')
  expect(source.received.length).toBeLessThan(MAX_EMPTY_BATCHES * BATCH_SIZE)
})
