import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { deleteNextBatch, runDeletions } from '../../src/content/deletions'
import { lowestIdAt } from '../../src/ids'
import { createLog } from '../../src/log'
import { useContent } from '../support/content/content'
import { finishDeletions } from '../support/content/deletions'
import { until } from '../support/until'

const { arden, live, newProject, eventsOf } = await useContent()

describe('projects', () => {
  test('POST 201, GET, PATCH and DELETE 200; name, domain, domain_match, language', async () => {
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
      domain_match: 'domain',
      language: 'pt-BR',
      rank_schedule: 'daily',
      time_zone: 'UTC',
      style_guide: null,
      brief: { instructions: null, audience: null, tone: null, length: null, model: null },
      next_rank_run_at: project.next_rank_run_at,
      test_mode: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    })
    expect((await live.get(`/projects/${project.id}`)).body.data).toEqual(project)
    const changes = { domain: null, domain_match: 'subdomains' }
    const changed = (await live.patch(`/projects/${project.id}`, changes)).body.data
    const { updated_at } = changed
    expect(changed).toEqual({ ...project, ...changes, next_rank_run_at: null, updated_at })
    const deleted = await live.delete(`/projects/${project.id}`)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { data: { id: project.id, deleted: true } },
    ])
    expect((await live.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await live.delete(`/projects/${project.id}`)).status).toBe(404)
  })

  test('a PATCH of the brief changes the defaults that it names, also of two at once', async () => {
    const { id } = await newProject()
    await live.patch(`/projects/${id}`, { brief: { tone: 'dry', length: 700 } })
    await Promise.all([
      live.patch(`/projects/${id}`, { brief: { audience: 'home baristas' } }),
      live.patch(`/projects/${id}`, { brief: { length: null } }),
      live.patch(`/projects/${id}`, { brief: { model: 'opus' } }),
    ])
    const { brief } = (await live.get(`/projects/${id}`)).body.data
    expect(brief).toEqual({
      instructions: null,
      audience: 'home baristas',
      tone: 'dry',
      length: null,
      model: 'opus',
    })
  })

  test('a time zone is accepted in any case, and returned as IANA writes it', async () => {
    const create = await live.post('/projects', { name: 'Zones', time_zone: 'europe/berlin' })
    expect([create.status, create.body.data.time_zone]).toEqual([201, 'Europe/Berlin'])
    const path = `/projects/${create.body.data.id}`
    for (const [given, returned] of [
      ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
      ['ASIA/CALCUTTA', 'Asia/Calcutta'],
      ['utc', 'UTC'],
    ])
      expect((await live.patch(path, { time_zone: given })).body.data.time_zone).toBe(returned)
    expect((await live.patch(path, { time_zone: 'europe/nowhere' })).status).toBe(422)
  })

  test.each([
    ['cz', 'is the code of a country, Czechia, and not of a language. Czech is cs.'],
    ['jp-JP', 'is the code of a country, Japan, and not of a language. Japanese is ja.'],
    ['xx', 'has the wrong format: BCP 47, with the code of a language'],
  ])('the language %s is refused', async (language, message) => {
    const { status, body } = await live.post('/projects', { name: 'Tea', language })
    expect([status, body.message]).toEqual([422, expect.stringContaining(`language: ${message}`)])
  })

  test.each(['cs', 'zh-Hant', 'gsw', 'nb-NO', 'tlh'])(
    'the language %s is accepted',
    async language => {
      expect((await live.post('/projects', { name: 'Tea', language })).status).toBe(201)
    },
  )

  test('a PATCH of nothing, with or without a body, responds 200 with the record and fires nothing', async () => {
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
        const response = await live.patch(path, body)
        expect([path, response.status, response.body.data]).toEqual([path, 200, data])
      }
    }
    expect(await recorded()).toEqual(before)
  })

  test('lists find what was made between two times: what shows exactly that time is in neither part', async () => {
    const project = await newProject()
    const article = (await live.post('/articles', { project_id: project.id, title: 't' })).body.data
    const path = `/projects/${project.id}/keywords`
    const keyword = (await live.post(path, { keyword: 'k' })).body.data
    const other = await newProject()
    for (const [list, { id: madeId }, table, prefix] of [
      ['/projects', other, 'projects', 'prj'],
      [path, keyword, 'keywords', 'kw'],
      ['/articles', article, 'articles', 'art'],
    ] as const) {
      const id = lowestIdAt(prefix, new Date('2026-01-31T12:00:00Z'))
      // In the middle of the millisecond that the record shows.
      await arden.sql`
        UPDATE ${arden.sql(table)} SET id = ${id}, created_at = '2026-01-31T12:00:00.123456Z'
        WHERE id = ${madeId}`
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

  test('deleting one with 12,000 open generations cancels 10,000 of them at once, and the others in the background', async () => {
    const { id } = await newProject()
    const generations = async () => (await live.get('/usage')).body.data.generations as number
    const before = await generations()
    await arden.sql`
      INSERT INTO generations (id, account_id, mode, project_id, keyword)
      SELECT 'gen_many_' || n, ${arden.accountId}, 'live', ${id}, 'k' FROM generate_series(1, 12000) n`
    await arden.sql`
      INSERT INTO monthly_usage (account_id, month, generations)
      SELECT ${arden.accountId}, usage_month(now()), 12000`
    await live.delete(`/projects/${id}`)
    expect(await generations()).toBe(before + 2000)
    const [{ open }] = await arden.sql<[{ open: number }]>`
      SELECT count(*) AS open FROM generations WHERE project_id = ${id} AND status = 'QUEUED'`
    expect(open).toBe(2000)
    await finishDeletions(arden.sql)
    expect(await arden.sql`SELECT FROM generations WHERE project_id = ${id}`).toHaveLength(0)
    expect(await generations()).toBe(before)
  })

  test('versions of its articles are deleted in batches', async () => {
    const { id } = await newProject()
    await manyArticles(id, 150)
    await arden.sql`
      INSERT INTO article_versions (article_id, version, changed, author, created_at)
      SELECT id, n, '{}', '{}', now() FROM articles, generate_series(1, 5) n WHERE project_id = ${id}`
    await live.delete(`/projects/${id}`)
    await finishDeletions(arden.sql)
    expect(await isGone(id)).toBe(true)
    expect(await arden.sql`SELECT FROM article_versions WHERE version = 5`).toHaveLength(0)
  })

  test('two workers at once remove many articles in batches, each with one event', async () => {
    const { id } = await newProject()
    await manyArticles(id, 250)
    await live.delete(`/projects/${id}`)
    const work = async () => {
      while (!(await isGone(id))) await deleteNextBatch(arden.sql)
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
