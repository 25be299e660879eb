import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../src/config'
import { createLog } from '../src/log'
import { start } from '../src/start'
import { type Arden, startArden } from './support/arden'
import { type Client, client, send } from './support/client'
import { startProxy } from './support/proxy'
import { until } from './support/until'

let arden: Arden
let live: Client
let project: string
let article: string
let webhook: string
let key: string

beforeAll(async () => {
  arden = await startArden({ serve: true })
  live = await arden.client()
  project = (await live.post('/projects', { name: 'p' })).body.data.id
  article = (await live.post('/articles', { project_id: project, title: 't' })).body.data.id
  webhook = (
    await live.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.created'] })
  ).body.data.id
  key = (await live.post('/api-keys', { name: 'k', scopes: ['read'] })).body.data.id
})
afterAll(() => arden.stop())

/** Each endpoint with a body: a body it takes, and for each member a value of the wrong type. */
const endpoints = () => [
  {
    method: 'post' as const,
    path: '/api-keys',
    good: { name: 'a', scopes: ['read'] },
    required: ['name', 'scopes'],
    wrong: { name: 1, scopes: ['admin'], rate_limit: 0, expires_at: 'tomorrow', mode: 'prod' },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'patch' as const,
    path: `/api-keys/${key}`,
    good: { rate_limit: 5 },
    required: [],
    wrong: { rate_limit: '5', name: null },
    oversized: { rate_limit: 100_001 },
  },
  {
    method: 'post' as const,
    path: '/webhooks',
    good: { url: 'http://127.0.0.1:9/', events: ['article.created'] },
    required: ['url', 'events'],
    wrong: { url: 5, events: ['article.sold'], description: 5 },
    oversized: { url: `http://127.0.0.1/${'x'.repeat(2_048)}` },
  },
  {
    method: 'patch' as const,
    path: `/webhooks/${webhook}`,
    good: { enabled: true },
    required: [],
    wrong: { enabled: 'yes', events: [], url: 'not a url' },
    oversized: { url: `http://127.0.0.1/${'x'.repeat(2_048)}` },
  },
  {
    method: 'post' as const,
    path: `/webhooks/${webhook}/rotate-secret`,
    good: { overlap_seconds: 0 },
    required: [],
    wrong: { overlap_seconds: 1.5 },
    oversized: { overlap_seconds: 86_401 },
  },
  {
    method: 'post' as const,
    path: '/projects',
    good: { name: 'p' },
    required: ['name'],
    wrong: { name: [], domain: 'https://x', language: 'English please' },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'patch' as const,
    path: `/projects/${project}`,
    good: { name: 'p' },
    required: [],
    wrong: { name: '', domain: 7, language: null },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'post' as const,
    path: '/articles',
    good: { project_id: project, title: 't' },
    required: ['project_id', 'title'],
    wrong: { project_id: 1, title: {}, slug: 'a b', body: 1, status: 'draft', keyword_id: 1 },
    oversized: { title: 'x'.repeat(301) },
  },
  {
    method: 'patch' as const,
    path: `/articles/${article}`,
    good: { title: 't' },
    required: [],
    wrong: { title: '', slug: '-', body: null, status: 'GONE', keyword_id: 'kw_1' },
    oversized: { title: 'x'.repeat(301) },
  },
]

