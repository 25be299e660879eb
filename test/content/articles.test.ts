import { describe, expect, test } from 'bun:test'
import { useContent } from '../support/content/content'

const { arden, live, newProject, newKeyword, eventsOf } = await useContent()
const tester = await arden.client({ mode: 'test' })

describe('articles', () => {
  test('creating a draft responds 201 with the record and fires article.created', async () => {
    const project = await newProject()
    const created = await live.post('/articles', {
      project_id: project.id,
      title: 'Crème brûlée, easily!',
    })
    expect(created.status).toBe(201)
    const article = created.body.data
    expect(article).toEqual({
      id: expect.stringMatching(/^art_[0-9a-z]{26}$/),
      project_id: project.id,
      keyword_id: null,
      title: 'Crème brûlée, easily!',
      slug: 'creme-brulee-easily',
      body: '',
      meta_title: null,
      meta_description: null,
      status: 'DRAFT',
      published_at: null,
      scheduled_at: null,
      version: 1,
      test_mode: false,
      created_at: expect.any(String),
      updated_at: article.created_at,
    })
    expect((await live.get(`/articles/${article.id}`)).body.data).toEqual(article)
    expect(await eventsOf(article.id)).toEqual([
      {
        event: 'article.created',
        data: {
          article_id: article.id,
          project_id: project.id,
          keyword_id: null,
          title: 'Crème brûlée, easily!',
          status: 'DRAFT',
        },
      },
    ])
  })

  test('creating as PUBLISHED fires article.created and article.published', async () => {
    const project = await newProject()
    const { body } = await live.post('/articles', {
      project_id: project.id,
      title: 't',
      status: 'PUBLISHED',
    })
    expect(body.data.published_at).toEqual(expect.any(String))
    expect((await eventsOf(body.data.id)).map(one => one.event)).toEqual([
      'article.created',
      'article.published',
    ])
  })

  test('publishing through PATCH fires article.updated with changed, and article.published; going back only updated', async () => {
    const project = await newProject()
    const { id } = (await live.post('/articles', { project_id: project.id, title: 't' })).body.data
    await live.patch(`/articles/${id}`, { status: 'PUBLISHED', title: 't' })
    await live.patch(`/articles/${id}`, { status: 'DRAFT' })
    const events = (await eventsOf(id)).slice(1)
    expect(events.map(one => [one.event, one.data.status, one.data.changed])).toEqual([
      ['article.updated', 'PUBLISHED', ['status', 'published_at']],
      ['article.published', 'PUBLISHED', undefined],
      ['article.updated', 'DRAFT', ['status', 'published_at']],
    ])
    expect((await live.get(`/articles/${id}`)).body.data.published_at).toBeNull()
  })

  test('meta title and description are set at creation, changed and removed', async () => {
    const project = await newProject()
    const meta = { meta_title: 'Cold brew at home', meta_description: 'What you need.' }
    const created = await live.post('/articles', { project_id: project.id, title: 't', ...meta })
    const { id } = created.body.data
    expect(created.body.data).toMatchObject(meta)
    expect((await live.get(`/articles/${id}`)).body.data).toMatchObject(meta)
    expect((await live.get(`/articles?project_id=${project.id}`)).body.data[0]).toMatchObject(meta)
    const changes = { meta_title: null, meta_description: 'Coffee, water, a jar.' }
    const changed = await live.patch(`/articles/${id}`, changes)
    expect(changed.body.data).toMatchObject(changes)
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      event: 'article.updated',
      data: { changed: ['meta_title', 'meta_description'] },
    })
  })

  test('a PATCH that changes nothing fires nothing', async () => {
    const project = await newProject()
    const { id } = (await live.post('/articles', { project_id: project.id, title: 't', body: 'b' }))
      .body.data
    const response = await live.patch(`/articles/${id}`, { title: 't', body: 'b', status: 'DRAFT' })
    expect(response.status).toBe(200)
    expect(await eventsOf(id)).toHaveLength(1)
  })

  test('DELETE is hard and fires article.deleted', async () => {
    const project = await newProject()
    const { id } = (await live.post('/articles', { project_id: project.id, title: 't' })).body.data
    expect((await live.delete(`/articles/${id}`)).body).toEqual({ data: { id, deleted: true } })
    expect((await live.get(`/articles/${id}`)).status).toBe(404)
    expect(await arden.sql`SELECT id FROM articles WHERE id = ${id}`).toHaveLength(0)
    expect((await eventsOf(id)).at(-1)).toEqual({
      event: 'article.deleted',
      data: { article_id: id, project_id: project.id },
    })
  })

  test('two callers that publish at once fire article.published once', async () => {
    const project = await newProject()
    const { id } = (await live.post('/articles', { project_id: project.id, title: 't' })).body.data
    await Promise.all(
      Array.from({ length: 8 }, () => live.patch(`/articles/${id}`, { status: 'PUBLISHED' })),
    )
    expect((await eventsOf(id)).map(one => one.event)).toEqual([
      'article.created',
      'article.updated',
      'article.published',
    ])
  })

  test('an id in a body that is unknown, or of another account or mode, is a 422 naming the member', async () => {
    const [own, others] = [await newProject(), await newProject(tester)]
    const [{ id: account }] = await arden.sql<[{ id: string }]>`
      INSERT INTO accounts (id, name) VALUES ('acc_01kafz3v5tf4qrm8z3x9d2c7ne', 'other') RETURNING id`
    const stranger = await newProject(await arden.client({ accountId: account }))
    for (const body of [
      { project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne' },
      { project_id: 'nonsense' },
      { project_id: others.id },
      { project_id: stranger.id },
      { project_id: own.id, keyword_id: 'kw_01kafz3v5tf4qrm8z3x9d2c7ne' },
      // The keyword exists, in another project than the one that does not.
      { keyword_id: (await newKeyword()).id, project_id: stranger.id },
    ]) {
      const response = await live.post('/articles', { title: 't', ...body })
      expect([
        response.status,
        response.body.details.map(({ path }: { path: string }) => path),
      ]).toEqual([422, [Object.keys(body).at(-1)]])
    }
  })

  test.each([
    ['de', 'oel-fuer-gaerten'],
    ['en', 'ol-fur-garten'],
  ])('the slug of a title is that of the language of the project: %s', async (language, slug) => {
    const { id: project_id } = (await live.post('/projects', { name: 'Garten', language })).body
      .data
    const title = 'Öl für Gärten'
    for (const body of [{ title }, { title, status: 'PUBLISHED' }]) {
      const { data } = (await live.post('/articles', { project_id, ...body })).body
      expect(data.slug).toBe(slug)
    }
  })

  test('lists filter by status, project and time', async () => {
    const project = await newProject()
    const make = async (body: object) =>
      (await live.post('/articles', { project_id: project.id, title: 't', ...body })).body.data
    const draft = await make({})
    const published = await make({ status: 'PUBLISHED' })
    const list = async (query: string) =>
      (await live.get(`/articles?project_id=${project.id}&${query}`)).body.data.map(
        (one: { id: string }) => one.id,
      )
    expect(await list('')).toEqual([published.id, draft.id])
    expect(await list('status=DRAFT')).toEqual([draft.id])
    expect(await list(`created_before=${new Date(0).toISOString()}`)).toEqual([])
    expect(await list(`created_after=${new Date(0).toISOString()}&status=PUBLISHED`)).toEqual([
      published.id,
    ])
  })
})

describe('modes', () => {
  test('test keys create real records flagged as test-mode, and neither mode sees the other', async () => {
    const project = await newProject(tester)
    expect(project.test_mode).toBe(true)
    const article = (await tester.post('/articles', { project_id: project.id, title: 't' })).body
      .data
    expect(article.test_mode).toBe(true)
    for (const path of [`/projects/${project.id}`, `/articles/${article.id}`]) {
      expect((await tester.get(path)).status).toBe(200)
      expect((await live.get(path)).status).toBe(404)
      expect(
        (await live.patch(path, path.startsWith('/p') ? { name: 'x' } : { title: 'x' })).status,
      ).toBe(404)
      expect((await live.delete(path)).status).toBe(404)
    }
    expect((await live.get(`/articles?project_id=${project.id}`)).body.data).toEqual([])
  })
})
