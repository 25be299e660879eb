import { beforeEach, describe, expect, test } from 'bun:test'
import { updatePerson } from '../../src/people/store'
import { PASSWORD, useUsers } from '../support/dashboard/users'
import { type Person, person, tokenOf } from '../support/http/person'
import { createAuthenticator } from '../support/passkeys/authenticator'

/** Passkeys: adding and using them, and responses that are not what they should be. */

const { arden, anonymous, member, audit, signIn, actionsOf } = await useUsers()
const port = new URL(arden.url).port
const SITE = { origin: `http://localhost:${port}`, host: 'localhost' }
/** The dashboard by its name: an address cannot have passkeys. */
const named =
  (as: Person): Person =>
  (method, path, body, headers = {}) =>
    as(method, path, body, { origin: SITE.origin, host: `localhost:${port}`, ...headers })
const visitor = named(anonymous)

const challengeToAdd = async (session: Person, body = {}) => {
  const response = await session('POST', '/me/passkeys/options', body)
  expect(response.status).toBe(200)
  return String(response.body.data.challenge)
}
const challengeToUse = async () =>
  String((await visitor('POST', '/open/passkey/options', {})).body.data.challenge)
const add = async (
  session: Person,
  authenticator = createAuthenticator(SITE),
  changes: Parameters<typeof authenticator.register>[1] = {},
) => {
  const body = authenticator.register(await challengeToAdd(session), changes)
  const response = await session('POST', '/me/passkeys', { name: 'Laptop', ...body })
  return { authenticator, response }
}
const use = (assertion: object) => visitor('POST', '/open/passkey/sign-in', assertion)
const listed = async (session: Person) => (await session('GET', '/me/passkeys')).body.data

let users = 0
/** A user with a session. */
const newUser = async () => {
  const email = `user-${++users}@example.com`
  return { email, session: named(await member(email)) }
}
beforeEach(async () => {
  await arden.sql`DELETE FROM sign_in_tries`
})

describe('a passkey', () => {
  test('is added, signs in, and is listed with its last use', async () => {
    const { email, session } = await newUser()
    const { authenticator, response } = await add(session)
    expect(response.status).toBe(201)
    expect(response.body.data).toEqual({
      id: expect.stringMatching(/^psk_/),
      name: 'Laptop',
      created_at: expect.any(String),
      last_used_at: null,
    })
    const signedIn = await use(authenticator.use(await challengeToUse()))
    expect(signedIn.status).toBe(200)
    const me = await person(arden.url, tokenOf(signedIn))('GET', '/me')
    expect(me.body.data.person.email).toBe(email)
    expect(await listed(session)).toEqual([
      { ...response.body.data, last_used_at: expect.any(String) },
    ])
    expect((await actionsOf(email)).slice(-2)).toEqual(['person.passkey_added', 'person.signed_in'])
  })

  test('is renamed and removed by its user only, and then signs in no longer', async () => {
    const [ada, bob] = [await newUser(), await newUser()]
    const { authenticator, response } = await add(ada.session)
    const path = `/me/passkeys/${response.body.data.id}`
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'Mine' } : {}
      expect(await bob.session(method, path, body)).toMatchObject({
        status: 404,
        // Passkeys have no mode to check.
        body: { message: expect.stringMatching(/exists here\. Check the id\.$/) },
      })
    }
    expect(await listed(bob.session)).toEqual([])
    expect((await ada.session('PATCH', path, { name: 'Phone' })).body.data.name).toBe('Phone')
    expect((await ada.session('DELETE', path, {})).status).toBe(200)
    expect((await use(authenticator.use(await challengeToUse()))).status).toBe(401)
    expect((await actionsOf(ada.email)).at(-1)).toBe('person.passkey_removed')
  })

  test('of a disabled user does not sign in', async () => {
    const { session } = await newUser()
    const { authenticator } = await add(session)
    const { id } = (await session('GET', '/me')).body.data.person
    await arden.sql.begin(tx => updatePerson(tx, audit, id, { disabled: true }))
    const refused = await use(authenticator.use(await challengeToUse()))
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('is disabled. Ask an owner'),
    ])
    expect(refused.headers.get('set-cookie')).toBeNull()
  })

  test('is added once, and a user has at most 20', async () => {
    const { session } = await newUser()
    const { authenticator } = await add(session)
    expect((await add(session, authenticator)).response.status).toBe(409)
    for (let n = 1; n < 20; n++) expect((await add(session)).response.status).toBe(201)
    expect((await add(session)).response.status).toBe(409)
  })
})

