import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { DomainError } from '../../src/errors'
import { createLimitAttempts } from '../../src/people/sign-in-throttle'
import { invitePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { type Person, person, tokenOf } from '../support/http/person'
import { createLogLines } from '../support/log-lines'

/** Limits of sign-in attempts by email address, network and person. */

const PASSWORD = 'correct horse battery'
/** Contract 3.15. */
const PER_ADDRESS = 50
const PER_SITE = 200
const PER_EMAIL_THERE = 10
const PER_EMAIL = 100
const PER_PERSON = 50

const arden = await useArden({ serve: true }, { ARDEN_TRUSTED_PROXIES: '127.0.0.1' })
const visitor = person(arden.url)
beforeEach(async () => {
  await arden.sql`DELETE FROM sign_in_tries`
})

/** Requests of a client with this address, by way of a trusted proxy. */
const from =
  (address: string): Person =>
  (method, path, body) =>
    visitor(method, path, body, { 'x-forwarded-for': address })
const invite = (email?: string) =>
  arden.sql.begin(tx =>
    invitePerson(
      tx,
      {
        accountId: arden.accountId,
        actor: { type: 'cli', id: 'tests', name: 'tests' },
        address: null,
      },
      email === undefined ? { role: 'viewer' } : { role: 'viewer', email },
    ),
  )
/** A user with a password and a session from `address`. */
const member = async (email: string, address: string) => {
  const { token } = await invite(email)
  const response = await from(address)('POST', '/open/link/sign-in', { token, password: PASSWORD })
  expect(response.status).toBe(200)
  return person(arden.url, tokenOf(response))
}
const signIn = (as: Person, email: string, password = PASSWORD) =>
  as('POST', '/open/sign-in', { email, password })
const countOf = async (kind: string) => {
  const [row] = await arden.sql<{ count: number }[]>`
    SELECT sum(count)::int AS count FROM sign_in_tries WHERE subject LIKE ${`${kind}:%`}`
  return row?.count
}
const UNKNOWN = 'x'.repeat(43)
const useUnknown = (as: Person, path: string) =>
  as(
    'POST',
    path,
    path === '/open/link' ? { token: UNKNOWN } : { token: UNKNOWN, password: PASSWORD },
  )

describe('a sign-in link', () => {
  test('is looked up before a password is hashed', async () => {
    const hash = spyOn(Bun.password, 'hash')
    try {
      const unknown = await useUnknown(visitor, '/open/link/sign-in')
      expect(unknown.status).toBe(404)
      const short = { token: UNKNOWN, password: 'short' }
      expect((await visitor('POST', '/open/link/sign-in', short)).status).toBe(404)
      expect(hash).not.toHaveBeenCalled()
    } finally {
      hash.mockRestore()
    }
  })

  for (const path of ['/open/link', '/open/link/sign-in'])
    test(`${path} is refused after ${PER_ADDRESS} unknown links from one address`, async () => {
      const guesser = from(path === '/open/link' ? '203.0.113.7' : '203.0.113.9')
      for (let n = 0; n < PER_ADDRESS; n++)
        expect((await useUnknown(guesser, path)).status).toBe(404)
      const refused = await useUnknown(guesser, path)
      expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
      expect((await useUnknown(from('203.0.113.8'), path)).status).toBe(404)
    })

  test('does not count when it is known', async () => {
    const client = from('203.0.113.10')
    for (let n = 0; n < 3; n++) {
      const { token } = await invite()
      expect((await client('POST', '/open/link', { token })).status).toBe(200)
      const used = { token, email: `known-${n}@example.com`, password: PASSWORD }
      expect((await client('POST', '/open/link/sign-in', used)).status).toBe(200)
    }
    expect(await countOf('from')).toBe(0)
  })

  test('is refused for an invalid email address before a password is hashed', async () => {
    const { token } = await invite()
    const hash = spyOn(Bun.password, 'hash')
    try {
      for (const email of [undefined, 'nowhere']) {
        const used = { token, password: PASSWORD, ...(email !== undefined && { email }) }
        const refused = await visitor('POST', '/open/link/sign-in', used)
        expect([refused.status, refused.body.details[0].path]).toEqual([422, 'email'])
      }
      expect(hash).not.toHaveBeenCalled()
    } finally {
      hash.mockRestore()
    }
  })

  test('reveals that an email address exists only to a client with a valid link, as a failed attempt', async () => {
    await member('exists@example.com', '203.0.113.11')
    const client = from('203.0.113.12')
    const use = (token: string, email: string) =>
      client('POST', '/open/link/sign-in', { token, email, password: PASSWORD })
    const unknown = [
      await use(UNKNOWN, 'exists@example.com'),
      await use(UNKNOWN, 'exists-not@example.com'),
    ]
    expect(unknown.map(({ status }) => status)).toEqual([404, 404])
    expect(unknown[0]?.body.message).toBe(unknown[1]?.body.message)
    await arden.sql`DELETE FROM sign_in_tries`
    const { token } = await invite()
    expect((await use(token, 'exists@example.com')).status).toBe(409)
    expect(await countOf('from')).toBe(1)
  })
})

describe('wrong passwords', () => {
  test('of a stranger do not lock the user out of another network', async () => {
    await member('wanted@example.com', '198.51.100.1')
    const stranger = from('198.51.100.2')
    for (let n = 0; n < PER_EMAIL_THERE; n++)
      expect((await signIn(stranger, 'wanted@example.com', `guess number ${n}`)).status).toBe(401)
    expect((await signIn(stranger, 'wanted@example.com')).status).toBe(429)
    expect((await signIn(from('198.51.100.3'), 'wanted@example.com')).status).toBe(200)
    // That sign-in does not give the stranger further attempts.
    expect((await signIn(stranger, 'wanted@example.com')).status).toBe(429)
  })

  test('from many networks are limited, except from a network where the user has a session', async () => {
    await member('spread@example.com', '2001:db8:0:1::1')
    // As after many guesses from many networks.
    expect((await signIn(from('198.51.100.4'), 'spread@example.com', 'a wrong one')).status).toBe(
      401,
    )
    await arden.sql`
      UPDATE sign_in_tries SET count = ${PER_EMAIL - 1} WHERE subject LIKE 'email:%'`
    const guesses = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        signIn(from(`198.51.100.${10 + n}`), 'spread@example.com', 'a wrong one'),
      ),
    )
    expect(guesses.map(({ status }) => status).sort()).toEqual([401, 429, 429, 429])
    expect((await signIn(from('198.51.100.20'), 'spread@example.com')).status).toBe(429)
    expect((await signIn(from('2001:db8:0:1::2'), 'spread@example.com')).status).toBe(200)
    // An unknown address counts alike.
    expect((await signIn(from('198.51.100.5'), 'spread-not@example.com')).status).toBe(401)
  })

  test('of strangers do not prevent a signed-in user from changing the password', async () => {
    const user = await member('signed-in@example.com', '198.51.100.30')
    for (let n = 0; n <= PER_EMAIL_THERE; n++)
      await signIn(visitor, 'signed-in@example.com', `guess number ${n}`)
    const changed = { current: PASSWORD, password: 'quite another one' }
    expect((await user('POST', '/me/password', changed)).status).toBe(200)
  })

  test('of a session are limited, and do not prevent the user from signing in', async () => {
    const thief = await member('robbed@example.com', '198.51.100.31')
    const guess = (current: string) =>
      thief('POST', '/me/password', { current, password: 'password of a thief' })
    for (let n = 0; n < PER_EMAIL_THERE; n++)
      expect((await guess(`guess number ${n}`)).status).toBe(422)
    const refused = await guess(PASSWORD)
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'Too many wrong passwords. Try again in 15 minutes.',
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    expect((await signIn(from('198.51.100.32'), 'robbed@example.com')).status).toBe(200)
  })
})

