import { describe, expect, test } from 'bun:test'
import { startArden, useArden } from '../support/arden'
import { send } from '../support/client'
import { person, sessionToken } from '../support/http/person'

/** Headers that keep secrets out of caches, and browsers from guessing (contract 1.9). */

const PUBLIC_URL = 'https://arden.example.com'

const arden = await useArden({ serve: true }, { ARDEN_PUBLIC_URL: PUBLIC_URL })
const api = await arden.client()

const PATHS = [
  '/api/public/v1/projects',
  '/api/public/v1/unknown',
  '/unknown',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/docs',
  '/docs/swagger-ui.css',
  '/dashboard',
  '/dashboard/api/me',
]

test('forbid browsers to guess a content type, on every response', async () => {
  for (const path of PATHS)
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const { headers } = await fetch(`${arden.url}${path}`, { method })
      expect([method, path, headers.get('x-content-type-options')]).toEqual([
        method,
        path,
        'nosniff',
      ])
    }
  const authenticated = await api.get('/projects')
  expect(authenticated.headers.get('x-content-type-options')).toBe('nosniff')
})

test('require https of browsers where the public URL is https', async () => {
  for (const path of PATHS) {
    const { headers } = await fetch(`${arden.url}${path}`)
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
  }
})

test('do not require https where the public URL is http or not set', async () => {
  for (const settings of [{ ARDEN_PUBLIC_URL: 'http://localhost:3000' }, {}]) {
    const other = await startArden({ serve: true }, settings)
    const { headers } = await fetch(`${other.url}/dashboard`)
    expect(headers.get('strict-transport-security')).toBeNull()
    await other.stop()
  }
})

test('keep every response that shows a key or a secret out of caches', async () => {
  const scopes = ['read']
  const key = await api.post('/api-keys', { name: 'a', scopes })
  const webhook = await api.post('/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['article.created'],
  })
  const responses = [
    key,
    await api.post(`/api-keys/${key.body.data.id}/regenerate`),
    webhook,
    await api.post(`/webhooks/${webhook.body.data.id}/rotate-secret`),
  ]
  for (const { status, body, headers } of responses) {
    expect(status).toBeLessThan(300)
    expect(body.data.key ?? body.data.secret).toBeString()
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

describe('a change in the dashboard', () => {
  test('is accepted from the exact origin of the public URL only', async () => {
    const owner = person(arden.url, await sessionToken(arden))
    const statusOf = async (origin: string, headers: Record<string, string> = {}) =>
      (await owner('POST', '/v1/projects', { name: 'x' }, { origin, ...headers })).status
    expect(await statusOf(PUBLIC_URL)).toBe(201)
    for (const origin of [
      'http://arden.example.com',
      'https://arden.example.com:8443',
      'https://evil.example.com',
      arden.url,
      'null',
      '',
    ])
      expect([origin, await statusOf(origin)]).toEqual([origin, 403])
    // Also where the proxy passes the public host on.
    const host = { host: 'arden.example.com' }
    expect(await statusOf('http://arden.example.com', host)).toBe(403)
    expect(await statusOf(PUBLIC_URL, host)).toBe(201)
  })

  test('that is refused names the URL to open', async () => {
    const { status, body } = await send(`${arden.url}/dashboard/api/open/sign-in`, {
      method: 'POST',
      headers: { origin: arden.url, 'content-type': 'application/json' },
      body: '{"email":"a@example.com","password":"wrong"}',
    })
    expect(status).toBe(403)
    expect(body.message).toContain(`${PUBLIC_URL}/dashboard`)
  })
})

test('the page of the API keeps no key in the browser', async () => {
  const script = await (await fetch(`${arden.url}/docs/start.js`)).text()
  expect(script).toContain('SwaggerUIBundle')
  expect(script).not.toContain('persistAuthorization: true')
})
