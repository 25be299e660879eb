import { afterEach, describe, expect, test } from 'bun:test'
import { completeGeneration } from '../../src/content/generations/completion'
import { recordFailure } from '../../src/content/generations/transitions'
import { ARTICLE_BODY, good, REQUESTS, useGenerating } from '../support/content/generations'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

const {
  arden,
  live,
  tester,
  llm,
  respond,
  pauseResponse,
  newKeyword,
  generate,
  get,
  reaches,
  workflow,
  ends,
  eventsOf,
  articlesOf,
  used,
} = await useGenerating()

afterEach(() => respond(good))

describe('POST /generations', () => {
  test('202 with the record; keyword, project and instructions are its own; then GET and the list', async () => {
    const keyword = await newKeyword()
    const { paused, go } = pauseResponse()
    const response = await live.post('/generations', {
      keyword_id: keyword.id,
      instructions: 'For beginners.',
    })
    expect(response.status).toBe(202)
    const { id } = response.body.data
    expect(response.body.data).toEqual({
      id: expect.stringMatching(/^gen_/),
      project_id: keyword.project_id,
      keyword_id: keyword.id,
      keyword: keyword.keyword,
      instructions: 'For beginners.',
      audience: null,
      tone: null,
      length: null,
      model: null,
      outline: null,
      review_outline: false,
      required_checks: [],
      status: 'QUEUED',
      progress: 0,
      article_id: null,
      offline_draft: false,
      error: null,
      started_at: null,
      finished_at: null,
      test_mode: false,
      created_at: expect.any(String),
      input_tokens: null,
      output_tokens: null,
      cost_usd: null,
      steps: [],
    })
    await paused
    expect(JSON.stringify(llm.requests.at(-1)?.body)).toContain('For beginners.')
    const list = async (query: string) =>
      (await live.get(`/generations?${query}`)).body.data.map((one: { id: string }) => one.id)
    const running = await reaches(id, 'RUNNING')
    expect(await list(`project_id=${keyword.project_id}&status=RUNNING`)).toEqual([id])
    expect(await list(`keyword_id=${keyword.id}&created_before=2020-01-01T00:00:00Z`)).toEqual([])
    expect(await list(`keyword_id=${keyword.id}&created_after=${running.created_at}`)).toEqual([])
    expect(await list(`keyword_id=${keyword.id}&created_before=${running.created_at}`)).toEqual([])
    expect(await list(`project_id=${keyword.project_id}&status=FAILED`)).toEqual([])
    expect((await live.get('/generations?status=DONE')).status).toBe(422)
    go()
    await reaches(id, 'COMPLETED')
  })

  test.each([
    ['unknown', async () => 'kw_01kafz3v5tf4qrm8z3x9d2c7ne'],
    ['not an id', async () => 'cold brew'],
    ['of the other mode', async () => (await newKeyword(tester)).id],
    [
      'of a deleted project',
      async () => {
        const { id, project_id } = await newKeyword()
        await live.delete(`/projects/${project_id}`)
        return id
      },
    ],
  ])('a keyword_id that is %s is a 422 naming it', async (_, keywordId) => {
    const response = await live.post('/generations', { keyword_id: await keywordId() })
    expect(response.status).toBe(422)
    expect(response.body.details).toMatchObject([{ path: 'keyword_id' }])
  })

  test('in test mode an offline draft passes every check that can be required', async () => {
    for (const keyword of ['tea', 'cold brew coffee', 'french press']) {
      const project = (await tester.post('/projects', { name: keyword })).body.data
      const { data } = (await tester.post(`/projects/${project.id}/keywords`, { keyword })).body
      const required_checks = ['language', 'length', 'headings', 'keyword', 'placeholder']
      const body = { keyword_id: data.id, required_checks }
      const { id } = (await tester.post('/generations', body)).body.data
      const { status, error } = await until('it ends', async () => {
        const { data: now } = (await tester.get(`/generations/${id}`)).body
        return now.finished_at !== null && now
      })
      expect([keyword, status, error]).toEqual([keyword, 'COMPLETED', null])
    }
  })

  test('instructions over 4,000 characters are a 422', async () => {
    const body = { keyword_id: (await newKeyword()).id, instructions: 'x'.repeat(4_001) }
    expect((await live.post('/generations', body)).status).toBe(422)
  })

  test('one of the other mode, and an unknown one, is a 404', async () => {
    const { id } = await generate(tester)
    for (const path of [`/generations/${id}`, '/generations/gen_x']) {
      expect((await live.get(path)).status).toBe(404)
      expect((await live.post(`${path}/cancel`)).status).toBe(404)
    }
    await reaches(id, 'COMPLETED', tester)
  })
})

