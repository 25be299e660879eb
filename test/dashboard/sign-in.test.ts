import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLink } from '../../src/people/sign-in-links'
import { invitePerson } from '../../src/people/store'
import { type Arden, startArden } from '../support/arden'
import { type Person, person, sessionToken, tokenOf } from '../support/http/person'
import { runArden, spawnArden } from '../support/process'
import { until } from '../support/until'

/** Invitations, signing in, and sessions. */
let arden: Arden
let anonymous: Person

beforeAll(async () => {
  arden = await startArden({ serve: true })
  anonymous = person(arden.url)
})
afterAll(() => arden.stop())

const PASSWORD = 'correct horse battery'
const by = () => ({
  accountId: arden.accountId,
  actor: { type: 'cli' as const, id: 'tests', name: 'tests' },
  address: null,
})
const invited = (email?: string, role: 'owner' | 'member' | 'viewer' = 'member') =>
  arden.sql.begin(tx => invitePerson(tx, by(), email === undefined ? { role } : { email, role }))

/** A user with a password. */
const member = async (email: string) => {
  const { token } = await invited(email)
  const response = await anonymous('POST', '/open/link/sign-in', { token, password: PASSWORD })
  expect(response.status).toBe(200)
  return person(arden.url, tokenOf(response))
}
const signIn = (email: string, password = PASSWORD, as = anonymous) =>
  as('POST', '/open/sign-in', { email, password })
const actions = async (email: string) =>
  (
    await arden.sql<{ action: string }[]>`
      SELECT action FROM audit_entries WHERE actor_name = ${email} ORDER BY id`
  ).map(({ action }) => action)

