import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashToken, newToken } from '../../src/people/token'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'
import { goArden, runArden } from '../support/process'
import { until } from '../support/until'

/** `arden login`, its profiles, and the sign-in of a command line (contract 3.23). */

const arden = await useArden({ serve: true })
const owner = person(arden.url, await sessionToken(arden, 'owner'))
const stranger = person(arden.url)

const challengeOf = (secret: string) => hashToken(secret).toString('base64url')

const approve = (challenge: string, by = owner, more: object = {}) =>
  by('POST', '/cli-sign-ins', {
    challenge,
    name: 'Laptop',
    mode: 'test',
    scopes: ['read', 'write'],
    ...more,
  })

const claim = (secret: string) => stranger('POST', '/open/cli-sign-in', { secret })

const newHome = async () => ({
  XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), 'arden-profiles-')),
})

const startLogin = (env: Record<string, string>, options: string[] = []) =>
  goArden(['login', '--no-browser', '--url', arden.url, '--json', ...options], env)

/** The link that the command line shows. */
const linkOf = async (printed: { err: string }) => {
  await until('it shows the link', () => /challenge=\S+\n/.test(printed.err))
  const link = new URL(/http\S+/.exec(printed.err)?.[0] ?? '')
  return { link, challenge: link.searchParams.get('challenge') ?? '' }
}

/** Signs in as a user does who opens the link and approves it. */
const login = async (env: Record<string, string>, options: string[] = [], more: object = {}) => {
  const { child, printed } = startLogin(env, options)
  const { link, challenge } = await linkOf(printed)
  expect((await approve(challenge, owner, more)).status).toBe(201)
  expect(await child.exited).toBe(0)
  await until('its output is read', () => printed.out.endsWith('\n'))
  return { link, printed, result: JSON.parse(printed.out) }
}

