import { describe, expect, test } from 'bun:test'
import { TOPICS } from '../../src/notifications/topics'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { COOKIE, person, sessionToken } from '../support/http/person'
import { listRoutes } from '../support/http/routes'

/** Access to every route of the route table by sessions, roles and API keys. */

type Route = { method: string; path: string }
const declaredBy = (hooks: { topics?: string[]; role?: string }) => ({
  topics: hooks.topics,
  role: hooks.role,
})
const isTopic = (text: string) => (TOPICS as readonly string[]).includes(text)

const arden = await useArden({ serve: true })
const token = await sessionToken(arden)
const anonymous = person(arden.url)
const owner = person(arden.url, token)
const member = person(arden.url, await sessionToken(arden, 'member'))
const viewer = person(arden.url, await sessionToken(arden, 'viewer'))
const all = listRoutes(arden.sql)
const declared = all.map(({ method, path, hooks }) => ({
  method,
  path,
  ...declaredBy(hooks),
}))
const routes = all.map(({ method, path }) => ({
  method,
  path: path.replaceAll(/:\w+/g, 'x'),
}))

const under = (prefix: string) => {
  const found = routes.filter(({ path }) => path.startsWith(`${prefix}/`) || path === prefix)
  expect(found.length).toBeGreaterThan(2)
  return found
}
const below = (path: string) => path.slice('/dashboard/api'.length)
const isOpen = ({ path }: Route) => path.startsWith('/dashboard/api/open/')
const isMine = ({ path }: Route) => /^\/dashboard\/api\/me(\/|$)/.test(path)

/** The routes whose response is different. */
const unexpected = async (
  candidates: Route[],
  call: (route: Route) => Promise<{ status: number; body: { error?: string } }>,
  expected: string,
) => {
  const responses = await Promise.all(
    candidates.map(async route => {
      const { status, body } = await call(route)
      return `${route.method} ${route.path} ${status} ${body.error}`
    }),
  )
  return responses.filter(response => !response.endsWith(` ${expected}`))
}

describe('the dashboard’s routes', () => {
  test('respond 401 without a session, for unknown paths and any body', async () => {
    const closed = under('/dashboard/api').filter(route => !isOpen(route))
    expect(closed.length).toBeGreaterThan(50)
    const unknown = [{ method: 'GET', path: '/dashboard/api/nothing' }]
    expect(
      await unexpected(
        [...closed, ...unknown],
        ({ method, path }) =>
          anonymous(method, below(path), method === 'GET' ? undefined : { unknown: true }),
        '401 UNAUTHORIZED',
      ),
    ).toEqual([])
  })

  test('do not accept an API key', async () => {
    const { key } = await arden.key()
    const closed = under('/dashboard/api').filter(route => !isOpen(route))
    expect(
      await unexpected(
        closed,
        ({ method, path }) =>
          anonymous(method, below(path), undefined, { authorization: `Bearer ${key}` }),
        '401 UNAUTHORIZED',
      ),
    ).toEqual([])
  })

  test('declare the topics that a change notifies open dashboards of', () => {
    // A person's session and password have no topic: no open page shows them to anyone else.
    const changes = declared.filter(
      ({ method, path }) =>
        method !== 'GET' && /^\/(dashboard\/api|api\/public\/v1)\/(?!open\/|me\/)/.test(path),
    )
    expect(changes.length).toBeGreaterThan(40)
    const missing = changes.filter(
      ({ topics }) => topics === undefined || topics.length === 0 || !topics.every(isTopic),
    )
    expect(missing).toEqual([])
  })

  test('reject changes from another origin, sign-in included', async () => {
    const changes = under('/dashboard/api').filter(({ method }) => method !== 'GET')
    for (const origin of ['https://evil.example', 'null', `${arden.url}.evil.example`, ''])
      expect(
        await unexpected(
          changes,
          ({ method, path }) => owner(method, below(path), {}, { origin }),
          '403 FORBIDDEN',
        ),
      ).toEqual([])
  })

  test('let a viewer read, and change only the own session', async () => {
    const changes = under('/dashboard/api').filter(
      route => route.method !== 'GET' && !isOpen(route) && !isMine(route),
    )
    expect(
      await unexpected(
        changes,
        ({ method, path }) => viewer(method, below(path), {}),
        '403 FORBIDDEN',
      ),
    ).toEqual([])
    expect((await viewer('GET', '/v1/api-keys')).status).toBe(200)
    expect((await viewer('GET', '/people')).status).toBe(200)
    const refused = await viewer('POST', '/v1/projects', { name: 'x' })
    expect(refused.body.message).toContain('viewer@example.com is a viewer')
  })

  test('let a member change records, and nothing that requires an owner', async () => {
    const forOwners = declared
      .filter(({ role }) => role === 'owner')
      .map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+/g, 'x') }))
    expect(forOwners.length).toBeGreaterThan(2)
    for (const person of [member, viewer])
      expect(
        await unexpected(
          forOwners,
          ({ method, path }) => person(method, below(path), method === 'GET' ? undefined : {}),
          '403 FORBIDDEN',
        ),
      ).toEqual([])
    expect((await member('POST', '/v1/projects', { name: 'x' })).status).toBe(201)
    const refused = await member('POST', '/people/invitations', { role: 'viewer' })
    expect(refused.body.message).toContain('member@example.com is a member')
  })

  test('respond 404 and 405 for the path after 401 and before 403', async () => {
    expect((await viewer('GET', '/v1/nothing')).status).toBe(404)
    expect((await viewer('DELETE', '/v1/projects')).status).toBe(405)
  })
})