describe('an invitation', () => {
  test('signs a user in once, who chooses a password', async () => {
    const { token } = await invited('ada@example.com', 'owner')
    const look = await anonymous('POST', '/open/link', { token })
    expect(look.body.data).toEqual({
      email: 'ada@example.com',
      account_name: 'Default',
      purpose: 'invitation',
    })
    const without = await anonymous('POST', '/open/link/sign-in', { token })
    expect([without.status, without.body.details[0].path]).toEqual([422, 'password'])
    const short = await anonymous('POST', '/open/link/sign-in', { token, password: 'short' })
    expect([short.status, short.body.details[0].path]).toEqual([422, 'password'])

    const responses = await Promise.all(
      Array.from({ length: 3 }, () =>
        anonymous('POST', '/open/link/sign-in', { token, password: PASSWORD }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    const cookie = responses.find(({ status }) => status === 200)?.headers.get('set-cookie') ?? ''
    for (const part of ['__Host-arden=', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(cookie).toContain(part)
    expect((await anonymous('POST', '/open/link', { token })).status).toBe(404)
    expect((await signIn(' Ada@Example.com ')).status).toBe(200)
    expect(await actions('ada@example.com')).toEqual([
      'person.password_changed',
      'person.signed_in',
      'person.signed_in',
    ])
  })

  test('without an email address creates a new user only', async () => {
    await member('taken@example.com')
    const { token } = await invited(undefined, 'viewer')
    const use = (email: string) =>
      anonymous('POST', '/open/link/sign-in', { token, email, password: 'another password' })
    expect((await use('TAKEN@example.com')).status).toBe(409)
    expect((await signIn('taken@example.com')).status).toBe(200)
    const response = await use('new@example.com')
    expect(response.status).toBe(200)
    const { body } = await person(arden.url, tokenOf(response))('GET', '/me')
    expect(body.data.person).toMatchObject({ email: 'new@example.com', role: 'viewer' })
  })

  test('for an existing user sets a new password, and ends sessions and older links', async () => {
    const grace = await member('grace@example.com')
    const older = await invited('grace@example.com')
    const { token } = await invited('grace@example.com')
    expect((await anonymous('POST', '/open/link', { token: older.token })).status).toBe(404)
    await anonymous('POST', '/open/link/sign-in', { token, password: 'quite another one' })
    expect((await grace('GET', '/me')).status).toBe(401)
    expect((await signIn('grace@example.com')).status).toBe(401)
    expect((await signIn('grace@example.com', 'quite another one')).status).toBe(200)
  })

  test('expires after 24 hours', async () => {
    const { token } = await invited('late@example.com')
    await arden.sql`UPDATE sign_in_links SET expires_at = now() - interval '1 ms'`
    expect((await anonymous('POST', '/open/link', { token })).status).toBe(404)
    const used = await anonymous('POST', '/open/link/sign-in', { token, password: PASSWORD })
    expect([used.status, used.body.message]).toEqual([404, expect.stringContaining('has expired')])
  })

  test('is printed by the command', async () => {
    const { code, stdout } = await runArden(
      ['users', 'invite', '--account', arden.accountId, '--role', 'owner', '--json'],
      { ...arden.env, ARDEN_PUBLIC_URL: arden.url },
    )
    expect(code).toBe(0)
    const { url } = JSON.parse(stdout)
    expect(url).toStartWith(`${arden.url}/dashboard/sign-in/link#`)
    const { body } = await anonymous('POST', '/open/link', { token: new URL(url).hash.slice(1) })
    expect(body.data.email).toBeNull()
  })

  test('is created in the dashboard by owners only', async () => {
    const owner = person(arden.url, await sessionToken(arden))
    const created = await owner('POST', '/people/invitations', {
      email: 'kim@example.com',
      role: 'viewer',
    })
    expect(created.status).toBe(201)
    expect(created.body.data.secret).toStartWith(`${arden.url}/dashboard/sign-in/link#`)
    const other = person(arden.url, await sessionToken(arden, 'member'))
    const refused = await other('POST', '/people/invitations', { role: 'owner' })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('Ask an owner'),
    ])
  })
})

describe('signing in', () => {
  test('does not reveal whether an email address is known', async () => {
    await member('known@example.com')
    const timed = async (email: string) => {
      const before = performance.now()
      const { status, body } = await signIn(email, 'a wrong password')
      return { status, message: body.message, ms: performance.now() - before }
    }
    await timed('first@example.com')
    const [known, unknown] = [await timed('known@example.com'), await timed('nobody@example.com')]
    expect([known.status, unknown.status]).toEqual([401, 401])
    expect(known.message).toBe(unknown.message)
    // Either checks a password, which takes tens of ms; none would be 2 ms.
    expect(unknown.ms).toBeGreaterThan(known.ms / 5)
  })

  test('is rejected after 10 wrong passwords, by every process, also with the right one', async () => {
    await member('guessed@example.com')
    await member('other@example.com')
    const second = await spawnArden('serve', { ...arden.env })
    const there = person(second.url)
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, n) =>
        signIn('guessed@example.com', `wrong password ${n}`, n % 2 ? anonymous : there),
      ),
    )
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const right = await signIn('guessed@example.com', PASSWORD, there)
    expect([right.status, right.body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
    const seconds = Number(right.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(800)
    expect(seconds).toBeLessThanOrEqual(900)
    expect((await signIn('other@example.com')).status).toBe(200)
    await arden.sql`UPDATE sign_in_tries SET since = since - make_interval(secs => ${seconds})`
    expect((await signIn('guessed@example.com')).status).toBe(200)
    await second.kill('SIGTERM')
  })
})

describe('a session', () => {
  test('ends on sign-out, here or everywhere', async () => {
    const first = await member('lin@example.com')
    const second = person(arden.url, tokenOf(await signIn('lin@example.com')))
    const third = person(arden.url, tokenOf(await signIn('lin@example.com')))
    const sessions = (await first('GET', '/me/sessions')).body.data
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([
      false,
      false,
      true,
    ])
    const out = await first('POST', '/me/sign-out', {})
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await first('GET', '/me')).status).toBe(401)
    expect((await second('GET', '/me')).status).toBe(200)
    await second('POST', '/me/sign-out-everywhere', {})
    expect((await third('GET', '/me')).status).toBe(401)
    expect((await actions('lin@example.com')).slice(-2)).toEqual([
      'person.signed_out',
      'person.signed_out_everywhere',
    ])
  })

  test('expires after 7 days without a request, and after 30 days', async () => {
    const someone = person(arden.url, await sessionToken(arden, 'viewer'))
    const age = (column: string, days: number) => arden.sql`
      UPDATE sessions SET ${arden.sql(column)} = now() - make_interval(days => ${days}, secs => 1)
      WHERE user_agent = 'tests'`
    await age('seen_at', 6)
    expect((await someone('GET', '/me')).status).toBe(200)
    const [{ seen }] = await arden.sql<[{ seen: boolean }]>`
      SELECT bool_or(seen_at > now() - interval '1 minute') AS seen FROM sessions
      WHERE user_agent = 'tests'`
    expect(seen).toBe(true)
    await age('created_at', 30)
    expect((await someone('GET', '/me')).status).toBe(401)
    await age('created_at', 0)
    expect((await someone('GET', '/me')).status).toBe(200)
    await age('seen_at', 7)
    expect((await someone('GET', '/me')).status).toBe(401)
  })

  test('uses a new role from the next request, and ends when the user is disabled', async () => {
    const owner = person(arden.url, await sessionToken(arden))
    const sam = await member('sam@example.com')
    const { id } = (await sam('GET', '/me')).body.data.person
    expect((await sam('POST', '/v1/projects', { name: 'a' })).status).toBe(201)
    await owner('PATCH', `/people/${id}`, { role: 'viewer' })
    expect((await sam('POST', '/v1/projects', { name: 'b' })).status).toBe(403)
    await owner('PATCH', `/people/${id}`, { disabled: true })
    expect((await sam('GET', '/me')).status).toBe(401)
    expect((await signIn('sam@example.com')).status).toBe(401)
    await owner('PATCH', `/people/${id}`, { disabled: false })
    expect((await signIn('sam@example.com')).status).toBe(200)
  })

  test('of the last owner cannot lose its role', async () => {
    await arden.sql`UPDATE people SET role = 'member' WHERE email <> 'owner@example.com'`
    const owner = person(arden.url, await sessionToken(arden))
    const { id } = (await owner('GET', '/me')).body.data.person
    for (const changes of [{ role: 'member' }, { disabled: true }]) {
      const response = await owner('PATCH', `/people/${id}`, changes)
      expect([response.status, response.body.error]).toEqual([409, 'CONFLICT'])
    }
  })

  test('survives a new password, which ends the others', async () => {
    const one = await member('pat@example.com')
    const two = person(arden.url, tokenOf(await signIn('pat@example.com')))
    const wrong = await one('POST', '/me/password', {
      current: 'not it at all',
      password: 'next one here',
    })
    expect([wrong.status, wrong.body.details[0].path]).toEqual([422, 'current'])
    const changed = await one('POST', '/me/password', {
      current: PASSWORD,
      password: 'next one here',
    })
    expect(changed.status).toBe(200)
    expect((await one('GET', '/me')).status).toBe(200)
    expect((await two('GET', '/me')).status).toBe(401)
    expect((await signIn('pat@example.com', 'next one here')).status).toBe(200)
  })

  test('stores only hashes in the database', async () => {
    const token = await sessionToken(arden)
    const link = await arden.sql.begin(tx =>
      createLink(tx, by(), { role: 'viewer' }, 'invitation', 1),
    )
    const [{ text }] = await arden.sql<[{ text: string }]>`
      SELECT (SELECT string_agg(s::text, '') FROM sessions s)
        || (SELECT string_agg(l::text, '') FROM sign_in_links l)
        || (SELECT string_agg(p::text, '') FROM people p) AS text`
    for (const secret of [token, link.token, PASSWORD]) expect(text).not.toContain(secret)
    expect(text).toContain('$argon2id$')
  })
})

describe('the stream', () => {
  test('sends changes of the own account and mode, and ends with the session', async () => {
    const token = await sessionToken(arden, 'member')
    const me = person(arden.url, token)
    const open = async (mode: string) => {
      const response = await fetch(`${arden.url}/dashboard/api/stream?mode=${mode}`, {
        headers: { cookie: `__Host-arden=${token}` },
      })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const heard = { text: '', ended: false }
      const read = async () => {
        const body = response.body?.pipeThrough(new TextDecoderStream()) ?? []
        for await (const chunk of body as AsyncIterable<string>) heard.text += chunk
        heard.ended = true
      }
      read().catch(() => {})
      return heard
    }
    const [live, tests] = [await open('live'), await open('test')]
    // Who opens one later, when the process listens already, has missed nothing.
    await until('the process listens', () => live.text.includes('*'))
    const created = await me('POST', '/v1/projects', { name: 'live one' })
    await until('the live stream sends the topic', () => live.text.includes('"projects"'))
    expect(tests.text).not.toContain('projects')
    // Its articles are deleted with it.
    await me('DELETE', `/v1/projects/${created.body.data.id}`)
    await until('the live stream sends the topic of its articles', () =>
      live.text.includes('"articles"'),
    )
    await me('POST', '/me/sign-out', {})
    await until('both streams end', () => live.ended && tests.ended)
  })
})
