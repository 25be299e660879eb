import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { oneOfEach } from '../support/http/one-of-each'

const arden = await useArden({ serve: true })
const live = await arden.client()
const { project, article, webhook, key } = await oneOfEach(live)

describe('malformed requests', () => {
  test('a DELETE takes no member: an unknown one is a 422 that names it, and nothing is deleted', async () => {
    const { key: value } = await arden.key()
    for (const path of [
      `/projects/${project}`,
      `/articles/${article}`,
      `/webhooks/${webhook}`,
      `/api-keys/${key}`,
    ]) {
      const response = await send(`${arden.url}/api/public/v1${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        body: '{"force": true}',
      })
      expect([path, response.status, response.body.message]).toEqual([
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

  test('a value whose members have the names of methods is a 422 as any other', async () => {
    for (const name of ['{"toString": null}', '[{"toString": 1, "valueOf": 1}]', '{"toJSON": 1}']) {
      const response = await live.post('/projects', `{"name": ${name}}`)
      expect([name, response.status, response.body.message]).toEqual([
        name,
        422,
        'name: must be a string',
      ])
    }
  })

  test('deep nesting is a 422, not a stack that overflows', async () => {
    const response = await live.post(
      '/projects',
      `{"name": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    )
    expect([response.status, response.body.message]).toEqual([
      422,
      expect.stringContaining('is nested deeper than 32 levels'),
    ])
    expect(response.body.message.length).toBeLessThan(300)
  })

  test('a body of half a million values or wrong members is refused in a short response', async () => {
    const many = (count: number, item: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => item(n)).join(',')
    for (const [path, body] of [
      ['/projects', `{"name": "p", "a": [${many(500_000, () => '0')}]}`],
      ['/projects', `{"name": "p", ${many(80_000, n => `"${n}": 0`)}}`],
      ['/api-keys', `{"name": "k", "scopes": [${many(100_000, n => `"${n}"`)}]}`],
    ] as const) {
      const response = await live.post(path, body)
      expect(response.status).toBe(422)
      expect(JSON.stringify(response.body).length).toBeLessThan(20_000)
    }
  })

  test('U+0000 in a query is a 422, and a broken escape is too, and in a path a 404', async () => {
    for (const member of ['project_id', 'keyword_id', 'cursor']) {
      const response = await live.get(`/articles?${member}=%00`)
      expect([member, response.status, response.body.details[0].path]).toEqual([
        member,
        422,
        member,
      ])
    }
    expect((await live.get('/articles/%ZZ')).status).toBe(404)
    for (const text of ['%', '%E0%A4%A', '%ff', 'a%zz']) {
      const { status, body } = await live.get(`/articles?search=${text}`)
      expect([text, status, body.details]).toEqual([
        text,
        422,
        [{ path: 'search', message: expect.stringContaining('percent-encoding') }],
      ])
    }
  })

  test.each([
    ['get /healthz HTTP/1.1\r\nHost: arden', ''],
    ['FOO /healthz HTTP/1.1\r\nHost: arden', ''],
    ['hello', 'HTTP/1.1 400'],
    ['GET /healthz HTTP/1.1', 'HTTP/1.1 400'],
    ['GET /', 'HTTP/1.1 505'],
  ])('what Bun refuses has no body, or no response: %j', async (head, beginning) => {
    const { hostname, port } = new URL(arden.url)
    const closed = Promise.withResolvers<string>()
    let received = ''
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: socket => void socket.write(`${head}\r\n\r\n`),
        data: (_, chunk) => {
          received += chunk.toString()
        },
        close: () => closed.resolve(received),
      },
    })
    const response = await closed.promise
    expect(response).toStartWith(beginning)
    expect(response.split('\r\n\r\n')[1] ?? '').toBe('')
  })

  test('an unknown query member of a list is a 422 that names it', async () => {
    const response = await live.get('/articles?stauts=DRAFT')
    expect([response.status, response.body.message]).toEqual([
      422,
      'stauts: is not a member of this request',
    ])
  })

  test('describes a member with the wrong format', async () => {
    const response = await live.post('/articles', { project_id: project, title: 't', slug: 'aaa!' })
    expect(response.body.message).toStartWith('slug: has the wrong format: Letters and digits')
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
