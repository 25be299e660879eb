import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { COOKIE, sessionToken } from '../support/http/person'
import { LANES, settingsOf } from '../support/lanes'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Contract 4.16. test/webhooks/secrets.test.ts searches logs, spans and Temporal for their values. */

const VALUE = 'Bearer 4f1c9e-of-the-receiver'
const MASKED = '********'

describe.each(LANES)('with a workflow %s', async lane => {
  const arden = await useArden({ serve: true, worker: true }, settingsOf(lane))
  const live = await arden.client()
  const elsewhere = useReceiver()
  const receiver = useReceiver(({ path }) =>
    path === '/redirects' ? Response.redirect(elsewhere.url, 307) : new Response('ok'),
  )

  test('custom headers are sent with each delivery and test, and to no redirect', async () => {
    const headers = { Authorization: VALUE, 'X-Team': 'content team' }
    const make = async (path: string) =>
      (
        await live.post('/webhooks', {
          url: receiver.url + path,
          events: ['article.created'],
          headers,
        })
      ).body.data.id
    const [webhook] = [await make('/takes'), await make('/redirects')]
    const project_id = (await live.post('/projects', { name: 'p' })).body.data.id
    await live.post('/articles', { project_id, title: 't' })
    await live.post(`/webhooks/${webhook}/test`)
    await until('all have come', () => receiver.received.length >= 3)
    for (const one of receiver.received)
      expect(one.headers).toMatchObject({
        authorization: VALUE,
        'x-team': 'content team',
        'content-type': 'application/json',
        'user-agent': 'Arden-Webhook/1.0',
      })
    const [delivery] = await until('one is recorded', async () => {
      const { body } = await live.get(`/webhooks/${webhook}/deliveries?status=DELIVERED`)
      return body.data.length > 0 && body.data
    })
    const { request } = (await live.get(`/deliveries/${delivery.id}`)).body.data
    expect(JSON.stringify(request)).not.toContain(VALUE)

    await live.patch(`/webhooks/${webhook}`, { headers: { Authorization: null } })
    const before = receiver.received.length
    await live.post(`/webhooks/${webhook}/test`)
    const { headers: last } = await until('it comes', () =>
      receiver.received.slice(before).find(({ path }) => path === '/takes'),
    )
    expect([last.authorization, last['x-team']]).toEqual([undefined, 'content team'])
    expect(elsewhere.received).toEqual([])
  })
})

describe('the API', async () => {
  const arden = await useArden({ serve: true })
  const live = await arden.client()
  const url = 'http://127.0.0.1:9/hooks'
  const create = async (headers: Record<string, string>) =>
    (await live.post('/webhooks', { url, events: ['article.created'], headers })).body.data

  test('shows names, never values', async () => {
    const created = await create({ Authorization: VALUE })
    const { id } = created
    const shown = { Authorization: MASKED }
    const list = (await live.get('/webhooks')).body.data
    for (const one of [
      created,
      (await live.get(`/webhooks/${id}`)).body.data,
      list.find((one: { id: string }) => one.id === id),
      (await live.patch(`/webhooks/${id}`, { description: 'd' })).body.data,
      (await live.post(`/webhooks/${id}/rotate-secret`)).body.data,
      (await live.post(`/webhooks/${id}/pause`)).body.data,
    ])
      expect(one.headers).toEqual(shown)
    const [row] = await arden.sql`SELECT headers::text FROM webhooks WHERE id = ${id}`
    expect(row?.headers).toMatch(/^{"Authorization": "v1\.[0-9a-f]{8}\.[^"]+"}$/)
  })

  test('sets, replaces and removes headers by name, whatever its case, and keeps the others', async () => {
    const { id } = await create({ 'X-A': 'a', 'X-B': 'b' })
    const change = async (headers: object) =>
      (await live.patch(`/webhooks/${id}`, { headers })).body
    expect((await change({ 'x-a': 'new', 'X-C': 'c' })).data.headers).toEqual({
      'x-a': MASKED,
      'X-B': MASKED,
      'X-C': MASKED,
    })
    expect((await change({ 'x-B': null, 'X-Unknown': null })).data.headers).toEqual({
      'x-a': MASKED,
      'X-C': MASKED,
    })
    expect((await change({ 'X-C': MASKED })).message).toContain('is the masked value of a response')
    const many = Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`X-${n}`, 'a']))
    expect((await change(many)).message).toBe(
      'headers: must have at most 20 members, with those that are kept',
    )
  })

  test('does not keep a value for the URL of another server', async () => {
    const { id } = await create({ Authorization: VALUE, 'X-Team': 'content' })
    expect((await live.patch(`/webhooks/${id}`, { url: `${url}/other` })).status).toBe(200)
    const elsewhere = { url: 'http://127.0.0.1:10/hooks' }
    const refused = await live.patch(`/webhooks/${id}`, {
      ...elsewhere,
      headers: { 'X-Team': null },
    })
    expect([refused.status, refused.body.details]).toEqual([
      422,
      [
        {
          path: 'headers.Authorization',
          message:
            'was set for http://127.0.0.1:9. Set its value for the new URL, or remove the header.',
        },
      ],
    ])
    const headers = { Authorization: 'Bearer other', 'X-Team': null }
    const { body } = await live.patch(`/webhooks/${id}`, { ...elsewhere, headers })
    expect([body.data.url, body.data.headers]).toEqual([elsewhere.url, { Authorization: MASKED }])
  })

  test('writes names to the audit history and its CSV file, and nothing where nothing changed', async () => {
    const { id } = await create({ Authorization: VALUE, 'X-A': 'a' })
    for (const headers of [
      { Authorization: VALUE },
      { Authorization: 'Bearer next-of-the-receiver', 'X-B': 'b', 'X-A': null },
    ])
      await live.patch(`/webhooks/${id}`, { headers })
    const entries = await arden.sql`
      SELECT action, changes FROM audit_entries WHERE subject_id = ${id} ORDER BY id`
    expect(entries.map(({ action, changes }) => [action, changes.headers])).toEqual([
      ['webhook.created', ['Authorization', 'X-A']],
      [
        'webhook.updated',
        { from: ['Authorization', 'X-A'], to: ['Authorization (new value)', 'X-B'] },
      ],
    ])
    const token = await sessionToken(arden)
    const csv = await fetch(`${arden.url}/dashboard/api/audit.csv`, {
      headers: { cookie: `${COOKIE}=${token}` },
    })
    const text = await csv.text()
    expect(text).toContain('Authorization')
    expect(text).not.toContain('of-the-receiver')
  })
})