describe('for each endpoint with a body', () => {
  test('a missing member is a 422 that names it', async () => {
    for (const { method, path, good, required } of endpoints())
      for (const member of required) {
        const { [member]: _, ...rest } = good as Record<string, unknown>
        const answer = await live[method](path, rest)
        expect([path, member, answer.status]).toEqual([path, member, 422])
        expect(answer.body.error).toBe('VALIDATION_ERROR')
        expect(answer.body.message).toBe(`${member}: is required`)
        expect(answer.body.details).toEqual([{ path: member, message: 'is required' }])
      }
  })

  test('a member of a wrong type or value is a 422 that names it', async () => {
    for (const { method, path, good, wrong } of endpoints())
      for (const [member, value] of Object.entries(wrong)) {
        const answer = await live[method](path, { ...good, [member]: value })
        expect([path, member, answer.status]).toEqual([path, member, 422])
        expect(answer.body.message.startsWith(member)).toBe(true)
        expect(answer.body.details[0].path.split('.')[0]).toBe(member)
      }
  })

  test('an unknown member is a 422 that names it', async () => {
    for (const { method, path, good } of endpoints()) {
      const answer = await live[method](path, { ...good, colour: 'red' })
      expect([path, answer.status, answer.body.message]).toEqual([
        path,
        422,
        'colour: is not a member of this request',
      ])
    }
  })

  test('an oversized member is a 422 that names it', async () => {
    for (const { method, path, good, oversized } of endpoints()) {
      const answer = await live[method](path, { ...good, ...oversized })
      expect([path, answer.status]).toEqual([path, 422])
      expect(answer.body.details[0].path).toBe(Object.keys(oversized)[0])
    }
  })

  test('a body that is no object is a 422', async () => {
    for (const { method, path, required } of endpoints())
      for (const body of ['[]', 'null', '"text"', '5']) {
        const answer = await live[method](path, body)
        expect([path, body, answer.status]).toEqual([path, body, 422])
        if (required.length > 0) expect(answer.body.message).toBe('body: must be a JSON object')
      }
  })

  test('a body over 1 MiB is a 413, with a length or in chunks', async () => {
    for (const { method, path } of endpoints()) {
      const answer = await live[method](path, { name: 'x'.repeat(1024 * 1024) })
      expect([path, answer.status, answer.body.error]).toEqual([path, 413, 'PAYLOAD_TOO_LARGE'])
    }
    const { key: value } = await arden.key()
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024))
    let sent = 0
    const chunked = await send(`${arden.url}/api/public/v1/articles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        pull: controller => (sent++ < 20 ? controller.enqueue(chunk) : controller.close()),
      }),
    })
    expect([chunked.status, chunked.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('a body that does not parse is a 400 INVALID_JSON', async () => {
    for (const { method, path } of endpoints()) {
      const answer = await live[method](path, '{"name": ')
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'INVALID_JSON'])
    }
  })

  test('U+0000 in any string is a 422 that names the member', async () => {
    for (const { method, path, good } of endpoints()) {
      const member = Object.keys(good)[0] ?? ''
      const answer = await live[method](path, { ...good, [member]: 'a\0b' })
      expect([path, answer.status]).toEqual([path, 422])
      expect(answer.body.message).toBe(
        `${member}: must not contain the character U+0000 or half of a surrogate pair`,
      )
    }
    const fine = await live.post('/projects', '{"name": "a\\\\u0000b"}')
    expect(fine.body.data.name).toBe('a\\u0000b')
  })
})

describe('what no schema sees', () => {
  test('a DELETE takes no member: an unknown one is a 422 that names it, and nothing is deleted', async () => {
    const { key: value } = await arden.key()
    for (const path of [
      `/projects/${project}`,
      `/articles/${article}`,
      `/webhooks/${webhook}`,
      `/api-keys/${key}`,
    ]) {
      const answer = await send(`${arden.url}/api/public/v1${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        body: '{"force": true}',
      })
      expect([path, answer.status, answer.body.message]).toEqual([
        path,
        422,
        'force: is not a member of this request',
      ])
      expect((await live.get(path)).status).toBe(200)
    }
  })

  test('half of a surrogate pair is a 422, and bytes that are not UTF-8 a 400', async () => {
    const half = await live.post('/projects', '{"name": "a\\ud800b"}')
    expect([half.status, half.body.details[0].path]).toEqual([422, 'name'])
    expect((await live.post('/projects', '{"name": "\\ud83d\\ude00"}')).body.data.name).toBe('😀')
    const { key: value } = await arden.key()
    const bytes = await send(`${arden.url}/api/public/v1/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: Buffer.from('{"name":"\xff\xfe"}', 'latin1'),
    })
    expect([bytes.status, bytes.body.error]).toEqual([400, 'INVALID_JSON'])
  })

  test('deep nesting is a 422, not a stack that overflows', async () => {
    const answer = await live.post(
      '/projects',
      `{"name": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    )
    expect([answer.status, answer.body.message]).toEqual([
      422,
      expect.stringContaining('is nested deeper than 32 levels'),
    ])
    expect(answer.body.message.length).toBeLessThan(300)
  })

  test('a body of half a million values or wrong members is refused at once, in a short answer', async () => {
    const many = (count: number, item: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => item(n)).join(',')
    for (const [path, body] of [
      ['/projects', `{"name": "p", "a": [${many(500_000, () => '0')}]}`],
      ['/projects', `{"name": "p", ${many(80_000, n => `"${n}": 0`)}}`],
      ['/api-keys', `{"name": "k", "scopes": [${many(100_000, n => `"${n}"`)}]}`],
    ] as const) {
      const began = process.cpuUsage()
      const answer = await live.post(path, body)
      const { user } = process.cpuUsage(began)
      expect(answer.status).toBe(422)
      expect(JSON.stringify(answer.body).length).toBeLessThan(20_000)
      // 10 to 50 ms; it was 860 when each value had its path made.
      expect(user / 1000).toBeLessThan(600)
    }
  })

  test('U+0000 in a query is a 422, and a broken escape in a path a 404', async () => {
    for (const member of ['project_id', 'keyword_id', 'cursor']) {
      const answer = await live.get(`/articles?${member}=%00`)
      expect([member, answer.status, answer.body.details[0].path]).toEqual([member, 422, member])
    }
    expect((await live.get('/articles/%ZZ')).status).toBe(404)
  })

  test('an unknown query member of a list is a 422 that names it', async () => {
    const answer = await live.get('/articles?stauts=DRAFT')
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'stauts: is not a member of this request',
    ])
  })

  test('a wrong form is said in words', async () => {
    const answer = await live.post('/articles', { project_id: project, title: 't', slug: 'aaa!' })
    expect(answer.body.message).toStartWith('slug: has a wrong form: Letters and digits')
    for (const slug of ['ten-ways-2', 'größe', '東京-人々']) {
      const { body } = await live.post('/articles', { project_id: project, title: 't', slug })
      expect(body.data?.slug).toBe(slug)
    }
    for (const slug of ['a b', 'a--b', '-a', 'a/b', 'a“b”', 'a\u2003b', '<a>', '']) {
      const { status } = await live.post('/articles', { project_id: project, title: 't', slug })
      expect([slug, status]).toEqual([slug, 422])
    }
  })
})