const statusWith = async (key: string) => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${arden.url}/api/public/v1/projects`, { headers })).status
}

describe('arden login', () => {
  test('keeps a key that a user approved in a file of mode 0600, and commands use it', async () => {
    const env = await newHome()
    const { link, printed, result } = await login(env)
    expect(link.pathname).toBe('/dashboard/test/connect')
    expect(result).toEqual({
      profile: 'default',
      url: arden.url,
      id: expect.stringMatching(/^key_/),
      name: 'Laptop',
      mode: 'test',
      scopes: ['read', 'write'],
    })
    const file = join(env.XDG_CONFIG_HOME, 'arden/profiles.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { key } = (await Bun.file(file).json()).profiles.default
    for (const text of [link.href, printed.out, printed.err]) expect(text).not.toContain(key)

    const created = await runArden(['projects', 'create', '--name', 'Mine', '--json'], env)
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'Mine', test_mode: true })
    const [entry] = await arden.sql`
      SELECT action, actor_type, actor_name, address FROM audit_entries WHERE subject_id = ${result.id}`
    expect(entry).toEqual({
      action: 'api_key.created',
      actor_type: 'user',
      actor_name: 'owner@example.com',
      address: '127.0.0.1',
    })
  })

  test('a profile is chosen, listed and left; its key goes to its own server only, and is revoked', async () => {
    const env = await newHome()
    const json = async (...args: string[]) =>
      JSON.parse((await runArden([...args, '--json'], env)).stdout)
    await login(env, ['--profile', 'test'])
    await login(env, ['--profile', 'reader'], { scopes: ['read'], mode: 'live' })
    expect(await json('profiles', 'list')).toEqual([
      { name: 'test', url: arden.url, mode: 'test', current: false },
      { name: 'reader', url: arden.url, mode: 'live', current: true },
    ])
    const file = Bun.file(join(env.XDG_CONFIG_HOME, 'arden/profiles.json'))
    const { profiles } = await file.json()
    const [refused, chosen, elsewhere, both, unknown, ambiguous] = await Promise.all([
      runArden(['projects', 'create', '--name', 'x'], env),
      runArden(['projects', 'create', '--name', 'x', '--profile', 'test'], env),
      runArden(['projects', 'list'], { ...env, ARDEN_URL: 'https://api.example.test' }),
      runArden(['projects', 'list', '--profile', 'test', '--key', 'ar_test_x'], env),
      runArden(['projects', 'list'], { ...env, ARDEN_PROFILE: 'gone' }),
      runArden(['projects', 'list'], { ...env, ARDEN_PROFILE: 'test', ARDEN_API_KEY: 'ar_live_x' }),
    ])
    expect([ambiguous.code, ambiguous.stdout]).toEqual([2, ''])
    expect(ambiguous.stderr).toContain('ARDEN_API_KEY and ARDEN_PROFILE are both set')
    expect([refused.code, chosen.code]).toEqual([4, 0])
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining(arden.url)])
    expect([both.code, unknown.code]).toEqual([2, 2])

    // A key that only reads cannot revoke itself.
    const left = await runArden(['logout', '--json'], env)
    expect([left.code, JSON.parse(left.stdout)]).toEqual([4, { profile: 'reader', revoked: false }])
    expect(left.stderr).toContain('API keys in the dashboard')
    const next = 'No profile is in use. Use the one that is left with: arden profiles use test'
    expect(left.stderr).toContain(next)
    expect((await runArden(['projects', 'list'], env)).stderr).toContain(next)
    expect(await json('profiles', 'use', 'test')).toMatchObject({ name: 'test', current: true })
    expect(await json('logout')).toEqual({ profile: 'test', revoked: true })
    expect(await statusWith(profiles.test.key)).toBe(401)
    const revoked = await runArden(['projects', 'list', '--key', profiles.test.key], {
      ARDEN_URL: arden.url,
    })
    expect([revoked.code, revoked.stderr]).toEqual([4, expect.stringContaining('key of --key')])
    expect(revoked.stderr).toContain('This API key was revoked.')
    expect(revoked.stderr).toContain('arden login')
    expect(await json('profiles', 'list')).toEqual([])
  })

  test('says that the server cannot be reached, and that the file is damaged', async () => {
    const env = await newHome()
    const away = await runArden(['login', '--url', 'http://127.0.0.1:9'], env)
    expect([away.code, away.stderr]).toEqual([3, expect.stringContaining('cannot be reached')])
    const kept = { url: 'http://127.0.0.1:9', key: 'ar_test_x' }
    await Bun.write(
      join(env.XDG_CONFIG_HOME, 'arden/profiles.json'),
      JSON.stringify({ current: 'kept', profiles: { kept } }),
    )
    const left = await runArden(['logout'], env)
    expect([left.code, left.stderr]).toEqual([3, expect.stringContaining('was not revoked')])
    await Bun.write(join(env.XDG_CONFIG_HOME, 'arden/profiles.json'), '{"profiles": []}')
    const damaged = await runArden(['profiles', 'list'], env)
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('is damaged')])
  })

  test('shows no link when the key could not be kept', async () => {
    const damaged = await newHome()
    await Bun.write(join(damaged.XDG_CONFIG_HOME, 'arden/profiles.json'), '{"profiles": []}')
    // A file is in the place of the folder, so that the profiles cannot be written, by root neither.
    const readOnly = await newHome()
    await Bun.write(join(readOnly.XDG_CONFIG_HOME, 'arden'), '')
    for (const env of [damaged, readOnly]) {
      const { code, stderr } = await runArden(['login', '--no-browser', '--url', arden.url], env)
      expect([code, stderr]).toEqual([1, expect.not.stringContaining('challenge=')])
    }
  })

  test('revokes the key when the profiles can no longer be written', async () => {
    const env = await newHome()
    const { child, printed } = startLogin(env)
    const { challenge } = await linkOf(printed)
    await rm(join(env.XDG_CONFIG_HOME, 'arden'), { recursive: true })
    await Bun.write(join(env.XDG_CONFIG_HOME, 'arden'), '')
    await approve(challenge, owner, { name: 'Not kept' })
    expect(await child.exited).toBe(1)
    await until('it says so', () => printed.err.includes('The key is revoked.'))
    const keys = await arden.sql`SELECT revoked_at FROM api_keys WHERE name = 'Not kept'`
    expect(keys.map(one => one.revoked_at)).toEqual([expect.any(Date)])
  })

  test('says what comes before the profile, and which key it had before', async () => {
    const env = await newHome()
    // The URL of a page, as in the address bar, signs in as well.
    await login(env, ['--url', `${arden.url}/dashboard/test/overview`])
    const { profiles } = await Bun.file(join(env.XDG_CONFIG_HOME, 'arden/profiles.json')).json()
    expect(profiles.default.url).toBe(arden.url)
    const { printed } = await login({ ...env, ARDEN_API_KEY: 'ar_test_x' })
    expect(printed.err).toContain(profiles.default.key.slice(0, 12))
    expect(printed.err).not.toContain(profiles.default.key)
    expect(printed.err).toContain('ARDEN_API_KEY is set')
    const use = (more: object) => runArden(['profiles', 'use', 'default'], { ...env, ...more })
    expect((await use({ ARDEN_API_KEY: 'ar_test_x' })).stderr).toContain('ARDEN_API_KEY is set')
    expect((await use({ ARDEN_PROFILE: 'other' })).stderr).toContain('ARDEN_PROFILE is set')
    expect((await use({ ARDEN_PROFILE: 'default' })).stderr).toBe('')
  })
})

describe('the sign-in of a command line', () => {
  test('gives the key to the secret of the approved challenge, once', async () => {
    const secret = newToken()
    expect((await claim(secret)).body).toEqual({ data: { key: null } })
    await approve(challengeOf(secret))
    // Neither another secret nor the challenge itself is enough.
    for (const wrong of [newToken(), challengeOf(secret)])
      expect((await claim(wrong)).body).toEqual({ data: { key: null } })
    const responses = await Promise.all([claim(secret), claim(secret), claim(secret)])
    const keys = responses.flatMap(({ body }) => body.data.key ?? [])
    expect(keys).toHaveLength(1)
    expect(responses[0]?.headers.get('cache-control')).toBe('no-store')
    expect(await statusWith(keys[0].key)).toBe(200)
    expect((await claim(secret)).body).toEqual({ data: { key: null } })
    // The terminal has its key: another approval would have no effect.
    const again = await approve(challengeOf(secret))
    expect([again.status, again.body.message]).toEqual([
      409,
      expect.stringMatching(/already approved .* run `arden login` again/),
    ])
    expect((await claim(secret)).body).toEqual({ data: { key: null } })
  })

  test('is not approved by a viewer, nor by another user after the first', async () => {
    const viewer = person(arden.url, await sessionToken(arden, 'viewer'))
    const member = person(arden.url, await sessionToken(arden, 'member'))
    const secret = newToken()
    expect((await approve(challengeOf(secret), viewer)).status).toBe(403)
    expect((await approve(challengeOf(secret), member)).status).toBe(201)
    expect((await approve(challengeOf(secret))).status).toBe(409)
    expect((await approve(challengeOf(secret), member, { name: 'Other' })).status).toBe(201)
    expect((await claim(secret)).body.data.key.name).toBe('Other')
  })

  test('gives no key after its time, nor when the user has lost the right', async () => {
    const late = newToken()
    await approve(challengeOf(late), owner, { name: 'Never' })
    await arden.sql`UPDATE cli_sign_ins SET expires_at = now() - interval '1 second'`
    expect((await claim(late)).body).toEqual({ data: { key: null } })
    expect((await approve(challengeOf(late), owner, { name: 'Never' })).status).toBe(409)

    const member = person(arden.url, await sessionToken(arden, 'member'))
    const secret = newToken()
    await approve(challengeOf(secret), member, { name: 'Never' })
    await arden.sql`UPDATE people SET role = 'viewer' WHERE email = 'member@example.com'`
    expect((await claim(secret)).status).toBe(403)
    await arden.sql`UPDATE people SET disabled_at = now() WHERE email = 'member@example.com'`
    expect((await claim(secret)).body).toEqual({ data: { key: null } })
    const keys = await arden.sql`SELECT FROM api_keys WHERE name = 'Never'`
    expect(keys).toHaveLength(0)
    // The expired one is deleted by an approval an hour later.
    const of = arden.sql`challenge = ${hashToken(late)}`
    await arden.sql`UPDATE cli_sign_ins SET expires_at = now() - interval '61 minutes' WHERE ${of}`
    await approve(challengeOf(newToken()))
    expect(await arden.sql`SELECT FROM cli_sign_ins WHERE ${of}`).toHaveLength(0)
  })

  test.each([
    ['an owner resets the sign-in of the user', 'reset-sign-in'],
    ['the user signs out everywhere', 'sign-out-everywhere'],
  ])('gives no key after %s', async (_, how) => {
    const email = `${how}@example.com`
    const member = person(arden.url, await sessionToken(arden, 'member', email))
    const secret = newToken()
    expect((await approve(challengeOf(secret), member)).status).toBe(201)
    const { id } = (await member('GET', '/me')).body.data.person
    const { status } =
      how === 'reset-sign-in'
        ? await owner('POST', `/people/${id}/reset-sign-in`, {})
        : await member('POST', '/me/sign-out-everywhere', {})
    expect(status).toBe(200)
    expect((await claim(secret)).body).toEqual({ data: { key: null } })
    expect((await approve(challengeOf(secret))).status).toBe(409)
  })

  test('is limited: approvals of a user, and requests of a network', async () => {
    await arden.sql`
      INSERT INTO sign_in_tries (subject, count, since)
      SELECT 'approval:' || id, 20, now() FROM people WHERE email = 'owner@example.com'
      ON CONFLICT (subject) DO UPDATE SET count = 20`
    const refused = await approve(challengeOf(newToken()))
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    await arden.sql`UPDATE sign_in_tries SET count = 1000 WHERE subject LIKE 'claim:%'`
    expect((await claim(newToken())).status).toBe(429)
  })
})
