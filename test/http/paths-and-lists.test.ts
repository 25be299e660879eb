import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { oneOfEach } from '../support/http/one-of-each'

const arden = await useArden({ serve: true })
const live = await arden.client()
const { project, article } = await oneOfEach(live)

describe('paths', () => {
  test('404 NOT_FOUND for an unknown path, under the base path and outside', async () => {
    for (const response of [
      await live.get('/nothing'),
      await live.get(''),
      await live.get('/articles/x/y'),
      await send(`${arden.url}/nothing`),
      await send(`${arden.url}/api/public/v2/articles`),
    ])
      expect([response.status, response.body.error]).toEqual([404, 'NOT_FOUND'])
  })

  test('are found whatever the host is called, and a host that is none is a 400', async () => {
    for (const host of ['api', 'h', 'a.b:80']) {
      const responses = await Promise.all(
        ['/healthz', '/api/public/v1/articles'].map(path =>
          send(`${arden.url}${path}`, { headers: { host } }),
        ),
      )
      expect([host, ...responses.map(one => one.status)]).toEqual([host, 200, 401])
    }
    for (const host of ['', 'a b', '[::1', 'x/..'])
      expect((await send(`${arden.url}/healthz`, { headers: { host } })).status).toBe(400)
  })

  test('405 METHOD_NOT_ALLOWED for a known path, with Allow', async () => {
    const response = await live.delete('/articles')
    expect([response.status, response.body.error]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
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
      const response = await live.get(`/articles/${id}`)
      expect([id, response.status, response.body.error]).toEqual([id, 404, 'NOT_FOUND'])
    }
  })

  test('HEAD responds as GET does, without a body', async () => {
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
      const response = await live.get(`/articles?${query}`)
      expect([query, response.status, response.body.details?.[0].path]).toEqual([
        query,
        422,
        member,
      ])
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
