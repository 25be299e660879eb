import { describe, expect, spyOn, test } from 'bun:test'
import type { Tx } from '../../src/db/connect'
import { updatePerson } from '../../src/people/store'
import { PASSWORD, useUsers } from '../support/dashboard/users'
import { person, sessionToken, tokenOf } from '../support/http/person'
import { runArden, spawnArden } from '../support/process'
import { until } from '../support/until'

/** Invitations and signing in. */
const { arden, anonymous, audit, invite, member, signIn, actionsOf } = await useUsers()

describe('an invitation', () => {
  test('signs a user in once, who chooses a password', async () => {
    const { token } = await invite('ada@example.com', 'owner')
    const look = await anonymous('POST', '/open/link', { token })
    expect(look.body.data).toEqual({
      email: 'ada@example.com',
      account_name: 'Default',
      requires_oidc: false,
      purpose: 'invitation',
      joins: true,
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
    expect(await actionsOf('ada@example.com')).toEqual([
      'person.joined',
      'person.signed_in',
      'person.signed_in',
    ])
  })

  test('without an email address creates a new user only', async () => {
    await member('taken@example.com')
    const { token } = await invite(undefined, 'viewer')
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
    const older = await invite('grace@example.com')
    const { token } = await invite('grace@example.com')
    expect((await anonymous('POST', '/open/link', { token: older.token })).status).toBe(404)
    await anonymous('POST', '/open/link/sign-in', { token, password: 'quite another one' })
    expect((await grace('GET', '/me')).status).toBe(401)
    expect((await signIn('grace@example.com')).status).toBe(401)
    expect((await signIn('grace@example.com', 'quite another one')).status).toBe(200)
  })

  test('expires after 24 hours', async () => {
    const { token } = await invite('late@example.com')
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
    const verify = spyOn(Bun.password, 'verify')
    const [known, unknown] = [
      await signIn('known@example.com', 'a wrong password'),
      await signIn('nobody@example.com', 'a wrong password'),
    ]
    const costs = verify.mock.calls.map(
      ([, hash]) => /^\$argon2id\$[^$]+\$[^$]+/.exec(String(hash))?.[0],
    )
    verify.mockRestore()
    expect([known.status, unknown.status]).toEqual([401, 401])
    expect(known.body.message).toBe(unknown.body.message)
    // Either checks one password, at the same cost: tens of ms, which would reveal which one exists.
    expect(costs).toEqual(Array(2).fill('$argon2id$v=19$m=19456,t=2,p=1'))
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

describe('a change of a person while a password is verified', () => {
  const otherPassword = 'quite another one'
  /** Calls `work` while `change` of the person is not yet committed, and commits it when `work` waits or is done. */
  const during = async <T>(change: (tx: Tx) => Promise<unknown>, work: () => Promise<T>) => {
    const changing = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const transaction = arden.sql.begin(async tx => {
      await change(tx)
      changing.resolve()
      await commit.promise
    })
    await changing.promise
    const result = { isDone: false }
    const working = work().finally(() => {
      result.isDone = true
    })
    await until('it waits for the change, or is done', async () => {
      const waiting = await arden.sql`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return result.isDone || waiting.length > 0
    })
    commit.resolve()
    await transaction
    return working
  }
  const setPassword = (email: string) => async (tx: Tx) => {
    const hash = await Bun.password.hash(otherPassword)
    await tx`UPDATE people SET password = ${hash} WHERE email = ${email}`
    await tx`DELETE FROM sessions USING people p WHERE p.id = person_id AND p.email = ${email}`
  }
  const disable = (id: string) => (tx: Tx) => updatePerson(tx, audit, id, { disabled: true })

  test('does not sign in with the old password', async () => {
    await member('race-1@example.com')
    const response = await during(setPassword('race-1@example.com'), () =>
      signIn('race-1@example.com'),
    )
    expect(response.status).toBe(401)
    expect((await signIn('race-1@example.com', otherPassword)).status).toBe(200)
  })

  test('signs no disabled user in', async () => {
    const user = await member('race-2@example.com')
    const { id } = (await user('GET', '/me')).body.data.person
    const response = await during(disable(id), () => signIn('race-2@example.com'))
    expect(response.status).toBe(401)
    expect(await arden.sql`SELECT FROM sessions WHERE person_id = ${id}`).toHaveLength(0)
  })

  test('says so to a disabled user with the right password only', async () => {
    const user = await member('disabled@example.com')
    const { id } = (await user('GET', '/me')).body.data.person
    await arden.sql.begin(disable(id))
    const refused = await signIn('disabled@example.com')
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
    expect(refused.body.message).toBe(
      'disabled@example.com is disabled. Ask an owner of the account.',
    )
    expect((await signIn('disabled@example.com', otherPassword)).status).toBe(401)
  })

  test('is not overwritten by a change that knew the old password', async () => {
    const user = await member('race-3@example.com')
    const response = await during(setPassword('race-3@example.com'), () =>
      user('POST', '/me/password', { current: PASSWORD, password: 'password of a thief' }),
    )
    expect([response.status, response.body.details?.[0].path]).toEqual([422, 'current'])
    expect((await signIn('race-3@example.com', otherPassword)).status).toBe(200)
  })
})

describe('a user without a password', () => {
  test('chooses one soon after the sign-in only: a stolen session must not', async () => {
    const email = 'by-provider@example.com'
    const token = await sessionToken(arden, 'member', email)
    const user = person(arden.url, token)
    const choose = () => user('POST', '/me/password', { current: '', password: PASSWORD })
    const setAge = (minutes: number) => arden.sql`
      UPDATE sessions SET created_at = now() - make_interval(mins => ${minutes})
      WHERE person_id = (SELECT id FROM people WHERE email = ${email})`
    await setAge(16)
    const refused = await choose()
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining(`arden users invite --email ${email}`),
    ])
    expect((await signIn(email)).status).toBe(401)
    await setAge(14)
    expect((await choose()).status).toBe(200)
    expect((await signIn(email)).status).toBe(200)
  })
})
