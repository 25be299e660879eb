import { describe, expect, test } from 'bun:test'
import net from 'node:net'
import { Elysia } from 'elysia'
import { type AuditContext, recordAudit } from '../../src/accounts/audit'
import { auditRoutes } from '../../src/dashboard/audit/routes'
import type { AuditEntry } from '../../src/dashboard/audit/store'
import { DomainError } from '../../src/errors'
import type { Read } from '../../src/http/read'
import { setCaller } from '../../src/http/request/caller'
import { securityHeaders } from '../../src/http/response/security-headers'
import { createUnreadLimit } from '../../src/http/response/unread-limit'
import { startHttpServer } from '../../src/http/server'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { COOKIE, person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** The server routes of the audit history: the list and the CSV file. */

const arden = await useArden({ serve: true })
const token = await sessionToken(arden)
const owner = person(arden.url, token)

const history = async (query = '') => {
  const { status, body } = await owner('GET', `/audit${query}`)
  expect(status).toBe(200)
  return body as { data: AuditEntry[]; next_cursor: string | null }
}
const csv = async (query = '') => {
  const response = await fetch(`${arden.url}/dashboard/api/audit.csv${query}`, {
    headers: { cookie: `${COOKIE}=${token}` },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const cli = (accountId: string): AuditContext => ({
  accountId,
  actor: { type: 'cli', id: 'ann@host', name: 'ann' },
  address: null,
})

describe('the audit history', () => {
  test('records who changed what, when and from where, and still names a revoked key', async () => {
    const created = await owner('POST', '/v1/api-keys', {
      name: 'Importer',
      scopes: ['read'],
      mode: 'live',
    })
    const { id } = created.body.data
    await owner('DELETE', `/v1/api-keys/${id}`)
    const { data } = await history('?text=Importer')
    const by = { type: 'user', name: 'owner@example.com' }
    const subject = { id, name: 'Importer', revoked: true }
    expect(data).toMatchObject([
      { action: 'api_key.revoked', actor: by, subject, address: '127.0.0.1' },
      { action: 'api_key.created', actor: by, subject, address: '127.0.0.1' },
    ])
    expect(Math.abs(Date.now() - Date.parse(data[0]?.at ?? ''))).toBeLessThan(60_000)
    expect(JSON.stringify(data)).not.toContain(created.body.data.key)
  })

  test('names a webhook by its host only, also after it is deleted', async () => {
    const created = await owner('POST', '/v1/webhooks', {
      url: 'http://127.0.0.1:9/s3cret-path?token=1',
      events: ['article.published'],
    })
    await owner('DELETE', `/v1/webhooks/${created.body.data.id}`)
    const { data } = await history(`?text=${created.body.data.id}`)
    expect(data.map(({ action, subject }) => [action, subject.name])).toEqual([
      ['webhook.deleted', '127.0.0.1:9'],
      ['webhook.created', '127.0.0.1:9'],
    ])
    expect(JSON.stringify(data)).not.toContain('s3cret')
  })

  test('names a webhook by its description and its host, since others can have the same', async () => {
    const { body } = await owner('POST', '/v1/webhooks', {
      url: 'http://127.0.0.1:9/one',
      events: ['article.published'],
      description: 'Newsletter',
    })
    const { data } = await history('?text=newsletter')
    expect(data.map(({ subject }) => subject)).toEqual([
      { id: body.data.id, name: 'Newsletter · 127.0.0.1:9', revoked: false },
    ])
  })

  test('filters by area, actor, text and time', async () => {
    const { accountId, sql } = arden
    await sql.begin(tx =>
      recordAudit(tx, cli(accountId), 'account.plan_changed', accountId, { a: 1 }),
    )
    const only = async (query: string) => (await history(query)).data
    expect((await only('?area=account')).map(({ action }) => action)).toContain(
      'account.plan_changed',
    )
    expect(
      (await only('?area=account')).every(({ action }) => action.startsWith('account.')),
    ).toBeTrue()
    expect((await only('?by=user')).every(({ actor }) => actor.type === 'user')).toBeTrue()
    expect((await only('?by=cli&text=ANN')).length).toBe(1)
    expect((await only(`?text=${accountId}`)).length).toBeGreaterThan(0)
    expect(await only('?text=nobody-at-all')).toEqual([])
    const [newest] = await only('')
    expect(await only(`?created_after=${newest?.at}`)).toEqual([])
    expect((await only(`?created_before=${newest?.at}`)).length).toBeGreaterThan(0)
  })

  test('returns pages without gaps or duplicates', async () => {
    const { accountId, sql } = arden
    await sql.begin(async tx => {
      for (let i = 0; i < 120; i++)
        await recordAudit(tx, cli(accountId), 'deliveries.paused', accountId, { i })
    })
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await history(`?area=deliveries${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ changes }) => changes.i))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => 119 - i))
  })

  test('returns entries of one account only, and rejects an invalid filter', async () => {
    const other = await arden.newAccount()
    expect((await history(`?text=${other}`)).data).toEqual([])
    for (const query of ['?area=x', '?by=x', '?created_after=yesterday', '?cursor=x'])
      for (const path of ['/audit', '/audit.csv'])
        if (!(path === '/audit.csv' && query === '?cursor=x'))
          expect((await owner('GET', `${path}${query}`)).status).toBe(422)
  })
})

describe('the CSV file', () => {
  test('has every entry that matches the filter', async () => {
    const { status, headers, text } = await csv('?area=deliveries')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toStartWith('text/csv')
    expect(headers.get('content-disposition')).toContain('audit-history.csv')
    const lines = text.trimEnd().split('\r\n')
    expect(lines[0]).toEndWith(
      'time,action,subject_id,subject,actor_type,actor_id,actor,address,changes',
    )
    expect(lines.length).toBe(1 + 120)
    expect(lines[1]).toContain('deliveries.paused')
  })

  test('has entries of more than one batch', async () => {
    const subject = newId('key')
    await arden.sql`
      INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name)
      SELECT ${arden.accountId}, 'api_key.updated', ${subject}, 'cli', 'x', 'x' FROM generate_series(1, 1200)`
    const { text } = await csv(`?text=${subject}`)
    expect(text.trimEnd().split('\r\n').length).toBe(1 + 1200)
  })

  test('escapes formulas, quotes and line breaks in names', async () => {
    const name = '=HYPERLINK("https://evil.example","x"),\n"y"'
    await owner('POST', '/v1/api-keys', { name, scopes: ['read'], mode: 'live' })
    const { text } = await csv('?text=HYPERLINK')
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"",""x""),\n""y"""`)
  })

  test('ends visibly broken when a read fails after the response has begun', async () => {
    const subject = newId('key')
    await arden.sql`
      INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name)
      SELECT ${arden.accountId}, 'api_key.updated', ${subject}, 'cli', 'x', 'x' FROM generate_series(1, 600)`
    let reads = 0
    const read: Read = (_, fn) =>
      reads++ === 0
        ? fn(arden.sql)
        : Promise.reject(new DomainError('UNAVAILABLE', 'The read was stopped after 5 s.'))
    const app = new Elysia({ normalize: false })
      .headers(securityHeaders(undefined))
      .onRequest(({ request }) =>
        setCaller(
          request,
          {
            accountId: arden.accountId,
            mode: 'live',
            actor: { type: 'user', id: 'usr_1', name: 'x' },
            scopes: ['read'],
            address: '',
          },
          async () => {},
        ),
      )
      .use(auditRoutes({ read, unread: createUnreadLimit() }))
    const server = startHttpServer(app, { host: '127.0.0.1', port: 0, setting: 'PORT' })
    const url = `${server.url}/dashboard/api/audit.csv?text=${subject}`
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(await response.text().catch(() => 'broken')).toBe('broken')
    // curl reports it too, with what arrived until then.
    reads = 0
    const curl = Bun.spawn(['curl', '--silent', url], { stdout: 'pipe' })
    expect((await curl.stdout.text()).split('\r\n').length).toBeGreaterThan(500)
    expect(await curl.exited).not.toBe(0)
    await server.stop()
  })

  test('counts as an unread response of the user while the client does not read it', async () => {
    const reader = await sessionToken(arden, 'viewer')
    const viewer = person(arden.url, reader)
    const changes = JSON.stringify({ text: 'x'.repeat(40 * 1024) })
    await arden.sql`
      INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name, changes)
      SELECT ${arden.accountId}, 'webhook.updated', 'wh_large', 'cli', 'x', 'x', ${changes}::text::jsonb
      FROM generate_series(1, 1000)`
    const { host, hostname, port } = new URL(arden.url)
    const socket = net.connect(Number(port), hostname)
    socket.write(
      `GET /dashboard/api/audit.csv?text=wh_large HTTP/1.1\r\nHost: ${host}\r\nCookie: ${COOKIE}=${reader}\r\n\r\n`,
    )
    socket.once('data', () => socket.pause())
    await until('it is refused', async () => (await viewer('GET', '/audit')).status === 429)
    expect((await owner('GET', '/people')).status).toBe(200)
    socket.destroy()
    await until('it is free', async () => (await viewer('GET', '/audit')).status === 200)
  })
})
