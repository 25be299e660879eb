import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../src/config'
import { removeBatch, runDeletions } from '../src/content/deletions'
import { createLog } from '../src/log'
import { type Arden, startArden } from './support/arden'
import type { Client } from './support/client'
import { finishDeletions } from './support/deletions'
import { until } from './support/until'

let arden: Arden
let live: Client
let tester: Client

beforeAll(async () => {
  arden = await startArden({ serve: true })
  live = await arden.client()
  tester = await arden.client({ mode: 'test' })
})
afterAll(() => arden.stop())

const newProject = async (as = live, body = {}) =>
  (await as.post('/projects', { name: 'Blog', ...body })).body.data

/** The events so far of one article, oldest first: type and data. */
const eventsOf = async (articleId: string) => {
  const rows = await arden.sql<{ body: string }[]>`
    SELECT body FROM events WHERE body::jsonb #>> '{data,article_id}' = ${articleId} ORDER BY id`
  return rows.map(row => JSON.parse(row.body)).map(({ event, data }) => ({ event, data }))
}

describe('projects', () => {
  test('POST 201, GET, PATCH and DELETE 200; name, domain, language', async () => {
    const created = await live.post('/projects', {
      name: 'Blog',
      domain: 'blog.acme.com',
      language: 'pt-BR',
    })
    expect(created.status).toBe(201)
    const project = created.body.data
    expect(project).toEqual({
      id: expect.stringMatching(/^prj_[0-9a-z]{26}$/),
      name: 'Blog',
      domain: 'blog.acme.com',
      language: 'pt-BR',
      test_mode: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await live.get(`/projects/${project.id}`)).body.data).toEqual(project)
    const changed = await live.patch(`/projects/${project.id}`, { domain: null })
    expect(changed.body.data).toEqual({ ...project, domain: null })
    const deleted = await live.delete(`/projects/${project.id}`)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { data: { id: project.id, deleted: true } },
    ])
    expect((await live.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await live.delete(`/projects/${project.id}`)).status).toBe(404)
  })

  test('a PATCH of nothing, with or without a body, answers 200 with the record and fires nothing', async () => {
    const { id } = await newProject()
    const make = async (path: string, body: object) =>
      `${path.replace(/^\/projects.*\//, '/')}/${(await live.post(path, body)).body.data.id}`
    const paths = [
      `/projects/${id}`,
      await make(`/projects/${id}/keywords`, { keyword: 'cold brew' }),
      await make('/articles', { project_id: id, title: 't' }),
      await make('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.updated'] }),
      await make('/api-keys', { name: 'k', scopes: ['read'] }),
    ]
    const recorded = async () => {
      const [row] = await arden.sql`
        SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM audit_entries) AS audit`
      return row
    }
    const before = await recorded()
    for (const path of paths) {
      const { data } = (await live.get(path)).body
      for (const body of [{}, undefined]) {
        const answer = await live.patch(path, body)
        expect([path, answer.status, answer.body.data]).toEqual([path, 200, data])
      }
    }
    expect(await recorded()).toEqual(before)
  })

  test('lists find what was made between two times: what shows exactly that time is in neither part', async () => {
    const project = await newProject()
    const article = (await live.post('/articles', { project_id: project.id, title: 't' })).body.data
    const path = `/projects/${project.id}/keywords`
    const keyword = (await live.post(path, { keyword: 'k' })).body.data
    for (const [list, { id }, table] of [
      ['/projects', project, 'projects'],
      [path, keyword, 'keywords'],
      ['/articles', article, 'articles'],
    ] as const) {
      // In the middle of the millisecond that the record shows.
      await arden.sql`UPDATE ${arden.sql(table)} SET created_at = '2026-01-31T12:00:00.123456Z'
        WHERE id = ${id}`
      const finds = async (query: string) =>
        (await live.get(`${list}?${query}`)).body.data.some((one: { id: string }) => one.id === id)
      expect((await live.get(`${list}?created_before=2026-02-01T00:00:00Z`)).body.data).toEqual([
        expect.objectContaining({ id, created_at: '2026-01-31T12:00:00.123Z' }),
      ])
      expect([list, await finds('created_after=2026-01-31T12:00:00.123Z')]).toEqual([list, false])
      expect([list, await finds('created_before=2026-01-31T12:00:00.123Z')]).toEqual([list, false])
      expect([list, await finds('created_after=2026-01-31T12:00:00.122Z')]).toEqual([list, true])
      expect([list, await finds('created_before=2026-01-31T12:00:00.124Z')]).toEqual([list, true])
    }
  })

  test('a domain can be an internationalized one, in its ASCII form', async () => {
    for (const [domain, status] of [
      ['xn--e1afmkfd.xn--p1ai', 201],
      ['acme.xn--vermgensberatung-pwb', 201],
      ['acme.xn--', 422],
      ['acme.xn--p1ai-', 422],
      ['acme.c0m', 422],
    ] as const)
      expect([domain, (await live.post('/projects', { name: 'p', domain })).status]).toEqual([
        domain,
        status,
      ])
  })

  test('text that shows nothing is a 422: it must not be blank', async () => {
    const project_id = (await newProject()).id
    for (const blank of [' ', '\t\n\u3000', '\u200b\ufeff\u2060'])
      for (const [path, body, member] of [
        ['/projects', { name: blank }, 'name'],
        ['/articles', { project_id, title: blank }, 'title'],
        ['/api-keys', { name: blank, scopes: ['read'] }, 'name'],
      ] as const)
        expect((await live.post(path, body)).body.details).toEqual([
          { path: member, message: 'must not be blank' },
        ])
    for (const name of ['x', '日本', '👩‍💻', '—'])
      expect((await live.post('/projects', { name })).status).toBe(201)
  })

  test('deleting one hides all under it at once, and fires article.deleted for each article', async () => {
    const project = await newProject()
    const ids: string[] = []
    for (let i = 0; i < 3; i++)
      ids.push(
        (await live.post('/articles', { project_id: project.id, title: `t${i}` })).body.data.id,
      )
    await live.delete(`/projects/${project.id}`)
    for (const id of ids) expect((await live.get(`/articles/${id}`)).status).toBe(404)
    expect((await live.get(`/articles?project_id=${project.id}`)).body.data).toEqual([])
    expect((await live.post('/articles', { project_id: project.id, title: 't' })).status).toBe(422)

    // Two workers at once remove each article once.
    await Promise.all([finishDeletions(arden.sql), finishDeletions(arden.sql)])
    for (const id of ids)
      expect(await eventsOf(id)).toEqual([
        expect.objectContaining({ event: 'article.created' }),
        { event: 'article.deleted', data: { article_id: id, project_id: project.id } },
      ])
    expect(await arden.sql`SELECT id FROM projects WHERE id = ${project.id}`).toHaveLength(0)
  })

  const isGone = async (id: string) =>
    (await arden.sql`SELECT FROM projects WHERE id = ${id}`).length === 0

  const manyArticles = (projectId: string, count: number) => arden.sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT 'art_' || substr(md5(${projectId} || n), 1, 26), ${arden.accountId}, 'live', ${projectId},
      't', 't', '', 'DRAFT' FROM generate_series(1, ${count}) n`

  test('two workers at once remove many articles in batches, each with one event', async () => {
    const { id } = await newProject()
    await manyArticles(id, 250)
    await live.delete(`/projects/${id}`)
    const work = async () => {
      while (!(await isGone(id))) await removeBatch(arden.sql)
    }
    await Promise.all([work(), work()])
    const deleted = await arden.sql`
      SELECT body::jsonb #>> '{data,article_id}' AS id FROM events
      WHERE type = 'article.deleted' AND body::jsonb #>> '{data,project_id}' = ${id}`
    expect([deleted.length, new Set(deleted.map(row => row.id)).size]).toEqual([250, 250])
  })

  test('a small one is gone before a big one that was deleted first, which no stop waits for', async () => {
    const big = await newProject()
    await manyArticles(big.id, 5_000)
    const small = await newProject()
    await live.delete(`/projects/${big.id}`)
    await live.delete(`/projects/${small.id}`)
    const stopping = new AbortController()
    let commits = 0
    const config = readConfig(arden.env)
    const running = runDeletions(arden.sql, createLog(config), () => commits++, stopping.signal)
    await until('the small one is gone', () => isGone(small.id))
    stopping.abort()
    await running
    expect(await isGone(big.id)).toBe(false)
    expect(commits).toBeGreaterThan(0)
    await arden.sql`DELETE FROM articles WHERE project_id = ${big.id}`
    await finishDeletions(arden.sql)
  })
})

describe('articles', () => {
  test('creating a draft answers 201 with the record and fires article.created', async () => {
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
      status: 'DRAFT',
      published_at: null,
      test_mode: false,
      created_at: expect.any(String),
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

  test('a PATCH that changes nothing fires nothing', async () => {
    const project = await newProject()
    const { id } = (await live.post('/articles', { project_id: project.id, title: 't', body: 'b' }))
      .body.data
    const answer = await live.patch(`/articles/${id}`, { title: 't', body: 'b', status: 'DRAFT' })
    expect(answer.status).toBe(200)
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
    ]) {
      const answer = await live.post('/articles', { title: 't', ...body })
      expect(answer.status).toBe(422)
      expect(answer.body.details[0].path).toBe(Object.keys(body).at(-1))
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