describe('a generation that is written', () => {
  test('goes QUEUED, RUNNING with progress, COMPLETED, and makes a draft article', async () => {
    const { paused, go } = pauseResponse('metadata')
    const queued = await generate()
    await paused
    const halfway = await until('progress shows', async () => {
      const generation = await get(queued.id)
      return generation.progress > 50 && generation
    })
    expect(halfway).toMatchObject({ status: 'RUNNING', article_id: null })
    expect(halfway.progress).toBeLessThan(100)
    expect(halfway.started_at).not.toBeNull()
    expect(await eventsOf(queued)).toEqual(['generation.started'])
    respond(good)
    go()
    const done = await reaches(queued.id, 'COMPLETED')
    expect(done).toMatchObject({ progress: 100, error: null })
    expect(done.finished_at).not.toBeNull()
    const article = (await live.get(`/articles/${done.article_id}`)).body.data
    expect(article).toMatchObject({
      project_id: queued.project_id,
      keyword_id: queued.keyword_id,
      title: queued.keyword,
      body: ARTICLE_BODY,
      status: 'DRAFT',
      test_mode: false,
    })
    await ends(queued.id, 'COMPLETED')
    const history = JSON.stringify(await workflow(queued.id).fetchHistory(), (key, value) =>
      key === 'data' ? Buffer.from(value, 'base64').toString() : value,
    )
    expect(history).toContain(queued.id)
    expect(history).not.toContain('Grind')
    expect(await (await workflow(queued.id).describe()).staticSummary()).toBe(
      `article for "${queued.keyword}"`,
    )
  })

  test('its events arrive signed with exactly the members of the contract', async () => {
    const receiver = startReceiver()
    await live.post('/webhooks', {
      url: receiver.url,
      events: ['generation.started', 'generation.completed', 'article.created'],
    })
    const { id, project_id, keyword, keyword_id } = await generate()
    await until('three arrive', () => receiver.received.length === 3)
    const { article_id } = await reaches(id, 'COMPLETED')
    const data = Object.fromEntries(
      receiver.received.map(({ body }) => [JSON.parse(body).event, JSON.parse(body).data]),
    )
    expect(data).toEqual({
      'generation.started': { generation_id: id, project_id, keyword, status: 'RUNNING' },
      'generation.completed': {
        generation_id: id,
        project_id,
        article_id,
        keyword,
        status: 'COMPLETED',
      },
      'article.created': {
        article_id,
        project_id,
        keyword_id,
        title: 'Cold brew',
        status: 'DRAFT',
      },
    })
    receiver.stop()
  })

  test('in test mode it is written offline, which the article says, and counts nowhere', async () => {
    const [before, requests] = [await used(), llm.requests.length]
    const { id } = await generate(tester)
    const { article_id, test_mode } = await reaches(id, 'COMPLETED', tester)
    const article = (await tester.get(`/articles/${article_id}`)).body.data
    expect(article.body).toStartWith('> **Offline draft.**')
    expect([test_mode, article.test_mode]).toEqual([true, true])
    expect(llm.requests.length).toBe(requests)
    expect(await used()).toBe(before)
  })

  test('makes the article and its events together or not at all, and once', async () => {
    await arden.sql`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`
    await arden.sql`
      CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW
      WHEN (NEW.type = 'generation.completed') EXECUTE FUNCTION refuse()`
    const requests = llm.requests.length
    const generation = await generate()
    await until('it was written', () => llm.requests.length === requests + REQUESTS)
    await Bun.sleep(1_500) // Long enough for a try that must leave nothing.
    expect(await articlesOf(generation)).toEqual([])
    expect(await eventsOf(generation)).toEqual(['generation.started'])
    await arden.sql`DROP TRIGGER refuse ON events`
    await reaches(generation.id, 'COMPLETED')
    expect(await eventsOf(generation)).toEqual([
      'generation.started',
      'article.created',
      'generation.completed',
    ])
    expect(llm.requests.length).toBe(requests + REQUESTS)
  })

  test('and stored by two workers at once, makes one article', async () => {
    const { go, paused } = pauseResponse()
    const generation = await generate()
    await paused
    const meta = { meta_title: null, meta_description: null }
    const draft = { title: 'Twice', slug: 'twice', body: 'text', ...meta }
    const job = { id: generation.id, run: 1 }
    await Promise.all(
      [1, 2, 3].map(() => completeGeneration(arden.sql, job, draft, { isOffline: false })),
    )
    await recordFailure(
      arden.sql,
      job,
      { position: 0, seen: 0 },
      { code: 'provider_timeout', message: 'late' },
      true,
    )
    go()
    await ends(generation.id, 'COMPLETED')
    expect(await articlesOf(generation)).toHaveLength(1)
    expect(await eventsOf(generation)).toHaveLength(3)
    expect(await get(generation.id)).toMatchObject({ status: 'COMPLETED', error: null })
  })
})
