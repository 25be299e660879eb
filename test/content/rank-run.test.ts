import { beforeEach, expect, test } from 'bun:test'
import { MockActivityEnvironment } from '@temporalio/testing'
import { Worker } from '@temporalio/worker'
import { createRankingActivities } from '../../activities/track-rankings'
import { readConfig } from '../../src/config'
import { createKeyword } from '../../src/content/keywords/store'
import { createProject } from '../../src/content/projects/store'
import { BATCH_ATTEMPTS, BATCH_SIZE, MAX_EMPTY_BATCHES } from '../../src/content/rankings/policy'
import { createSerpProvider } from '../../src/content/rankings/serp-provider'
import { createLog } from '../../src/log'
import { workflowBundle } from '../../src/temporal/bundle'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { testEnvironment } from '../support/environment'
import { useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'

/** The real workflow and activity; only the tries before a batch's last are left out, 12 minutes of it. */

/** Keywords for which the provider never has a result. */
let isMute: (keyword: string) => boolean

const TASK_QUEUE = 'rank-run'

const source = useReceiver(one =>
  isMute(JSON.parse(one.body).keyword)
    ? new Response('no', { status: 503 })
    : Response.json({ position: 1 }),
)
const arden = await useArden({})
const temporal = await useTemporal(arden.env)
beforeEach(async () => {
  for (const table of ['rankings', 'keywords', 'projects', 'events'])
    await arden.sql`DELETE FROM ${arden.sql(table)}`
})

/** Four full batches, k000 to k199, in the order of their ids. */
const addKeywords = async () => {
  const caller = await createCaller(arden.sql)
  await arden.sql.begin(async tx => {
    const project = await createProject(tx, caller, { name: 'p', domain: 'blog.acme.com' })
    for (let n = 0; n < 4 * BATCH_SIZE; n++)
      await createKeyword(tx, caller, project.id, { keyword: `k${String(n).padStart(3, '0')}` })
  })
}

const run = async () => {
  const log = createLog(readConfig(arden.env))
  const serpProvider = createSerpProvider({ serpUrl: source.url, serpApiKey: undefined })
  const { trackRankingsBatch } = createRankingActivities({
    sql: arden.sql,
    log,
    serpProvider,
    committed: () => {},
    publishChange: () => {},
  })
  const worker = await Worker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(testEnvironment().workflowBundle),
    activities: {
      trackRankingsBatch: (batch: Parameters<typeof trackRankingsBatch>[0]) =>
        new MockActivityEnvironment({ attempt: BATCH_ATTEMPTS }).run(trackRankingsBatch, batch),
    },
  })
  return await worker.runUntil(
    temporal.client.workflow.execute('trackRankings', {
      taskQueue: TASK_QUEUE,
      workflowId: `rank-run-${crypto.randomUUID()}`,
    }),
  )
}

test('a batch without any response does not stop those after it', async () => {
  await addKeywords()
  isMute = keyword => keyword < `k${String(2 * BATCH_SIZE).padStart(3, '0')}`
  expect(await run()).toMatchObject({ ranked: 2 * BATCH_SIZE, failed: 2 * BATCH_SIZE })
})

test('after several of them in a row the run fails, and says why', async () => {
  await addKeywords()
  isMute = () => true
  source.received.length = 0
  const error = await run().catch(error => error)
  expect(error.cause.message).toBe(
    `${new URL(source.url).host} returned no result for ${BATCH_SIZE} of ${BATCH_SIZE} keywords: it responded with 503. The run ends, with 0 keywords ranked; the next one begins tomorrow.`,
  )
  expect(source.received.length).toBeLessThan(MAX_EMPTY_BATCHES * BATCH_SIZE)
})
