import { describe, expect, test } from 'bun:test'
import type { Tx } from '../../src/db/connect'
import { lowestIdAt } from '../../src/ids'
import { type ClientInfo, createSession } from '../../src/people/sessions'
import { createLink } from '../../src/people/sign-in-links'
import { PASSWORD, useUsers } from '../support/dashboard/users'
import { person, sessionToken, tokenOf } from '../support/http/person'
import { runArden } from '../support/process'
import { until } from '../support/until'

/** Sessions of users, and their streams of change notifications. */
const { arden, audit, member, signIn, actionsOf } = await useUsers()

/** Creates a session in the same way as a sign-in. */
const startSessionOf = async (tx: Tx, id: string, client: ClientInfo) => {
  await tx`SELECT FROM people WHERE id = ${id} FOR NO KEY UPDATE`
  return createSession(tx, id, client, 'link')
}

describe('a session', () => {
  test('ends when its user signs in 50 times more, also at the same time', async () => {
    const first = await member('often@example.com')
    const { id } = (await first('GET', '/me')).body.data.person
    const client = { address: '127.0.0.1', userAgent: null }
    const create = () => arden.sql.begin(tx => startSessionOf(tx, id, client))
    await Promise.all(Array.from({ length: 49 }, create))
    expect((await first('GET', '/me')).status).toBe(200)
    await Promise.all(Array.from({ length: 6 }, create))
    expect((await first('GET', '/me')).status).toBe(401)
    expect(await arden.sql`SELECT FROM sessions WHERE person_id = ${id}`).toHaveLength(50)
  })

  test('that has expired is deleted by later sign-ins, at most 100 by each', async () => {
    const user = await member('crowd@example.com')
    const { id } = (await user('GET', '/me')).body.data.person
    const at = Date.now() - 40 * 86_400_000
    const ids = Array.from({ length: 250 }, (_, n) => lowestIdAt('ses', new Date(at + n)))
    await arden.sql`
      INSERT INTO sessions (id, person_id, hash, method, address, created_at, seen_at)
      SELECT s, ${id}, sha256(s::bytea), 'password', '127.0.0.1', now() - interval '40 days', now() - interval '40 days'
      FROM unnest(${ids}::text[]) AS s`
    const left = async () => (await arden.sql`SELECT FROM sessions WHERE id = ANY (${ids})`).length
    await member('crowd-2@example.com')
    expect(await left()).toBe(150)
    await member('crowd-3@example.com')
    expect(await left()).toBe(50)
    // A user's own expired sessions end with that user's next sign-in.
    await signIn('crowd@example.com')
    expect(await left()).toBe(0)
  })

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
    expect((await actionsOf('lin@example.com')).slice(-2)).toEqual([
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
    expect((await signIn('sam@example.com')).status).toBe(403)
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
    // The operator stops an account by that, and reads which links still let people in.
    await arden.sql`DELETE FROM sign_in_links`
    const link = await arden.sql.begin(tx =>
      createLink(tx, audit, { role: 'owner', email: 'next@example.com' }, 'invitation', 1),
    )
    const disable = await runArden(['users', 'disable', 'owner@example.com'], arden.env)
    expect([disable.code, disable.stdout]).toEqual([
      0,
      expect.stringContaining('The account has no active owner now.'),
    ])
    const [, ...revoke] =
      /^arden (users revoke-link \S+ --account \S+) +owner +next@example\.com$/m
        .exec(disable.stdout)?.[1]
        ?.split(' ') ?? []
    expect(revoke[1]).toBe(link.id)
    const again = await runArden(['users', 'disable', 'owner@example.com', '--json'], arden.env)
    expect(JSON.parse(again.stdout)).toMatchObject({
      status: 'disabled',
      has_owner: false,
      links: [{ id: link.id, role: 'owner', email: 'next@example.com' }],
      keys: [],
    })
    expect((await runArden(['users', ...revoke], arden.env)).code).toBe(0)
    expect((await owner('POST', '/open/link', { token: link.token })).status).toBe(404)
    expect((await owner('GET', '/me')).status).toBe(401)
    // A disabled owner can get another role, and returns with it.
    const lower = await runArden(['users', 'set-role', 'owner@example.com', 'viewer'], arden.env)
    expect(lower.stdout).toContain('The user is disabled: `arden users enable owner@example.com`')
    const enable = await runArden(['users', 'enable', 'owner@example.com'], arden.env)
    expect([enable.code, enable.stdout]).toEqual([
      0,
      expect.stringMatching(/is enabled\.\n\nThe account has no active owner now\./),
    ])
    const raise = await runArden(['users', 'set-role', 'owner@example.com', 'owner'], arden.env)
    expect(raise.stdout).toBe('The role of owner@example.com is owner.\n')
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
      createLink(tx, audit, { role: 'viewer' }, 'invitation', 1),
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
      const received = { text: '', ended: false }
      const read = async () => {
        const body = response.body?.pipeThrough(new TextDecoderStream()) ?? []
        for await (const chunk of body as AsyncIterable<string>) received.text += chunk
        received.ended = true
      }
      read().catch(() => {})
      return received
    }
    const [live, tests] = [await open('live'), await open('test')]
    // A stream that is opened after the process began to listen has missed nothing.
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
