import { describe, expect, test } from 'bun:test'
import { invitePerson, updatePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { type Person, person, sessionToken, tokenOf } from '../support/http/person'
import { runArden } from '../support/process'
import { until } from '../support/until'

/** Pending sign-in links: who may create them, and what ends them before they are used. */

const PASSWORD = 'correct horse battery'

const arden = await useArden({ serve: true })
const visitor = person(arden.url)
const owner = person(arden.url, await sessionToken(arden))

const cli = () => ({
  accountId: arden.accountId,
  actor: { type: 'cli' as const, id: 'tests@host', name: 'tests' },
  address: null,
})
const useLink = (token: string, email?: string, password = PASSWORD) =>
  visitor('POST', '/open/link/sign-in', { token, password, ...(email && { email }) })
const tokenIn = (url: string) => new URL(url).hash.slice(1)

/** A second owner, signed in. */
const createOwner = async (email: string) => {
  const { token } = await arden.sql.begin(tx => invitePerson(tx, cli(), { email, role: 'owner' }))
  const session = person(arden.url, tokenOf(await useLink(token)))
  const { id } = (await session('GET', '/me')).body.data.person
  return { session, id }
}
const invite = async (as: Person, body: object) => {
  const { status, body: response } = await as('POST', '/people/invitations', body)
  expect(status).toBe(201)
  return tokenIn(response.data.secret)
}

describe('links of an owner', () => {
  for (const [change, changes] of [
    ['disabled', { disabled: true }],
    ['made a member', { role: 'member' }],
  ] as const)
    test(`end when that owner is ${change}`, async () => {
      const name = change.replaceAll(' ', '-')
      const mallory = await createOwner(`${name}@example.com`)
      const open = await invite(mallory.session, { role: 'owner' })
      const named = await invite(mallory.session, { email: `${name}-2@example.com`, role: 'owner' })
      const other = await invite(owner, { role: 'viewer' })
      expect((await owner('PATCH', `/people/${mallory.id}`, changes)).status).toBe(200)

      expect((await useLink(open, `${name}-3@example.com`)).status).toBe(404)
      expect((await useLink(named)).status).toBe(404)
      expect((await visitor('POST', '/open/link', { token: other })).status).toBe(200)

      await owner('PATCH', `/people/${mallory.id}`, { disabled: false, role: 'owner' })
      expect((await useLink(open, `${name}-3@example.com`)).status).toBe(404)
    })

  test('are not created while that owner is being disabled', async () => {
    const mallory = await createOwner('concurrent@example.com')
    let isFinished = false
    const { invited } = await arden.sql.begin(async tx => {
      await updatePerson(tx, cli(), mallory.id, { disabled: true })
      const invited = mallory.session('POST', '/people/invitations', { role: 'owner' })
      invited.finally(() => {
        isFinished = true
      })
      await until('the invitation waits for the lock', async () => {
        const [{ isWaiting }] = await arden.sql<[{ isWaiting: boolean }]>`
          SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted) AS "isWaiting"`
        return isWaiting || isFinished
      })
      return { invited }
    })
    expect((await invited).status).toBe(401)
  })
})

test('a link that sets a new password ends when the password changes', async () => {
  const { session } = await createOwner('reset@example.com')
  const { token } = await arden.sql.begin(tx =>
    invitePerson(tx, cli(), { email: 'reset@example.com', role: 'owner' }),
  )
  const changed = await session('POST', '/me/password', {
    current: PASSWORD,
    password: 'a password of my own',
  })
  expect(changed.status).toBe(200)
  expect((await useLink(token)).status).toBe(404)
})

test('an invitation without a role takes that of the pending one that it replaces', async () => {
  const email = 'second-owner@example.com'
  await arden.sql.begin(tx => invitePerson(tx, cli(), { email, role: 'owner' }))
  await arden.sql.begin(tx => invitePerson(tx, cli(), { email }))
  const { body } = await owner('GET', '/people/links')
  expect(body.data.filter((link: { email: string }) => link.email === email)).toEqual([
    expect.objectContaining({ role: 'owner' }),
  ])
})

describe('pending links', () => {
  test('are listed for owners without their tokens, and revoked with an audit entry', async () => {
    const token = await invite(owner, { email: 'pending@example.com', role: 'viewer' })
    const { body } = await owner('GET', '/people/links')
    expect(JSON.stringify(body)).not.toContain(token)
    const [link] = body.data
    expect(link).toEqual({
      id: expect.stringMatching(/^lnk_/),
      email: 'pending@example.com',
      role: 'viewer',
      purpose: 'invitation',
      email_error: null,
      created_by: 'owner@example.com',
      expires_at: expect.any(String),
      created_at: expect.any(String),
    })
    expect((await owner('DELETE', `/people/links/${link.id}`, {})).body.data).toEqual({
      id: link.id,
      deleted: true,
    })
    expect((await useLink(token)).status).toBe(404)
    expect((await owner('DELETE', `/people/links/${link.id}`, {})).status).toBe(404)
    const entries = await arden.sql`
      SELECT action, actor_name, changes FROM audit_entries WHERE changes->>'link_id' = ${link.id}
      ORDER BY id`
    expect([...entries]).toEqual([
      {
        action: 'person.invited',
        actor_name: 'owner@example.com',
        changes: { email: 'pending@example.com', role: 'viewer', link_id: link.id },
      },
      {
        action: 'person.link_revoked',
        actor_name: 'owner@example.com',
        changes: { email: 'pending@example.com', role: 'viewer', link_id: link.id },
      },
    ])
  })

  test('are not visible to members, nor to owners of another account', async () => {
    await invite(owner, { role: 'viewer' })
    const [link] = (await owner('GET', '/people/links')).body.data
    const member = person(arden.url, await sessionToken(arden, 'member'))
    expect((await member('GET', '/people/links')).status).toBe(403)
    expect((await member('DELETE', `/people/links/${link.id}`, {})).status).toBe(403)

    const created = await runArden(['accounts', 'create', '--name', 'Other', '--json'], arden.env)
    const { id } = JSON.parse(created.stdout)
    const none = await runArden(['users', 'list', '--account', id], arden.env)
    expect(none.stdout).toContain(`Invite one with: arden users invite --account ${id}\n`)
    const invited = await runArden(
      ['users', 'invite', '--account', id, '--role', 'owner', '--json'],
      arden.env,
    )
    const used = await useLink(tokenIn(JSON.parse(invited.stdout).url), 'stranger@example.com')
    const stranger = person(arden.url, tokenOf(used))
    expect((await stranger('GET', '/people/links')).body.data).toEqual([])
    expect((await stranger('DELETE', `/people/links/${link.id}`, {})).status).toBe(404)
  })

  test('leave the list when they are used or have expired', async () => {
    const ids = async () =>
      (await owner('GET', '/people/links')).body.data.map(({ id }: { id: string }) => id)
    const used = await invite(owner, { role: 'viewer' })
    const [usedId] = await ids()
    await invite(owner, { role: 'viewer' })
    const [expiredId] = await ids()
    expect((await useLink(used, 'used@example.com')).status).toBe(200)
    await arden.sql`UPDATE sign_in_links SET expires_at = now() - interval '1 ms' WHERE id = ${expiredId}`
    const left = await ids()
    expect(left).not.toContain(usedId)
    expect(left).not.toContain(expiredId)
  })

  test('are listed and revoked by the command', async () => {
    const token = await invite(owner, { email: 'command@example.com', role: 'member' })
    const account = ['--account', arden.accountId]
    const table = await runArden(['users', 'links', ...account], arden.env)
    expect(table.stdout).toContain('command@example.com')
    const { stdout } = await runArden(['users', 'links', ...account, '--json'], arden.env)
    const link = JSON.parse(stdout).find(
      ({ email }: { email: string | null }) => email === 'command@example.com',
    )
    const revoked = await runArden(
      ['users', 'revoke-link', link.id, ...account, '--json'],
      arden.env,
    )
    expect(JSON.parse(revoked.stdout)).toEqual(link)
    expect((await useLink(token)).status).toBe(404)
    const again = await runArden(['users', 'revoke-link', link.id, ...account], arden.env)
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain(link.id)
  })
})
