import { describe, expect, test } from 'bun:test'
import pino from 'pino'
import { createOidcProvider } from '../../src/people/oidc/provider'
import { ensurePerson, invitePerson, updatePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { person, sessionToken, tokenOf } from '../support/http/person'
import { followSignIn } from '../support/oidc/browser'
import { useOidcProvider } from '../support/oidc/provider'

/** Sign-in with a real OpenID Connect provider, and what is refused. */

const PUBLIC_URL = 'https://arden.example.com'
const REDIRECT_URI = `${PUBLIC_URL}/dashboard/sign-in/oidc`
const provider = await useOidcProvider(REDIRECT_URI)
const arden = await useArden(
  { serve: true },
  { ...provider.settings, ARDEN_PUBLIC_URL: PUBLIC_URL },
)
const call = person(arden.url)
const visitor = (method: string, path: string, body?: unknown, headers = {}) =>
  call(method, path, body, { origin: PUBLIC_URL, ...headers })
const cli = (accountId = arden.accountId) => ({
  accountId,
  actor: { type: 'cli' as const, id: 'tests', name: 'tests' },
  address: null,
})
const invite = (email?: string, accountId = arden.accountId) =>
  arden.sql.begin(tx =>
    invitePerson(tx, cli(accountId), { role: 'viewer', ...(email !== undefined && { email }) }),
  )

/** Begins a sign-in. `cookie` is that of the browser. */
const begin = async () => {
  const response = await visitor('POST', '/open/oidc', {})
  expect(response.status).toBe(200)
  const cookie = response.headers.get('set-cookie') ?? ''
  return {
    url: String(response.body.data.url),
    cookie: cookie.split(';')[0] ?? '',
    attributes: cookie,
  }
}
const finish = (query: string, cookie: string, invitation?: string) =>
  visitor(
    'POST',
    '/open/oidc/sign-in',
    { query, ...(invitation !== undefined && { invitation }) },
    { cookie },
  )
/** Signs in as a user of the provider. */
const signInAs = async (user: Parameters<typeof provider.signInAs>[0], invitation?: string) => {
  provider.signInAs(user)
  const { url, cookie } = await begin()
  return finish(await followSignIn(url, REDIRECT_URI), cookie, invitation)
}
const meOf = async (response: Awaited<ReturnType<typeof finish>>) => {
  const token = /__Host-arden=([^;]+)/.exec(response.headers.getSetCookie().join('\n'))?.[1] ?? ''
  return (await person(arden.url, token)('GET', '/me')).body.data.person
}

describe('a user of the provider', () => {
  test('is the user with that address, and stays that user when the address changes', async () => {
    await sessionToken(arden)
    const first = await signInAs({ sub: 'owner', email: 'Owner@example.com' })
    expect(first.status).toBe(200)
    expect(await meOf(first)).toMatchObject({ email: 'owner@example.com', role: 'owner' })
    const renamed = await signInAs({ sub: 'owner', email: 'renamed@example.com' })
    expect(await meOf(renamed)).toMatchObject({ email: 'owner@example.com' })
    const actions = await arden.sql<{ action: string; changes: object }[]>`
      SELECT action, changes FROM audit_entries WHERE actor_name = 'owner@example.com' ORDER BY id`
    expect([...actions]).toEqual([
      { action: 'person.identity_linked', changes: { issuer: provider.issuer } },
      { action: 'person.signed_in', changes: { with: 'oidc' } },
      { action: 'person.signed_in', changes: { with: 'oidc' } },
    ])
  })

  test('is linked once by concurrent sign-ins', async () => {
    const user = { sub: 'concurrent', email: 'concurrent@example.com' }
    await arden.sql.begin(tx => ensurePerson(tx, arden.accountId, user.email, 'viewer'))
    const responses = await Promise.all([signInAs(user), signInAs(user), signInAs(user)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('does not become another user who has its address', async () => {
    const other = await signInAs({ sub: 'another', email: 'owner@example.com' })
    expect(other.status).toBe(403)
    expect(other.headers.get('set-cookie')).toBeNull()
  })

  test('without a verified address is refused', async () => {
    await invite('unverified@example.com')
    const user = { sub: 'unverified', email: 'unverified@example.com', email_verified: false }
    expect((await signInAs(user)).status).toBe(403)
  })

  test('who is not invited is refused, and none is created', async () => {
    expect((await signInAs({ sub: 'stranger', email: 'stranger@example.com' })).status).toBe(403)
    expect((await arden.sql`SELECT FROM people WHERE email = 'stranger@example.com'`).length).toBe(
      0,
    )
  })

  test('who is invited joins by the link only, with its role, and it then ends', async () => {
    const { token } = await invite('invited@example.com')
    const user = { sub: 'invited', email: 'invited@example.com' }
    const without = await signInAs(user)
    expect(without.status).toBe(403)
    expect(without.body.message).toContain('Open the link of the invitation')
    expect((await arden.sql`SELECT FROM people WHERE email = ${user.email}`).length).toBe(0)
    const joined = await signInAs(user, token)
    expect(await meOf(joined)).toMatchObject({ email: 'invited@example.com', role: 'viewer' })
    expect((await visitor('POST', '/open/link', { token })).status).toBe(404)
  })

  test('accepts an open invitation with its link, and no invitation of another address', async () => {
    const open = await invite()
    const joined = await signInAs({ sub: 'open', email: 'open@example.com' }, open.token)
    expect(await meOf(joined)).toMatchObject({ email: 'open@example.com', role: 'viewer' })
    const named = await invite('someone@example.com')
    const wrong = await signInAs({ sub: 'wrong', email: 'wrong@example.com' }, named.token)
    expect(wrong.status).toBe(403)
    expect((await visitor('POST', '/open/link', { token: named.token })).status).toBe(200)
  })

  test('whom several accounts have invited chooses by the link', async () => {
    const other = await arden.newAccount()
    const { token } = await invite('two@example.com', other)
    await invite('two@example.com')
    expect((await signInAs({ sub: 'two', email: 'two@example.com' }, token)).status).toBe(200)
    const [row] = await arden.sql`SELECT account_id FROM people WHERE email = 'two@example.com'`
    expect(row?.account_id).toBe(other)
  })

  test('who opened an invitation does not get into another account that has their address', async () => {
    const squatter = await invite(undefined, await arden.newAccount())
    const taken = { token: squatter.token, email: 'taken@example.com', password: 'a long password' }
    expect((await visitor('POST', '/open/link/sign-in', taken)).status).toBe(200)
    const { token } = await invite()
    const user = { sub: 'taken', email: 'taken@example.com' }
    const refused = await signInAs(user, token)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([409, null])
    expect((await arden.sql`SELECT FROM person_identities WHERE subject = 'taken'`).length).toBe(0)
    expect((await visitor('POST', '/open/link', { token })).status).toBe(200)
  })

  test('who is disabled here is refused', async () => {
    const [row] = await arden.sql<{ id: string }[]>`
      SELECT id FROM people WHERE email = 'invited@example.com'`
    await arden.sql.begin(tx => updatePerson(tx, cli(), row?.id ?? '', { disabled: true }))
    expect((await signInAs({ sub: 'invited', email: 'invited@example.com' })).status).toBe(403)
  })
})

describe('a sign-in', () => {
  test('is bound to its browser by a cookie that scripts and other sites do not get', async () => {
    provider.signInAs({ sub: 'owner', email: 'owner@example.com' })
    const { url, attributes } = await begin()
    for (const attribute of ['__Host-', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(attributes).toContain(attribute)
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
    const query = await followSignIn(url, REDIRECT_URI)
    const victim = await begin()
    expect((await finish(query, victim.cookie)).status).toBe(401)
    expect((await finish(query, '')).status).toBe(401)
  })

  test('works once', async () => {
    provider.signInAs({ sub: 'owner', email: 'owner@example.com' })
    const { url, cookie } = await begin()
    const query = await followSignIn(url, REDIRECT_URI)
    expect((await finish(query, cookie)).status).toBe(200)
    expect((await finish(query, cookie)).status).toBe(401)
  })

  test('with a changed state, another issuer, an error or no code is refused', async () => {
    provider.signInAs({ sub: 'owner', email: 'owner@example.com' })
    const { url, cookie } = await begin()
    const query = new URLSearchParams(await followSignIn(url, REDIRECT_URI))
    const changed = (changes: Record<string, string>) =>
      new URLSearchParams({ ...Object.fromEntries(query), ...changes }).toString()
    for (const wrong of [
      changed({ state: 'other' }),
      changed({ iss: 'https://evil.example.com' }),
      changed({ code: 'made-up' }),
      `error=access_denied&state=${query.get('state')}`,
      '',
      '%',
    ]) {
      const response = await finish(wrong, cookie)
      expect([wrong, response.status]).toEqual([wrong, 401])
      expect(response.headers.get('set-cookie')).toBeNull()
    }
  })

  test('that fails counts against the limit of its network', async () => {
    const address = { 'x-forwarded-for': '198.51.100.7' }
    const statuses: number[] = []
    for (let n = 0; n < 60; n++)
      statuses.push((await visitor('POST', '/open/oidc/sign-in', { query: '' }, address)).status)
    expect(statuses.at(-1)).toBe(429)
  })
})

test('while the provider does not respond, a sign-in with it is refused as unavailable', async () => {
  const away = await useArden(
    { serve: true },
    { ...provider.settings, ARDEN_OIDC_ISSUER: 'http://127.0.0.1:1', ARDEN_PUBLIC_URL: PUBLIC_URL },
  )
  const response = await person(away.url)('POST', '/open/oidc', {}, { origin: PUBLIC_URL })
  expect(response.status).toBe(503)
  expect(tokenOf(response)).toBe('')
  const without = await useArden({ serve: true })
  expect((await person(without.url)('POST', '/open/oidc', {})).status).toBe(409)
})

test('the reason of a sign-in without a verified address is in the log', async () => {
  const messages: string[] = []
  const log = pino({}, { write: line => void messages.push(JSON.parse(line).msg) })
  const { ARDEN_OIDC_ISSUER: issuer = '', ARDEN_OIDC_CLIENT_ID: clientId = '' } = provider.settings
  const clientSecret = provider.settings.ARDEN_OIDC_CLIENT_SECRET ?? ''
  const oidc = createOidcProvider({ issuer, clientId, clientSecret }, REDIRECT_URI, log)
  provider.signInAs({ sub: 'new', email: 'new@example.com', email_verified: false })
  const query = await followSignIn(await oidc.authorizationUrl('secret'), REDIRECT_URI)
  await oidc.identify('secret', query, 'req-1').then(
    () => expect.unreachable(),
    error => expect(error).toMatchObject({ code: 'FORBIDDEN' }),
  )
  expect(messages).toEqual(['Single sign-on refused: the provider sent no `email_verified: true`'])
})

test('the reason of a refused client is in the log, with the request id and without the secret', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const { ARDEN_OIDC_ISSUER: issuer = '', ARDEN_OIDC_CLIENT_ID: clientId = '' } = provider.settings
  const config = { issuer, clientId, clientSecret: 'mistyped' }
  const wrong = createOidcProvider(config, REDIRECT_URI, log)
  provider.signInAs({ sub: 'unlucky', email: 'unlucky@example.com' })
  const query = await followSignIn(await wrong.authorizationUrl('secret'), REDIRECT_URI)
  await wrong.identify('secret', query, 'req-1').then(
    () => expect.unreachable(),
    error => expect(error).toMatchObject({ code: 'UNAUTHORIZED' }),
  )
  await wrong
    .identify('secret', 'error=access_denied&error_description=cancelled', 'req-2')
    .catch(() => {})
  expect(lines.map(line => JSON.parse(line))).toEqual([
    expect.objectContaining({
      request_id: 'req-1',
      msg: expect.stringContaining('invalid_client'),
    }),
    expect.objectContaining({ request_id: 'req-2' }),
  ])
  expect(lines.join()).not.toContain('mistyped')
})
