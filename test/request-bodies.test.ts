import { afterAll, describe, expect, test } from 'bun:test'
import { startArden } from './support/arden'
import { send } from './support/client'
import { oneOfEach } from './support/one-of-each'

const arden = await startArden({ serve: true })
const live = await arden.client()
const { project, article, webhook, key } = await oneOfEach(live)
afterAll(() => arden.stop())

/** Each endpoint with a body: a body it takes, and for each member a value of the wrong type. */
const endpoints = [
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
    for (const { method, path, good, required } of endpoints)
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
    for (const { method, path, good, wrong } of endpoints)
      for (const [member, value] of Object.entries(wrong)) {
        const answer = await live[method](path, { ...good, [member]: value })
        expect([path, member, answer.status]).toEqual([path, member, 422])
        expect(answer.body.message.startsWith(member)).toBe(true)
        expect(answer.body.details[0].path.split('.')[0]).toBe(member)
      }
  })

  test('an unknown member is a 422 that names it', async () => {
    for (const { method, path, good } of endpoints) {
      const answer = await live[method](path, { ...good, colour: 'red' })
      expect([path, answer.status, answer.body.message]).toEqual([
        path,
        422,
        'colour: is not a member of this request',
      ])
    }
  })

  test('an oversized member is a 422 that names it', async () => {
    for (const { method, path, good, oversized } of endpoints) {
      const answer = await live[method](path, { ...good, ...oversized })
      expect([path, answer.status]).toEqual([path, 422])
      expect(answer.body.details[0].path).toBe(Object.keys(oversized)[0])
    }
  })

  test('a body that is no object is a 422', async () => {
    for (const { method, path, required } of endpoints)
      for (const body of ['[]', 'null', '"text"', '5']) {
        const answer = await live[method](path, body)
        expect([path, body, answer.status]).toEqual([path, body, 422])
        if (required.length > 0) expect(answer.body.message).toBe('body: must be a JSON object')
      }
  })

  test('a body over 1 MiB is a 413, with a length or in chunks', async () => {
    for (const { method, path } of endpoints) {
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
    for (const { method, path } of endpoints) {
      const answer = await live[method](path, '{"name": ')
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'INVALID_JSON'])
    }
  })

  test('U+0000 in any string is a 422 that names the member', async () => {
    for (const { method, path, good } of endpoints) {
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