describe('to add a passkey', () => {
  test('some time after the sign-in, the password is needed, and guesses are limited', async () => {
    const { email, session } = await newUser()
    await arden.sql`
      UPDATE sessions SET created_at = now() - interval '16 minutes'
      WHERE person_id = (SELECT id FROM people WHERE email = ${email})`
    const ask = async (body: object) => (await session('POST', '/me/passkeys/options', body)).status
    expect(await ask({})).toBe(422)
    expect(await ask({ current: PASSWORD })).toBe(200)
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push(await ask({ current: 'wrong' }))
    expect([statuses[0], statuses.at(-1)]).toEqual([422, 429])
  })

  test('soon after the sign-in no password is needed, and guesses of it stay limited', async () => {
    const { session } = await newUser()
    const guess = () => session('POST', '/me/password', { current: 'wrong', password: PASSWORD })
    for (let n = 0; n < 9; n++) expect((await guess()).status).toBe(422)
    expect((await session('POST', '/me/passkeys/options', {})).status).toBe(200)
    expect([(await guess()).status, (await guess()).status]).toEqual([422, 429])
  })

  test('a response must be to a challenge of the same user, and works once', async () => {
    const [ada, bob] = [await newUser(), await newUser()]
    const authenticator = createAuthenticator(SITE)
    const body = { name: 'x', ...authenticator.register(await challengeToAdd(ada.session)) }
    expect((await bob.session('POST', '/me/passkeys', body)).status).toBe(401)
    const toSignIn = { name: 'x', ...authenticator.register(await challengeToUse()) }
    expect((await ada.session('POST', '/me/passkeys', toSignIn)).status).toBe(401)
    expect((await ada.session('POST', '/me/passkeys', body)).status).toBe(201)
    const again = createAuthenticator(SITE)
    const { challenge } = JSON.parse(Buffer.from(body.client_data, 'base64url').toString())
    const replayed = { name: 'x', ...again.register(challenge) }
    expect((await ada.session('POST', '/me/passkeys', replayed)).status).toBe(401)
  })

  test('the site and the user must be verified', async () => {
    const { session } = await newUser()
    for (const changes of [
      { origin: 'https://evil.example.com' },
      { host: 'evil.example.com' },
      { isVerified: false },
      { type: 'webauthn.get' },
    ])
      expect((await add(session, undefined, changes)).response.status).toBe(401)
    expect(await listed(session)).toEqual([])
  })
})

describe('a sign-in with a passkey', () => {
  test('names no user before, and is the same error for an unknown passkey', async () => {
    const options = (await visitor('POST', '/open/passkey/options', {})).body.data
    expect(options.allowCredentials).toBeUndefined()
    expect(options.userVerification).toBe('required')
    const { session } = await newUser()
    const { authenticator } = await add(session)
    const wrong = authenticator.use(await challengeToUse(), { isVerified: false })
    const unknown = createAuthenticator(SITE).use(await challengeToUse())
    const responses = [await use(wrong), await use(unknown)]
    expect(responses.map(({ status }) => status)).toEqual([401, 401])
    expect(responses[0]?.body.message).toBe(responses[1]?.body.message)
  })

  test('works once for a challenge of Arden, within minutes', async () => {
    const { session } = await newUser()
    const { authenticator } = await add(session)
    const own = authenticator.use(Buffer.alloc(32).toString('base64url'))
    expect((await use(own)).status).toBe(401)
    const toAdd = authenticator.use(await challengeToAdd(session))
    expect((await use(toAdd)).status).toBe(401)
    const assertion = authenticator.use(await challengeToUse())
    const both = await Promise.all([use(assertion), use(assertion)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
    const late = await challengeToUse()
    await arden.sql`UPDATE passkey_challenges SET expires_at = now() - interval '1 ms'`
    expect((await use(authenticator.use(late))).status).toBe(401)
  })

  test('with another key, site, type or user data is refused', async () => {
    const { session } = await newUser()
    const { authenticator } = await add(session)
    for (const changes of [
      { origin: 'https://evil.example.com' },
      { host: 'evil.example.com' },
      { isVerified: false },
      { type: 'webauthn.create' },
    ])
      expect((await use(authenticator.use(await challengeToUse(), changes))).status).toBe(401)
    const own = authenticator.use(await challengeToUse())
    const other = createAuthenticator(SITE).use(await challengeToUse())
    expect((await use({ ...other, id: own.id })).status).toBe(401)
    expect((await use({ ...own, client_data: 'bm90IEpTT04' })).status).toBe(401)
  })

  test('with a counter that does not grow is refused, as that of a copy', async () => {
    const { session } = await newUser()
    const { authenticator } = await add(session, undefined, { counter: 5 })
    const at = async (counter: number) =>
      (await use(authenticator.use(await challengeToUse(), { counter }))).status
    expect([await at(6), await at(6), await at(5), await at(7)]).toEqual([200, 401, 401, 200])
  })

  test('needs a host name', async () => {
    const response = await anonymous('POST', '/open/passkey/options', {})
    expect(response.status).toBe(409)
    expect(response.body.message).toContain('http://localhost')
  })
})

test('a password still signs in beside a passkey', async () => {
  const { email, session } = await newUser()
  await add(session)
  expect((await signIn(email)).status).toBe(200)
})

// The last one: the process remembers that the network is blocked.
test('a sign-in with a passkey is limited by network', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 51; n++)
    statuses.push((await use(createAuthenticator(SITE).use('AAAA'))).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  await arden.sql`UPDATE sign_in_tries SET count = 300 WHERE subject LIKE 'challenges:%'`
  await challengeToUse()
  await arden.sql`UPDATE sign_in_tries SET count = 300 WHERE subject LIKE 'challenges:%'`
  expect((await visitor('POST', '/open/passkey/options', {})).status).toBe(429)
})
