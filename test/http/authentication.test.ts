import { describe, expect, test } from 'bun:test'
import { createAllowedMethods } from '../../src/http/request/paths'
import { generateValue } from '../../src/keys/value'
import { useArden } from '../support/arden'
import { send } from '../support/client'

const base = () => `${arden.url}/api/public/v1`

const arden = await useArden({ serve: true })
const live = await arden.client()

const withAuthorization = (authorization?: string) =>
  send(`${base()}/webhooks/events`, {
    headers: authorization === undefined ? {} : { authorization },
  })

describe('401 UNAUTHORIZED', () => {
  test('a missing header: the message says that the Authorization header is missing', async () => {
    const response = await withAuthorization()
    expect(response.status).toBe(401)
    expect(response.body).toEqual({
      error: 'UNAUTHORIZED',
      message: 'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
    })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each([
    ['no scheme', () => generateValue('live')],
    ['another scheme', () => `Basic ${generateValue('live')}`],
    ['an empty value', () => 'Bearer '],
    ['a wrong prefix', () => `Bearer sk_${generateValue('live').slice(3)}`],
    ['a value that is too short', () => `Bearer ${generateValue('live').slice(0, -1)}`],
    ['a typo, which the checksum reveals', () => `Bearer ${generateValue('live').slice(0, -1)}_`],
    ['two values', () => `Bearer ${generateValue('live')} ${generateValue('live')}`],
    ['a key that was never created', () => `Bearer ${generateValue('test')}`],
  ])('a malformed or unknown key: %s', async (_, authorization) => {
    const response = await withAuthorization(authorization())
    expect(response.status).toBe(401)
    expect(response.body.error).toBe('UNAUTHORIZED')
    expect(response.headers.get('ratelimit')).toBeNull()
  })

  test('a revoked key, from the very next request on', async () => {
    const { id, key } = await arden.key()
    expect((await withAuthorization(`Bearer ${key}`)).status).toBe(200)
    expect((await live.delete(`/api-keys/${id}`)).status).toBe(200)
    const response = await withAuthorization(`Bearer ${key}`)
    expect(response.status).toBe(401)
    expect(response.body.message).toContain('revoked')
  })

  test('an expired key', async () => {
    const { id, key } = await arden.key({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    expect((await withAuthorization(`Bearer ${key}`)).status).toBe(200)
    await arden.sql`UPDATE api_keys SET expires_at = now() - interval '1 ms' WHERE id = ${id}`
    const response = await withAuthorization(`Bearer ${key}`)
    expect(response.status).toBe(401)
    expect(response.body.message).toContain('expired')
  })

  test('a regenerated key: the old value from the very next request on, the new one works', async () => {
    const { id, key } = await arden.key()
    const { body } = await live.post(`/api-keys/${id}/regenerate`)
    expect(body.data.id).toBe(id)
    expect((await withAuthorization(`Bearer ${key}`)).status).toBe(401)
    expect((await withAuthorization(`Bearer ${body.data.key}`)).status).toBe(200)
  })

  test('after 20 wrong keys in a minute from one address its 401s wait a second, valid keys never', async () => {
    const guess = async () => {
      const before = performance.now()
      expect((await withAuthorization(`Bearer ${generateValue('live')}`)).status).toBe(401)
      return performance.now() - before
    }
    await Promise.all(Array.from({ length: 20 }, guess))
    let hasSlowResponse = false
    const slow = guess().finally(() => {
      hasSlowResponse = true
    })
    expect((await live.get('/webhooks/events')).status).toBe(200)
    expect(hasSlowResponse).toBe(false)
    expect(await slow).toBeGreaterThanOrEqual(1000)
  })
})

describe('every route under the base path', () => {
  test('responds 401 without a key, from the route table, unknown paths too', async () => {
    const { body } = await send(`${arden.url}/openapi.json`)
    const routes = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => ({ method: method.toUpperCase(), path })),
    )
    expect(routes.length).toBeGreaterThan(20)
    const unknown = [
      { method: 'GET', path: '/api/public/v1' },
      { method: 'GET', path: '/api/public/v1/nothing' },
      { method: 'PUT', path: '/api/public/v1/articles' },
    ]
    const responses = await Promise.all(
      [...routes, ...unknown].map(async ({ method, path }) => {
        const response = await send(`${arden.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
          method,
          // Malformed on purpose: the body must not be looked at before the key.
          ...(method === 'GET'
            ? {}
            : { body: '{', headers: { 'content-type': 'application/json' } }),
        })
        return `${method} ${path} ${response.status} ${response.body.error}`
      }),
    )
    expect(responses.filter(response => !response.endsWith(' 401 UNAUTHORIZED'))).toEqual([])
  }, 120_000)

  test('is in the OpenAPI document', async () => {
    const { body } = await send(`${arden.url}/openapi.json`)
    expect(Object.keys(body.paths).every(path => path.startsWith('/api/public/v1/'))).toBe(true)
    const methods = createAllowedMethods([
      { method: 'GET', path: '/a/:id' },
      { method: 'DELETE', path: '/a/:id' },
    ])
    expect(methods('/a/1')).toEqual(['DELETE', 'GET', 'HEAD'])
    expect(methods('/b')).toEqual([])
  })
})

describe('scopes', () => {
  test('read allows GET; a read-only key calling POST /articles gets 403 that names the scope', async () => {
    const reader = await arden.client({ scopes: ['read'] })
    expect((await reader.get('/articles')).status).toBe(200)
    for (const response of [
      await reader.post('/articles', {}),
      await reader.patch('/articles/x', {}),
      await reader.delete('/articles/x'),
    ]) {
      expect(response.status).toBe(403)
      expect(response.body.error).toBe('FORBIDDEN')
      expect(response.body.message).toContain('needs the scope "write"')
    }
  })

  test('write allows everything that read allows', async () => {
    const writer = await arden.client({ scopes: ['write'] })
    expect((await writer.get('/articles')).status).toBe(200)
    expect((await writer.post('/projects', { name: 'p' })).status).toBe(201)
  })
})

describe('the order of checks', () => {
  test('429 comes after 401 and before 404, 403 and the body', async () => {
    const limited = await arden.client({ rate_limit: 1, scopes: ['read'] })
    expect((await limited.get('/webhooks/events')).status).toBe(200)
    expect((await limited.get('/nothing')).status).toBe(429)
    expect((await limited.post('/articles', '{')).status).toBe(429)
  })

  test('404 and 405 of the path come before 403, 403 before the body, the body before the record', async () => {
    const reader = await arden.client({ scopes: ['read'] })
    expect((await reader.post('/nothing', '{')).status).toBe(404)
    expect((await reader.post('/articles/x', '{')).status).toBe(405)
    expect((await reader.patch('/articles/x', '{')).status).toBe(403)
    expect((await live.patch('/articles/x', '{')).status).toBe(400)
    expect((await live.patch('/articles/x', { title: 1 })).status).toBe(422)
    expect((await live.patch('/articles/x', { title: 'a' })).status).toBe(404)
  })

  test('whatever passed the limit counts, a 401 and a 429 do not', async () => {
    const { key } = await arden.key({ rate_limit: 3, scopes: ['read'] })
    const call = (path: string, method = 'GET') =>
      send(`${base()}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    const left = async (path: string, method?: string) =>
      (await call(path, method)).headers.get('ratelimit')?.split(';')[1]
    expect(await left('/nothing')).toBe('r=2')
    expect(await left('/articles', 'DELETE')).toBe('r=1')
    expect(await left('/articles', 'POST')).toBe('r=0')
    expect((await call('/articles')).status).toBe(429)
    await arden.sql`UPDATE api_keys SET rate_limit = 4 WHERE prefix = ${key.slice(0, 12)}`
    expect(await left('/articles')).toBe('r=0')
  })
})

describe('headers of every response', () => {
  test('X-Request-Id is made, or kept when it is 1 to 64 of A-Za-z0-9_-', async () => {
    const response = await live.get('/webhooks/events')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    for (const [own, kept] of [
      ['abc_DEF-123', true],
      ['a'.repeat(64), true],
      ['a'.repeat(65), false],
      ['a b', false],
    ] as const) {
      const { headers } = await live.get('/nothing', { 'x-request-id': own })
      expect(headers.get('x-request-id') === own).toBe(kept)
    }
    for (const path of ['/healthz', '/nothing', '/docs', '/api/public/v1/articles'])
      expect((await send(`${arden.url}${path}`)).headers.get('x-request-id')).toBeTruthy()
  })

  test('RateLimit-Policy and RateLimit on every authenticated response, errors included', async () => {
    const someone = await arden.client({ rate_limit: 10 })
    for (const response of [
      await someone.get('/webhooks/events'),
      await someone.get('/nothing'),
      await someone.post('/articles', {}),
    ]) {
      expect(response.headers.get('ratelimit-policy')).toBe('"default";q=10;w=3600')
      expect(response.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
    }
  })
})
