import { beforeEach, describe, expect, test } from 'bun:test'
import { setRequiredSignIn } from '../../src/people/required-sign-in'
import type { RequiredSignIn } from '../../src/people/schema'
import { createSession } from '../../src/people/sessions'
import { ensurePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { type Person, person } from '../support/http/person'
import { createAuthenticator } from '../support/passkeys/authenticator'

/** What an account requires of the sessions of its users. */

const arden = await useArden({ serve: true })
const port = new URL(arden.url).port
const SITE = { origin: `http://localhost:${port}`, host: 'localhost' }
const audit = {
  accountId: arden.accountId,
  actor: { type: 'cli' as const, id: 'tests', name: 'tests' },
  address: null,
}
const require = (required: RequiredSignIn | null) =>
  arden.sql.begin(tx => setRequiredSignIn(tx, audit, required))
beforeEach(() => require(null))

let users = 0
type Method = Parameters<typeof createSession>[3]
/** A new user with sessions that began in these ways. */
const newUser = async (role: 'owner' | 'member', ...methods: Method[]) => {
  const email = `user-${++users}@example.com`
  const id = await arden.sql.begin(tx => ensurePerson(tx, arden.accountId, email, role))
  const sessions: Person[] = []
  for (const method of methods) {
    const token = await arden.sql.begin(tx =>
      createSession(tx, id, { address: '127.0.0.1', userAgent: null }, method),
    )
    const call = person(arden.url, token)
    sessions.push((verb, path, body, headers = {}) =>
      call(verb, path, body, { origin: SITE.origin, host: `localhost:${port}`, ...headers }),
    )
  }
  const [first, second = first] = sessions
  if (first === undefined || second === undefined) throw new Error('no session')
  return { id, email, first, second }
}
const statusOf = async (session: Person, path = '/people') => (await session('GET', path)).status
const addPasskey = async (session: Person) => {
  const options = await session('POST', '/me/passkeys/options', {})
  if (options.status !== 200) return options.status
  const { challenge } = options.body.data
  const body = createAuthenticator(SITE).register(challenge)
  return (await session('POST', '/me/passkeys', { name: 'Laptop', ...body })).status
}

describe('a required passkey', () => {
  test('limits other sessions at the next request to setting it up', async () => {
    const { first } = await newUser('owner', 'password')
    expect(await statusOf(first)).toBe(200)
    await require('passkey')
    const me = await first('GET', '/me')
    expect(me.body.data).toMatchObject({
      needed_sign_in: 'passkey',
      account: { required_sign_in: 'passkey' },
    })
    const refused = await first('GET', '/people')
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Your account requires a passkey. Add one, or sign in with yours.',
    ])
    for (const path of [
      '/v1/articles',
      '/me/sessions',
      '/stream',
      '/audit',
      '/me/passkeys/../sessions',
    ])
      expect([path, await statusOf(first, path)]).toEqual([path, 403])
    for (const [path, body] of [
      ['/me/password', { current: 'x', password: 'correct horse battery' }],
      ['/me/sign-out-everywhere', {}],
      ['/required-sign-in', { required: null }],
      ['/v1/projects', { name: 'x' }],
    ] as const)
      expect([path, (await first('POST', path, body)).status]).toEqual([path, 403])
    expect((await first('POST', '/me/sign-out', {})).status).toBe(200)
  })

  test('is met by adding one, and by signing in with one', async () => {
    await require('passkey')
    const { first, second } = await newUser('member', 'link', 'passkey')
    expect(await statusOf(second)).toBe(200)
    expect(await addPasskey(first)).toBe(201)
    expect((await first('GET', '/me')).body.data.needed_sign_in).toBeNull()
    expect(await statusOf(first)).toBe(200)
  })

  test('is not met by a passkey that another one is added to with a password only', async () => {
    const { first, second } = await newUser('member', 'passkey', 'password')
    expect(await addPasskey(first)).toBe(201)
    // Begun before it was required.
    const begun = (await second('POST', '/me/passkeys/options', {})).body.data.challenge
    await require('passkey')
    expect(await addPasskey(second)).toBe(403)
    const body = { name: 'x', ...createAuthenticator(SITE).register(begun) }
    expect((await second('POST', '/me/passkeys', body)).status).toBe(403)
    const [{ id }] = (await second('GET', '/me/passkeys')).body.data
    expect((await second('DELETE', `/me/passkeys/${id}`, {})).status).toBe(403)
    expect(await statusOf(second)).toBe(403)
  })
})

test('required single sign-on limits sessions of passwords and passkeys, which add no passkey', async () => {
  await require('oidc')
  const { first, second } = await newUser('owner', 'passkey', 'oidc')
  expect(await statusOf(first)).toBe(403)
  expect(await addPasskey(first)).toBe(403)
  expect(await statusOf(second)).toBe(200)
  expect(await addPasskey(second)).toBe(201)
  expect(await statusOf(second)).toBe(200)
})

describe('an owner', () => {
  test('requires only what the own session has shown, and writes an audit entry', async () => {
    const { email, first, second } = await newUser('owner', 'password', 'passkey')
    const ask = (session: Person, required: RequiredSignIn | null) =>
      session('POST', '/required-sign-in', { required })
    expect((await ask(first, 'passkey')).status).toBe(409)
    expect((await ask(second, 'oidc')).status).toBe(409)
    expect((await ask(second, 'passkey')).status).toBe(200)
    expect(await statusOf(first)).toBe(403)
    expect((await ask(second, null)).status).toBe(200)
    const entries = await arden.sql<{ changes: object }[]>`
      SELECT changes FROM audit_entries
      WHERE action = 'account.required_sign_in_changed' AND actor_name = ${email} ORDER BY id`
    expect(entries.map(({ changes }) => changes)).toEqual([
      { required_sign_in: { from: null, to: 'passkey' } },
      { required_sign_in: { from: 'passkey', to: null } },
    ])
  })

  test('resets the sign-in of a user of the account, who can then set it up again', async () => {
    const { first: owner } = await newUser('owner', 'passkey')
    const user = await newUser('member', 'passkey')
    expect(await addPasskey(user.first)).toBe(201)
    await arden.sql`
      INSERT INTO person_identities (issuer, subject, person_id) VALUES ('https://id', 'x', ${user.id})`
    expect((await owner('POST', `/people/${user.id}/reset-sign-in`, {})).body.data).toEqual({
      id: user.id,
      passkeys: 1,
      identities: 1,
    })
    expect((await user.first('GET', '/me')).status).toBe(401)
    const member = await newUser('member', 'passkey')
    expect((await member.first('POST', `/people/${user.id}/reset-sign-in`, {})).status).toBe(403)
  })

  test('cannot reset that of a user of another account', async () => {
    const { first: owner } = await newUser('owner', 'passkey')
    const other = await arden.newAccount()
    const stranger = await arden.sql.begin(tx =>
      ensurePerson(tx, other, 'stranger@example.com', 'owner'),
    )
    expect((await owner('POST', `/people/${stranger}/reset-sign-in`, {})).status).toBe(404)
  })
})

test('API keys are not affected', async () => {
  await require('passkey')
  expect((await (await arden.client()).get('/projects')).status).toBe(200)
})
