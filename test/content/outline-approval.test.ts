import { afterEach, describe, expect, test } from 'bun:test'
import { generationOutbox } from '../../src/content/generations/outbox'
import { createReconciler } from '../../src/outbox/reconciliation'
import { ARTICLE, good, REQUESTS, useGenerating } from '../support/content/generations'
import { until } from '../support/until'

const {
  arden,
  live,
  tester,
  temporal,
  llm,
  respond,
  newKeyword,
  get,
  reaches,
  cancel,
  workflow,
  ends,
  eventsOf,
  articlesOf,
  used,
} = await useGenerating()

afterEach(() => respond(good))

/** A generation whose outline waits. */
const held = async (brief: object = {}) => {
  const { id: keyword_id } = await newKeyword()
  const response = await live.post('/generations', { keyword_id, review_outline: true, ...brief })
  return await reaches(response.body.data.id, 'AWAITING_APPROVAL')
}
const approve = (id: string, body: object = {}, as = live) =>
  as.post(`/generations/${id}/approve`, body)

describe('an outline to be reviewed', () => {
  test('waits, in a workflow that does not time out, and is then written as it is', async () => {
    const requests = llm.requests.length
    const generation = await held()
    expect(generation).toMatchObject({ review_outline: true, outline: ARTICLE.headings })
    expect(await eventsOf(generation)).toEqual(['generation.started'])
    const listed = await live.get('/generations?status=AWAITING_APPROVAL')
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([generation.id])
    const description = await workflow(generation.id).describe()
    expect(description.raw.executionConfig?.workflowExecutionTimeout).toBeNull()
    expect(llm.requests.length).toBe(requests + 1)

    const approved = await approve(generation.id)
    expect([approved.status, approved.body.data.status]).toEqual([200, 'RUNNING'])
    const done = await reaches(generation.id, 'COMPLETED')
    await ends(generation.id, 'COMPLETED')
    expect(done.outline).toEqual(ARTICLE.headings)
    expect(llm.requests.length).toBe(requests + REQUESTS)
  })

  test('of an article that was changed since is not approved, and nothing more is written', async () => {
    const { id: keyword_id, project_id } = await newKeyword()
    const created = await live.post('/articles', { project_id, keyword_id, title: 'Old' })
    const article_id = created.body.data.id
    const brief = { keyword_id, article_id, review_outline: true }
    const unchanged = (await live.post('/generations', brief)).body.data.id
    await reaches(unchanged, 'AWAITING_APPROVAL')
    expect((await approve(unchanged)).status).toBe(200)
    await reaches(unchanged, 'COMPLETED')

    const { id } = (await live.post('/generations', brief)).body.data
    await reaches(id, 'AWAITING_APPROVAL')
    await live.patch(`/articles/${article_id}`, { meta_description: 'Changed' })
    const requests = llm.requests.length
    const refused = await approve(id)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('Cancel the generation'),
    ])
    expect((await get(id)).status).toBe('AWAITING_APPROVAL')
    expect(llm.requests.length).toBe(requests)
  })

  test('can be changed: the article has the headings that were sent back', async () => {
    const { id } = await held()
    const { body } = await approve(id, { outline: ['One', 'Two\nlines', 'Three'] })
    expect(body.data.outline).toEqual(['One', 'Two lines', 'Three'])
    const { article_id } = await reaches(id, 'COMPLETED')
    const article = (await live.get(`/articles/${article_id}`)).body.data
    expect(article.body.match(/^## .*/gm)).toEqual(['## One', '## Two lines', '## Three'])
  })

  test('can be that of the brief, and waits without a request to the provider', async () => {
    const requests = llm.requests.length
    const generation = await held({ outline: ['Only this'] })
    expect(generation).toMatchObject({ outline: ['Only this'], started_at: expect.any(String) })
    expect(llm.requests.length).toBe(requests)
    await approve(generation.id)
    await reaches(generation.id, 'COMPLETED')
  })

  test('that is approved twice at once is approved once', async () => {
    const { id } = await held()
    const responses = await Promise.all([
      approve(id, { outline: ['First'] }),
      approve(id, { outline: ['Second'] }),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    const winner = responses.find(({ status }) => status === 200)?.body.data.outline
    expect((await reaches(id, 'COMPLETED')).outline).toEqual(winner)
    const again = await approve(id)
    expect([again.status, again.body.error]).toEqual([409, 'CONFLICT'])
    expect(again.body.message).toContain('is COMPLETED')
  })

  test('of the other mode is a 404, an empty one is a 422', async () => {
    const { id } = await held()
    expect((await approve(id, {}, tester)).status).toBe(404)
    expect((await approve(id, { outline: [] })).status).toBe(422)
    await cancel(id)
  })
})

describe('while it waits', () => {
  test('the generation can be cancelled, and is given back', async () => {
    const before = await used()
    const generation = await held()
    expect(await used()).toBe(before + 1)
    expect((await cancel(generation.id)).body.data.status).toBe('CANCELLED')
    await ends(generation.id, 'CANCELLED')
    expect(await used()).toBe(before)
    expect(await articlesOf(generation)).toEqual([])
    expect((await approve(generation.id)).status).toBe(409)
  })

  test('and Temporal has lost its workflow, the next run waits again, and pays for no second outline', async () => {
    const requests = llm.requests.length
    const { id } = await held()
    await workflow(id).terminate('lost')
    await temporal.client.workflowService.deleteWorkflowExecution({
      namespace: temporal.client.options.namespace,
      workflowExecution: { workflowId: workflow(id).workflowId },
    })
    await until('Temporal has forgotten it', () =>
      workflow(id)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    )
    await arden.sql`UPDATE generations SET check_at = clock_timestamp() WHERE id = ${id}`
    await createReconciler(generationOutbox, arden.sql, temporal.client, () => {})()
    await until('the second run waits', async () => {
      const history = await workflow(id, 2)
        .fetchHistory()
        .catch(() => undefined)
      return history?.events?.some(event => event.activityTaskCompletedEventAttributes != null)
    })
    expect((await get(id)).status).toBe('AWAITING_APPROVAL')
    await approve(id)
    await reaches(id, 'COMPLETED')
    await ends(id, 'COMPLETED', 2)
    expect(llm.requests.length).toBe(requests + REQUESTS)
  })
})
