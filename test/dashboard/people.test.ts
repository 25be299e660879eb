import { describe, expect, test } from 'bun:test'
import type { AuditEntry } from '../../src/dashboard/audit/store'
import type { Person as User } from '../../src/people/schema'
import { PASSWORD, useUsers } from '../support/dashboard/users'
import { person, sessionToken } from '../support/http/person'

/** The list of users, and what the audit history says of them. */

const { arden, anonymous, member, invite, signIn, actionsOf } = await useUsers()
const owner = person(arden.url, await sessionToken(arden))

const userOf = async (email: string): Promise<User> => {
  const users: User[] = (await owner('GET', '/people')).body.data
  const user = users.find(each => each.email === email)
  if (user === undefined) throw new Error(`no user has the address ${email}`)
  return user
}
const entriesAbout = async (text: string): Promise<AuditEntry[]> =>
  (await owner('GET', `/audit?text=${encodeURIComponent(text)}`)).body.data

describe('the list of users', () => {
  test('shows when a user was last seen, also after all sessions have ended', async () => {
    const user = await member('seen@example.com')
    await user('GET', '/me')
    await user('POST', '/me/sign-out', {})
    const { status, last_seen_at } = await userOf('seen@example.com')
    expect(status).toBe('active')
    expect(Math.abs(Date.now() - Date.parse(last_seen_at ?? ''))).toBeLessThan(120_000)
  })

  test('shows a user without a password as active after the first sign-in', async () => {
    const user = person(arden.url, await sessionToken(arden, 'viewer', 'no-password@example.com'))
    await user('GET', '/me')
    await user('POST', '/me/sign-out', {})
    expect((await userOf('no-password@example.com')).status).toBe('active')
  })
})

test('a user is said to have a password once one was chosen', async () => {
  const hasPassword = async (email: string) => {
    const user = person(arden.url, await sessionToken(arden, 'member', email))
    return (await user('GET', '/me')).body.data.person.has_password
  }
  await member('with-password@example.com')
  expect(await hasPassword('with-password@example.com')).toBe(true)
  expect(await hasPassword('without-password@example.com')).toBe(false)
})

describe('an invitation', () => {
  test('of a user with another role is refused, and says which role the user has', async () => {
    await member('known@example.com')
    const again = (role: string) =>
      owner('POST', '/people/invitations', { email: 'known@example.com', role })
    const refused = await again('owner')
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'known@example.com is already a member of this account. An invitation does not change the role: an owner does in the settings, and an operator with `arden users set-role`.',
    ])
    expect((await again('member')).status).toBe(201)
    expect((await userOf('known@example.com')).role).toBe('member')
  })

  test('that was replaced is refused with a message that says so', async () => {
    const { token } = await invite('replaced@example.com')
    await invite('replaced@example.com')
    const { status, body } = await anonymous('POST', '/open/link', { token })
    expect([status, body.message]).toEqual([
      404,
      'This link was already used, has expired, was revoked or was replaced by a newer one. Open the newest one that you got, or ask for another: an owner creates it in the settings, an operator with `arden users invite`.',
    ])
  })
})

describe('the audit history', () => {
  test('has who joined, with the role and the link', async () => {
    const { id, token } = await invite(undefined, 'viewer')
    await anonymous('POST', '/open/link/sign-in', {
      token,
      email: 'joined@example.com',
      password: PASSWORD,
    })
    expect(await actionsOf('joined@example.com')).toEqual(['person.joined', 'person.signed_in'])
    const [, joined] = await entriesAbout('joined@example.com')
    expect(joined).toMatchObject({
      action: 'person.joined',
      subject: { name: 'joined@example.com' },
      changes: { role: 'viewer', link_id: id },
    })
    expect((await entriesAbout(id)).map(({ action }) => action)).toEqual([
      'person.joined',
      'person.invited',
    ])
  })

  test('has a session that its user ended from another one', async () => {
    const first = await member('ended@example.com')
    await signIn('ended@example.com')
    const [other] = (await first('GET', '/me/sessions')).body.data
    expect((await first('DELETE', `/me/sessions/${other.id}`, {})).status).toBe(200)
    const [ended] = await entriesAbout('ended@example.com')
    expect(ended).toMatchObject({
      action: 'person.session_ended',
      changes: { ip_address: '127.0.0.1', signed_in_at: other.created_at },
    })
  })

  test('is searched for the address of an invitation that was not used', async () => {
    await owner('POST', '/people/invitations', { email: 'guest@example.com', role: 'viewer' })
    const [link] = (await owner('GET', '/people/links')).body.data
    await owner('DELETE', `/people/links/${link.id}`, {})
    expect((await entriesAbout('GUEST@')).map(({ action }) => action)).toEqual([
      'person.link_revoked',
      'person.invited',
    ])
  })
})