describe('the public API’s routes', () => {
  test('do not accept a session', async () => {
    expect(
      await unexpected(
        under('/api/public/v1'),
        ({ method, path }) =>
          send(`${arden.url}${path}`, {
            method,
            headers: { cookie: `${COOKIE}=${token}`, origin: arden.url },
          }),
        '401 UNAUTHORIZED',
      ),
    ).toEqual([])
  })

  test('are mounted for sessions, except for the event stream, and the dashboard’s own are not documented', async () => {
    const names = (prefix: string) =>
      under(prefix).map(({ method, path }) => `${method} ${path.slice(prefix.length)}`)
    // The dashboard has its own stream, of changed topics.
    const forPeople = names('/api/public/v1').filter(name => name !== 'GET /events/stream')
    expect(names('/dashboard/api/v1')).toEqual(forPeople)
    const { body } = await send(`${arden.url}/openapi.json`)
    expect(Object.keys(body.paths).filter(path => path.includes('dashboard'))).toEqual([])
  })
})

describe('a signed-in user', () => {
  test('must choose the mode with each request', async () => {
    const created = await owner(
      'POST',
      '/v1/projects',
      { name: 'Mine' },
      { 'x-arden-mode': 'test' },
    )
    expect([created.status, created.body.data.test_mode]).toEqual([201, true])
    const path = `/v1/projects/${created.body.data.id}`
    expect((await owner('GET', path)).status).toBe(404)
    expect((await owner('GET', path, undefined, { 'x-arden-mode': 'test' })).status).toBe(200)
    const wrong = await owner('GET', '/v1/projects', undefined, { 'x-arden-mode': 'both' })
    expect([wrong.status, wrong.body.message]).toEqual([422, 'X-Arden-Mode: must be live or test'])
  })

  test('is named in the audit history, with the address', async () => {
    const { body } = await owner('POST', '/v1/api-keys', { name: 'By a person', scopes: ['read'] })
    const [entry] = await arden.sql`
      SELECT actor_type, actor_id, actor_name, address FROM audit_entries
      WHERE subject_id = ${body.data.id}`
    expect(entry).toEqual({
      actor_type: 'user',
      actor_id: expect.stringMatching(/^usr_/),
      actor_name: 'owner@example.com',
      address: '127.0.0.1',
    })
  })

  test('repeats no POST under an Idempotency-Key, in each mode', async () => {
    const post = (mode: string) =>
      owner(
        'POST',
        '/v1/projects',
        { name: 'Once' },
        { 'idempotency-key': 'k1', 'x-arden-mode': mode },
      )
    const first = await post('live')
    const again = await post('live')
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await post('test')).status).toBe(409)
  })

  test('has no current API key', async () => {
    expect((await owner('GET', '/v1/api-keys/current')).status).toBe(404)
  })
})

describe('the pages', () => {
  test('are one file at every address, with a strict policy and no caching', async () => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/live/keys', '/dashboard/a/b/c']) {
      const { status, headers, body } = await send(`${arden.url}${path}`)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';")
      expect(policy).not.toContain('unsafe')
      // No other host, and nothing inline.
      expect(body).not.toMatch(/<style|<script>| style=| on\w+=|https?:/)
    }
  })

  test('have compressed assets with hashed names, cached forever', async () => {
    const { body } = await send(`${arden.url}/dashboard`)
    const [script = ''] = /\/dashboard\/assets\/main-\w+\.js/.exec(body) ?? []
    const sizes: number[] = []
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await fetch(`${arden.url}${script}`, {
        headers: { 'accept-encoding': encoding },
        decompress: false,
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      sizes.push((await response.arrayBuffer()).byteLength)
    }
    const [br = 0, gzip = 0, identity = 0] = sizes
    expect(br).toBeLessThan(gzip)
    expect(gzip).toBeLessThan(identity)
    expect((await send(`${arden.url}/dashboard/assets/main-0000.js`)).status).toBe(404)
    expect((await send(`${arden.url}/dashboard/assets/..%2f..%2fpackage.json`)).status).toBe(404)
  })
})
