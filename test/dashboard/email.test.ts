import { describe, expect, test } from 'bun:test'
import { createSession } from '../../src/people/sessions'
import { ensurePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { person, sessionToken, tokenOf } from '../support/http/person'
import { tokenIn, useMailServer } from '../support/mail/server'
import { until } from '../support/until'

/** Emails with sign-in links, through a real mail server. */

const PASSWORD = 'correct horse battery'
const server = await useMailServer()
const arden = await useArden(
  { serve: true, worker: true },
  {
    ARDEN_SMTP_URL: server.url,
    ARDEN_MAIL_FROM: 'Arden <arden@example.com>',
    ARDEN_PUBLIC_URL: 'https://arden.example.com',
  },
)
const ORIGIN = { origin: 'https://arden.example.com' }
const as = (token?: string) => {
  const call = person(arden.url, token)
  return (method: string, path: string, body?: unknown, headers = {}) =>
    call(method, path, body, { ...ORIGIN, ...headers })
}
const visitor = as()
const owner = as(await sessionToken(arden))
const useLink = (token: string, password = PASSWORD) =>
  visitor('POST', '/open/link/sign-in', { token, password })
const requestReset = (email: string, headers = {}) =>
  visitor('POST', '/open/password-reset', { email }, headers)
const queued = () => arden.sql`SELECT FROM mails`
const sendNow = () => arden.sql`UPDATE mails SET due_at = clock_timestamp()`

describe('an invitation', () => {
  test('is sent to its address, and its link is neither in the response nor in the database', async () => {
    const response = await owner('POST', '/people/invitations', {
      email: ' Ada@Example.com',
      role: 'viewer',
    })
    expect(response.status).toBe(201)
    expect(response.body.data).toEqual({
      sent_to: 'ada@example.com',
      expires_at: expect.any(String),
    })
    const mail = await server.mailTo('ada@example.com')
    expect(mail.parsed.subject).toBe('Join Default on Arden')
    expect(mail.parsed.text).toContain('https://arden.example.com/dashboard/sign-in/link#')
    await until('the email is no longer queued', async () => (await queued()).length === 0)
    const token = tokenIn(mail)
    const signedIn = await useLink(token)
    expect(signedIn.status).toBe(200)
    const me = await as(tokenOf(signedIn))('GET', '/me')
    expect(me.body.data.person).toMatchObject({ email: 'ada@example.com', role: 'viewer' })
    expect((await useLink(token)).status).toBe(404)
  })

  test('says in the pending links why it was not sent, until it was', async () => {
    const errorOf = async (email: string) => {
      const { body } = await owner('GET', '/people/links')
      return body.data.find((link: { email: string }) => link.email === email)?.email_error
    }
    server.refuseWith(550)
    await owner('POST', '/people/invitations', { email: 'gone@example.com', role: 'viewer' })
    const refused = await until('it is refused', () => errorOf('gone@example.com'))
    expect(refused).toBe('The mail server refuses the address: 550 Refused by the test')
    server.refuseWith(451)
    await owner('POST', '/people/invitations', { email: 'soon@example.com', role: 'viewer' })
    expect(await until('it has failed', () => errorOf('soon@example.com'))).toStartWith(
      'It is sent when a retry succeeds: ',
    )
    server.refuseWith(undefined)
    await sendNow()
    await server.mailTo('soon@example.com')
    expect(await errorOf('soon@example.com')).toBeNull()
    expect(await errorOf('gone@example.com')).toBe(refused)
  })

  test('without an address is a link to copy', async () => {
    const { body } = await owner('POST', '/people/invitations', { role: 'viewer' })
    expect(body.data.secret).toStartWith('https://arden.example.com/dashboard/sign-in/link#')
    expect(body.data.sent_to).toBeUndefined()
  })

  test('is sent when the mail server works again, and not after it was revoked', async () => {
    server.refuseWith(451)
    for (const email of ['late@example.com', 'revoked@example.com'])
      await owner('POST', '/people/invitations', { email, role: 'viewer' })
    await until('both have failed once', async () => {
      const failed = await arden.sql`SELECT FROM mails WHERE error IS NOT NULL`
      return failed.length === 2
    })
    const links = (await owner('GET', '/people/links')).body.data
    const revoked = links.find(({ email }: { email: string }) => email === 'revoked@example.com')
    expect((await owner('DELETE', `/people/links/${revoked.id}`, {})).status).toBe(200)
    server.refuseWith(undefined)
    await sendNow()
    expect((await useLink(tokenIn(await server.mailTo('late@example.com')))).status).toBe(200)
    await until('the queue is empty', async () => (await queued()).length === 0)
    expect(server.mails.some(({ recipients }) => recipients[0] === 'revoked@example.com')).toBe(
      false,
    )
  })

  test('is sent to an address a few times only', async () => {
    const invite = () =>
      owner('POST', '/people/invitations', { email: 'often@example.com', role: 'viewer' })
    for (let n = 0; n < 5; n++) expect((await invite()).status).toBe(201)
    expect((await invite()).status).toBe(429)
  })

  test('is limited for each account by itself, so that none learns of those of another', async () => {
    const accountId = await arden.newAccount()
    const id = await arden.sql.begin(tx => ensurePerson(tx, accountId, 'boss@example.com', 'owner'))
    const client = { address: '127.0.0.1', userAgent: null }
    const other = as(await arden.sql.begin(tx => createSession(tx, id, client, 'link')))
    const body = { email: 'often@example.com', role: 'viewer' }
    expect((await other('POST', '/people/invitations', body)).status).toBe(201)
  })
})

describe('a request for a new password', () => {
  test('has the same response for every address, and sends an email to a user only', async () => {
    const known = await requestReset('ada@example.com')
    const unknown = await requestReset('nobody@example.com')
    expect(known.status).toBe(200)
    expect(unknown.body).toEqual(known.body)
    const token = tokenIn(await server.mailTo('ada@example.com', 2))
    await until('the queue is empty', async () => (await queued()).length === 0)
    expect(server.mails.some(({ recipients }) => recipients[0] === 'nobody@example.com')).toBe(
      false,
    )

    const before = await visitor('POST', '/open/sign-in', {
      email: 'ada@example.com',
      password: PASSWORD,
    })
    const opened = await visitor('POST', '/open/link', { token })
    expect(opened.body.data).toMatchObject({ email: 'ada@example.com', purpose: 'reset' })
    expect((await visitor('POST', '/open/link/sign-in', { token })).status).toBe(422)
    expect((await useLink(token, 'a password of my own')).status).toBe(200)
    expect((await as(tokenOf(before))('GET', '/me')).status).toBe(401)
    expect((await useLink(token)).status).toBe(404)
    const actions = await arden.sql<{ action: string; actor_type: string }[]>`
      SELECT action, actor_type FROM audit_entries WHERE action = 'person.password_reset_requested'`
    expect([...actions]).toEqual([
      { action: 'person.password_reset_requested', actor_type: 'system' },
    ])
  })

  test('ends the link of an earlier request, not the one of an owner', async () => {
    await owner('POST', '/people/invitations', { email: 'ada@example.com', role: 'viewer' })
    const ofOwner = tokenIn(await server.mailTo('ada@example.com', 3))
    await requestReset('ada@example.com')
    const first = tokenIn(await server.mailTo('ada@example.com', 4))
    await requestReset('ada@example.com')
    const second = tokenIn(await server.mailTo('ada@example.com', 5))
    const open = async (token: string) => (await visitor('POST', '/open/link', { token })).status
    expect([await open(ofOwner), await open(first), await open(second)]).toEqual([200, 404, 200])
  })

  test('writes one audit entry while a link is valid, however often it is repeated', async () => {
    const { id } = (await owner('GET', '/me')).body.data.person
    const entries = async () => {
      const found = await arden.sql`
        SELECT FROM audit_entries WHERE action = 'person.password_reset_requested' AND subject_id = ${id}`
      return found.length
    }
    const request = async (count: number) => {
      expect((await requestReset('owner@example.com')).status).toBe(200)
      await server.mailTo('owner@example.com', count)
    }
    await request(1)
    await request(2)
    expect(await entries()).toBe(1)
    await arden.sql`UPDATE sign_in_links SET expires_at = now() WHERE person_id = ${id}`
    await request(3)
    expect(await entries()).toBe(2)
    await arden.sql`DELETE FROM sign_in_tries`
  })

  test('sends nothing to a disabled user', async () => {
    const people = (await owner('GET', '/people')).body.data
    const { id } = people.find(({ email }: { email: string }) => email === 'late@example.com')
    await owner('PATCH', `/people/${id}`, { disabled: true })
    const before = server.mails.length
    expect((await requestReset('late@example.com')).status).toBe(200)
    await until('the queue is empty', async () => (await queued()).length === 0)
    expect(server.mails.length).toBe(before)
  })

  test('is limited by address, known or not, and by network', async () => {
    for (const email of ['owner@example.com', 'unknown@example.com']) {
      for (let n = 0; n < 5; n++) expect((await requestReset(email)).status).toBe(200)
      const refused = await requestReset(email)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const statuses = new Set<number>()
    for (let n = 0; n < 30; n++) statuses.add((await requestReset(`n${n}@example.com`)).status)
    expect(statuses).toEqual(new Set([200, 429]))
  })

  test('with something that is no address is refused', async () => {
    expect((await requestReset('ada')).status).toBe(422)
  })
})