test('failed attempts from many networks of one IPv6 /48 are limited, except from one where the user has a session', async () => {
  await member('at-home@example.com', '2001:db8:7:1::1')
  expect((await useUnknown(from('2001:db8:7:2::1'), '/open/link')).status).toBe(404)
  await arden.sql`
    UPDATE sign_in_tries SET count = ${PER_SITE - 1} WHERE subject = 'site:2001:db8:7::/48'`
  expect((await useUnknown(from('2001:db8:7:3::1'), '/open/link')).status).toBe(404)
  const refused = await useUnknown(from('2001:db8:7:4::1'), '/open/link')
  expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  expect((await signIn(from('2001:db8:7:5::1'), 'at-home@example.com')).status).toBe(429)
  expect((await signIn(from('2001:db8:7:1::2'), 'at-home@example.com')).status).toBe(200)
  expect((await useUnknown(from('2001:db8:8:1::1'), '/open/link')).status).toBe(404)
})

test('a blocked network costs no statement', async () => {
  const guesser = from('203.0.113.20')
  await useUnknown(guesser, '/open/link')
  await arden.sql`UPDATE sign_in_tries SET count = ${PER_ADDRESS} WHERE subject = 'from:203.0.113.20'`
  const refused = await useUnknown(guesser, '/open/link')
  for (let n = 0; n < 5; n++) {
    const again = await signIn(guesser, `anyone-${n}@example.com`)
    expect([again.status, again.body.error]).toEqual([429, refused.body.error])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(800)
  }
  expect(await countOf('from')).toBe(PER_ADDRESS + 1)
  expect(await countOf('pair')).toBeNull()
})

