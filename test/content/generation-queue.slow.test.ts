import { afterEach, describe, expect, test } from 'bun:test'
import { generationOutbox, generationWorkflowId } from '../../src/content/generations/outbox'
import { createReconciler } from '../../src/outbox/reconciliation'
import { good, useGenerating } from '../support/content/generations'
import { streamed } from '../support/content/llm'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Two slots for deliveries and two for generations, and a language model that does not respond until `release`. */

const {
  arden,
  live,
  temporal,
  llm,
  respond,
  newKeyword,
  generate,
  get,
  reaches,
  eventsOf,
  workflow,
  ends,
} = await useGenerating({ ARDEN_IN_FLIGHT: '2', ARDEN_GENERATIONS_IN_FLIGHT: '2' })

const block = () => {
  const gate = Promise.withResolvers<void>()
  respond(() => streamed(['# Cold brew\n\n', { hold: gate.promise }, 'The end.']))
  return gate.resolve
}
let release = () => {}
afterEach(() => {
  release()
  respond(good)
})

/** Starts `count` generations, and waits until as many as have a slot write. */
const burst = async (count: number) => {
  release = block()
  const before = llm.requests.length
  const generations = []
  for (let n = 0; n < count; n++) generations.push(await generate())
  await until('two of them write', () => llm.requests.length === before + 2)
  return { generations, before }
}

describe('a burst of generations', () => {
  test('holds no delivery slot: a webhook gets its event meanwhile', async () => {
    const receiver = startReceiver()
    await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
    const { generations } = await burst(5)
    const { project_id } = generations[0]
    await live.post('/articles', { project_id, title: 'Written by hand' })
    await until('it arrives', () => receiver.received.length > 0)
    expect(JSON.parse(receiver.received[0]?.body ?? '').data.title).toBe('Written by hand')
    release()
    for (const { id } of generations) await reaches(id, 'COMPLETED')
    receiver.stop()
  })

  test('is written as many at a time as the setting says; the others stay QUEUED', async () => {
    const { generations, before } = await burst(5)
    const states = await until('every workflow has been started', async () => {
      const due = await arden.sql`SELECT FROM generations WHERE due_at IS NOT NULL`
      return (
        due.length === 0 && (await Promise.all(generations.map(async ({ id }) => await get(id))))
      )
    })
    expect(states.map(({ status }) => status).sort()).toEqual([
      'QUEUED',
      'QUEUED',
      'QUEUED',
      'RUNNING',
      'RUNNING',
    ])
    for (const state of states) {
      const isQueued = state.status === 'QUEUED'
      expect(state.started_at).toEqual(isQueued ? null : expect.any(String))
      expect(await eventsOf(state)).toEqual(isQueued ? [] : ['generation.started'])
    }
    expect(llm.requests.length).toBe(before + 2)
    release()
    for (const { id } of generations) await reaches(id, 'COMPLETED')
  })

  test('does not delay a cancellation: by the API, or of the workflow in Temporal', async () => {
    const { generations } = await burst(4)
    const queued = []
    for (const one of generations) if ((await get(one.id)).status === 'QUEUED') queued.push(one.id)
    const [first = '', second = ''] = queued
    expect((await live.post(`/generations/${first}/cancel`)).status).toBe(200)
    await ends(first, 'CANCELLED')
    await until('its workflow exists', () =>
      temporal.client.workflow
        .getHandle(generationWorkflowId(second, 1))
        .cancel()
        .then(
          () => true,
          () => false,
        ),
    )
    await reaches(second, 'CANCELLED')
    await ends(second, 'CANCELLED')
    release()
    for (const { id } of generations) if (!queued.includes(id)) await reaches(id, 'COMPLETED')
  })
})

/** A generation whose workflow was started by something else than the dispatcher. */
const startElsewhere = async (
  id: string,
  options: { taskQueue: string; workflowExecutionTimeout?: '1 second' },
) => {
  const keyword = await newKeyword()
  const { project_id } = keyword
  const row = { id, account_id: arden.accountId, mode: 'live', project_id, keyword_id: keyword.id }
  await arden.sql`INSERT INTO generations ${arden.sql({ ...row, keyword: keyword.keyword })}`
  const handle = await temporal.client.workflow.start('generateArticle', {
    workflowId: generationWorkflowId(id, 1),
    args: [{ generationId: id, run: 1, projectId: project_id }],
    ...options,
  })
  return { keyword, handle }
}

test('a generation whose workflow times out, which it does after a day, is started again', async () => {
  const { id } = await generate()
  await reaches(id, 'COMPLETED')
  const { raw } = await workflow(id).describe()
  expect(raw.executionConfig?.workflowExecutionTimeout?.seconds?.toNumber()).toBe(24 * 3_600)

  const stranded = 'gen_01kafz3v5tf4qrm8z3x9d2c7nf'
  const elsewhere = { taskQueue: 'without-workers', workflowExecutionTimeout: '1 second' } as const
  const { handle } = await startElsewhere(stranded, elsewhere)
  await handle.result().catch(() => {})
  await arden.sql`UPDATE generations SET check_at = clock_timestamp() WHERE id = ${stranded}`
  await createReconciler(generationOutbox, arden.sql, temporal.client, () => {})()
  await reaches(stranded, 'COMPLETED')
  await ends(stranded, 'COMPLETED', 2)
})

test('a generation that the previous version started, on the task queue of deliveries, is written', async () => {
  const id = 'gen_01kafz3v5tf4qrm8z3x9d2c7ne'
  const { keyword } = await startElsewhere(id, { taskQueue: arden.env.ARDEN_TASK_QUEUE ?? '' })
  await reaches(id, 'COMPLETED')
  await ends(id, 'COMPLETED')
  expect(await eventsOf(keyword)).toEqual([
    'generation.started',
    'article.created',
    'generation.completed',
  ])
})