describe('content types', () => {
  const post = async (path: string, contentType: string | undefined, body?: string) => {
    const { key: value } = await arden.key()
    return send(`${arden.url}/api/public/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${value}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
    })
  }

  test('another content type is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      undefined,
    ]) {
      const answer = await post('/projects', type, '{"name":"a"}')
      expect([type, answer.status, answer.body.error]).toEqual([
        type,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ])
    }
    expect(
      (await post('/projects', 'Application/JSON; charset=utf-8', '{"name":"a"}')).status,
    ).toBe(201)
  })

  test('an empty body is fine where no member is required, with or without a content type', async () => {
    for (const type of ['application/json', undefined, 'text/plain'])
      expect((await post(`/webhooks/${webhook}/rotate-secret`, type)).status).toBe(200)
    const answer = await post('/projects', 'application/json')
    expect([answer.status, answer.body.message]).toEqual([422, 'name: is required'])
  })

  test('DELETE with a content type and no body passes', async () => {
    const { body } = await live.post('/projects', { name: 'gone' })
    const { key: value } = await arden.key()
    const answer = await send(`${arden.url}/api/public/v1/projects/${body.data.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
  })
})

describe('paths', () => {
  test('404 NOT_FOUND for an unknown path, under the base path and outside', async () => {
    for (const answer of [
      await live.get('/nothing'),
      await live.get(''),
      await live.get('/articles/x/y'),
      await send(`${arden.url}/nothing`),
      await send(`${arden.url}/api/public/v2/articles`),
    ])
      expect([answer.status, answer.body.error]).toEqual([404, 'NOT_FOUND'])
  })

  test('are found whatever the host is called, and a host that is none is a 400', async () => {
    for (const host of ['api', 'h', 'a.b:80']) {
      const answers = await Promise.all(
        ['/healthz', '/api/public/v1/articles'].map(path =>
          send(`${arden.url}${path}`, { headers: { host } }),
        ),
      )
      expect([host, ...answers.map(one => one.status)]).toEqual([host, 200, 401])
    }
    for (const host of ['', 'a b', '[::1', 'x/..'])
      expect((await send(`${arden.url}/healthz`, { headers: { host } })).status).toBe(400)
  })

  test('405 METHOD_NOT_ALLOWED for a known path, with Allow', async () => {
    const answer = await live.delete('/articles')
    expect([answer.status, answer.body.error]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
    expect((await live.post(`/articles/${article}`)).headers.get('allow')).toBe(
      'DELETE, GET, HEAD, PATCH',
    )
  })

  test('404 NOT_FOUND for an id that is unknown, malformed, or of another kind', async () => {
    for (const id of [
      'art_01kafz3v5tf4qrm8z3x9d2c7ne',
      'art_short',
      '%00',
      '%F0%9F%92%A5',
      project,
      `${article}x`,
      "'; DROP TABLE articles; --",
    ]) {
      const answer = await live.get(`/articles/${id}`)
      expect([id, answer.status, answer.body.error]).toEqual([id, 404, 'NOT_FOUND'])
    }
  })

  test('HEAD answers as GET does, without a body', async () => {
    const { key: value } = await arden.key()
    const response = await fetch(`${arden.url}/api/public/v1/articles`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${value}` },
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})

describe('lists', () => {
  test('limit 1..100, and a cursor that this API gave; anything else is a 422 that names it', async () => {
    for (const [query, member] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=ten', 'limit'],
      ['cursor=abc', 'cursor'],
      // A cursor of another list.
      [`cursor=${Buffer.from(project).toString('base64url')}`, 'cursor'],
      ['status=GONE', 'status'],
      ['created_after=yesterday', 'created_after'],
      ['created_after=0001-01-01T00:00:00Z', 'created_after'],
      ['limit=1&limit=2', 'limit'],
      ['status=DRAFT&status=PUBLISHED', 'status'],
    ]) {
      const answer = await live.get(`/articles?${query}`)
      expect([query, answer.status, answer.body.details?.[0].path]).toEqual([query, 422, member])
    }
  })

  test('newest first; following next_cursor gives each record once, whatever is inserted meanwhile', async () => {
    const tester = await arden.client({ mode: 'test' })
    const made: string[] = []
    for (let i = 0; i < 7; i++)
      made.push((await tester.post('/projects', { name: `p${i}` })).body.data.id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await tester.get(`/projects?limit=3${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.body.data.map((one: { id: string }) => one.id))
      cursor = page.body.next_cursor
      await tester.post('/projects', { name: 'later' })
    }
    expect(seen).toEqual(made.reverse())
  })
})

describe('a database that is away', () => {
  test('503 UNAVAILABLE with Retry-After and never a wrong 401; it heals by itself', async () => {
    const proxy = startProxy(arden.env.DATABASE_URL ?? '')
    const config = readConfig({ ...arden.env, DATABASE_URL: proxy.url })
    const behind = await start(config, { serve: true }, createLog(config))
    const someone = client(behind.url, (await arden.key()).key)
    expect((await someone.get('/articles')).status).toBe(200)

    proxy.cut()
    const ready = send(`${behind.url}/readyz`)
    for (const answer of await Promise.all([
      someone.get('/articles'),
      someone.post('/projects', { name: 'p' }),
    ])) {
      expect([answer.status, answer.body.error]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await ready).status).toBe(503)
    expect((await send(`${behind.url}/healthz`)).status).toBe(200)

    proxy.mend()
    await until('it heals', async () => (await someone.get('/articles')).status === 200)
    expect((await send(`${behind.url}/readyz`)).status).toBe(200)
    await behind.stop()
    proxy.stop()
  })
})