test('sign-ins and password changes that succeed are limited too', async () => {
  const user = await member('eager@example.com', '203.0.113.30')
  const client = from('203.0.113.30')
  expect(await countOf('person')).toBe(1)
  await arden.sql`UPDATE sign_in_tries SET count = ${PER_PERSON - 2} WHERE subject LIKE 'person:%'`
  expect((await signIn(client, 'eager@example.com')).status).toBe(200)
  const next = { current: PASSWORD, password: 'quite another one' }
  expect((await user('POST', '/me/password', next)).status).toBe(200)
  const refused = await signIn(client, 'eager@example.com', 'quite another one')
  expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  const back = { current: 'quite another one', password: PASSWORD }
  expect((await user('POST', '/me/password', back)).status).toBe(429)
  expect(await countOf('person')).toBe(PER_PERSON)
})

test('what is refused is logged with the address of the client, without what was typed, and not for a blocked network', async () => {
  const { log, entries } = createLogLines()
  const limitAttempts = createLimitAttempts(arden.sql, log)
  const attempt = { email: 'my password', address: '203.0.113.40' }
  const tryOnce = (code: 'UNAUTHORIZED' | 'UNAVAILABLE' | 'VALIDATION_ERROR' = 'UNAUTHORIZED') =>
    limitAttempts(attempt, async () => {
      throw new DomainError(code, 'Not my password.')
    }).catch((error: unknown) => error)
  await limitAttempts(attempt, async () => 'signed in')
  for (const noGuess of ['UNAVAILABLE', 'VALIDATION_ERROR'] as const) await tryOnce(noGuess)
  expect(entries).toEqual([])
  await tryOnce()
  await arden.sql`UPDATE sign_in_tries SET count = ${PER_ADDRESS} WHERE subject = 'from:203.0.113.40'`
  for (let n = 0; n < 3; n++) await tryOnce()
  const line = (code: string) => ({
    level: 40,
    address: '203.0.113.40',
    code,
    msg: 'Sign-in refused',
  })
  expect(entries).toEqual([line('UNAUTHORIZED'), line('TOO_MANY_REQUESTS')])
})
