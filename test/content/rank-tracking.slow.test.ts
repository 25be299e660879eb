import { describe, expect, test } from 'bun:test'
import { BATCH_SIZE, BATCHES_PER_RUN } from '../../src/content/rankings/policy'
import { rankSchedule, rankScheduleId } from '../../src/content/rankings/schedule'
import { ensureSchedule } from '../../src/temporal/schedule'
import { startArden, useArden } from '../support/arden'
import { startReceiver, useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'

type Responder = (search: { keyword: string }, count: number) => Response | Promise<Response>

let respond: Responder

const source = useReceiver(one => respond(JSON.parse(one.body), source.received.length))
const arden = await useArden(
  { serve: true, worker: true },
  {
    ARDEN_SERP_URL: `${source.url}/?t=token`,
    ARDEN_SERP_API_KEY: 'secret',
    ARDEN_SERP_IN_FLIGHT: '4',
  },
)
const live = await arden.client()
const temporal = await useTemporal(arden.env)

const schedule = (taskQueue = arden.env.ARDEN_TASK_QUEUE ?? '') =>
  temporal.client.schedule.getHandle(rankScheduleId(taskQueue))

const makeDue = () => arden.sql`UPDATE projects SET rank_due_at = now() - interval '1 second'`

/** Runs it now, for all projects. The handle follows the run into its fresh histories. */
const trigger = async (handle = schedule()) => {
  await makeDue()
  const runs = async () => {
    const description = await handle.describe().catch(() => undefined)
    return description?.info.recentActions.map(one => one.action.workflow)
  }
  const before = (await until('the schedule is there', runs)).map(one => one.firstExecutionRunId)
  // Without a policy, a trigger neither waits for a run nor counts as one.
  await handle.trigger((await handle.describe()).policies.overlap)
  const { workflowId, firstExecutionRunId } = await until('the run starts', async () =>
    (await runs())?.find(one => !before.includes(one.firstExecutionRunId)),
  )
  return {
    first: temporal.client.workflow.getHandle(workflowId, firstExecutionRunId, {
      followRuns: false,
    }),
    result: () => temporal.client.workflow.result(workflowId, firstExecutionRunId),
  }
}

/** The workflow of the first part of a run. */
const shard = ({ first }: Awaited<ReturnType<typeof trigger>>) =>
  temporal.client.workflow.getHandle(`${first.workflowId}/1`)

const newProject = async () =>
  (await live.post('/projects', { name: 'p', domain: 'blog.acme.com' })).body.data.id

describe('the rank tracker', () => {
  test('is a schedule that runs every quarter of an hour, after its last run; a paused one stays paused', async () => {
    const { spec, policies, action } = await until('it is there', () =>
      schedule()
        .describe()
        .catch(() => undefined),
    )
    expect(spec.intervals).toMatchObject([{ every: 15 * 60_000 }])
    expect(policies.overlap).toBe('BUFFER_ONE')
    expect(action).toMatchObject({ workflowType: 'runRankTracking' })
    const taskQueue = arden.env.ARDEN_TASK_QUEUE ?? ''
    await schedule().pause('for a test')
    const daily = rankSchedule(taskQueue)
    await Promise.all([1, 2, 3].map(() => ensureSchedule(temporal.client, daily, { keep: false })))
    expect((await schedule().describe()).state.paused).toBe(true)
    await schedule().unpause()
  })

  test('searches each tracked keyword, stores its ranking and fires keyword.ranked', async () => {
    const receiver = startReceiver()
    const webhook = await live.post('/webhooks', { url: receiver.url, events: ['keyword.ranked'] })
    const project = await newProject()
    const { id } = (await live.post(`/projects/${project}/keywords`, { keyword: 'a' })).body.data
    await live.post(`/projects/${project}/keywords`, { keyword: 'bad' })
    await live.post(`/keywords/${id}/rankings`, { position: 9 })
    await until('the first arrives', () => receiver.received.length === 1)
    // The source is away at first: the batch is tried again after 5 s.
    respond = ({ keyword }, count) =>
      keyword === 'bad'
        ? new Response('?')
        : count <= 2
          ? new Response('away', { status: 500 })
          : Response.json({ position: 3, url: 'https://blog.acme.com/a' })
    const run = await trigger()
    expect(await run.result()).toEqual({
      message: '1 keywords have a new ranking, 1 got no usable result.',
      ranked: 1,
      failed: 1,
    })
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(3)
    await until('the second arrives', () => receiver.received.length === 2)
    expect(JSON.parse(receiver.received[1]?.body ?? '').data).toEqual({
      keyword_id: id,
      project_id: project,
      keyword: 'a',
      position: 3,
      previous_position: 9,
      url: 'https://blog.acme.com/a',
      checked_at: expect.any(String),
    })
    const history = JSON.stringify(await shard(run).fetchHistory())
    expect(history).toContain('returned no result for 1 of 2 keywords: it responded with 500')
    expect(history).not.toContain('token')
    // What follows ranks a thousand keywords, each of which would be three attempts.
    await live.delete(`/webhooks/${webhook.body.data.id}`)
    receiver.stop()
  })

  test('a source that refuses our key fails the run with words that say what to do', async () => {
    respond = () => new Response('who are you?', { status: 401 })
    const error = await (await trigger()).result().catch(error => error)
    expect(error.cause.message).toContain(
      `${new URL(source.url).host} refused the API key: it responded with 401. Check ARDEN_SERP_API_KEY. The run ends`,
    )
  })

  test('many keywords: a shard goes on with a fresh history, and each keyword gets one ranking', async () => {
    const project = await newProject()
    // So many that the one shard continues as new.
    const count = BATCH_SIZE * BATCHES_PER_RUN + 1
    await arden.sql`UPDATE keywords SET tracked = false`
    await arden.sql`
      INSERT INTO keywords
        (id, account_id, mode, project_id, keyword, folded, tracked, country, device)
      SELECT 'kw_' || lpad(n::text, 26, '0'), ${arden.accountId}, 'live', ${project},
        'k' || n, 'k' || n, true, 'US', 'desktop' FROM generate_series(1, ${count}) n`
    respond = () => Response.json({ position: 1 })
    source.received.length = 0
    const run = await trigger()
    expect(await run.result()).toMatchObject({ ranked: count, failed: 0 })
    expect(source.received).toHaveLength(count)
    const [rankings] = await arden.sql`
      SELECT count(DISTINCT keyword_id)::int FROM rankings r
      JOIN keywords k ON k.id = keyword_id WHERE k.project_id = ${project}`
    expect(rankings).toEqual({ count })
    const { runId, raw, historyLength } = await shard(run).describe()
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(runId)
    expect(historyLength).toBeLessThan(200)
    await arden.sql`UPDATE keywords SET tracked = false`
  })

  test('a run that is due while the last one goes on begins when that ends, and is not skipped', async () => {
    const project = await newProject()
    await live.post(`/projects/${project}/keywords`, { keyword: 'slow' })
    const gate = Promise.withResolvers<void>()
    respond = async () => {
      await gate.promise
      return Response.json({ position: 1 })
    }
    source.received.length = 0
    const first = await trigger()
    await until('it searches', () => source.received.length === 1)
    const { policies } = await schedule().describe()
    await makeDue()
    await schedule().trigger(policies.overlap)
    // One trigger alone: of two that arrive together, Temporal's scheduler keeps the last.
    await until('the second run waits', async () => {
      return Number((await schedule().describe()).raw.info?.bufferSize) === 1
    })
    gate.resolve()
    expect(await first.result()).toMatchObject({ ranked: 1 })
    await until('both have searched', () => source.received.length === 2)
    await until('both are recorded', async () => {
      const rows = await arden.sql`
        SELECT FROM rank_runs WHERE finished_at IS NOT NULL AND ranked = 1 AND keywords = 1`
      return rows.length === 2
    })
    await arden.sql`UPDATE keywords SET tracked = false`
  })

  test('without a source the run does nothing and says so', async () => {
    const alone = await startArden({ worker: true })
    const run = await trigger(schedule(alone.env.ARDEN_TASK_QUEUE))
    expect(await run.result()).toEqual({
      message:
        'No SERP provider is configured, so no keyword was checked. Set ARDEN_SERP_PROVIDER and ARDEN_SERP_API_KEY to track rankings.',
      ranked: 0,
      failed: 0,
    })
    await alone.stop()
  })
})
