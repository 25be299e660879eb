import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { settled } from '../support/settled'
import { LONGEST } from '../support/webhooks/endpoint-urls'

/** Webhooks over HTTP as an operator runs them: private addresses are not permitted. */

const arden = await useArden({ serve: true }, { ARDEN_ALLOW_PRIVATE_WEBHOOKS: '0' })
const live = await arden.client()

// A public address: no name has to be resolved.
const url = 'https://93.184.215.14/hook'

describe('the url of a webhook', () => {
  test.each([
    ['http://93.184.215.14/', 'https'],
    ['https://10.0.0.1/', 'address 10.0.0.1 is not public'],
    ['https://127.0.0.1/', 'address 127.0.0.1 is not public'],
    ['https://2130706433/', 'address 127.0.0.1 is not public'],
    ['https://0x7f.1/', 'address 127.0.0.1 is not public'],
    ['https://169.254.169.254/latest/meta-data/', 'is not public'],
    ['https://[::1]/', 'is not public'],
    ['https://[::ffff:10.0.0.1]/', 'is not public'],
    ['https://localhost/', 'is not public'],
    ['https://user:pass@93.184.215.14/', 'password'],
    ['https://93.184.215.14/#top', 'fragment'],
    [`${LONGEST}a`, 'must have at most 2048 characters'],
    ['nonsense', 'must start with https://'],
  ])('%s is a 422 that says which rule', async (bad, rule) => {
    const created = await live.post('/webhooks', { url: bad, events: ['article.created'] })
    expect([created.status, created.body.details[0].path]).toEqual([422, 'url'])
    expect(created.body.message).toContain(rule)
    const { id } = (await live.post('/webhooks', { url, events: ['article.created'] })).body.data
    expect((await live.patch(`/webhooks/${id}`, { url: bad })).status).toBe(422)
  })
})

describe('webhooks', () => {
  test('POST 201 with the secret, once; GET, PATCH, DELETE; a deleted one is hidden', async () => {
    const created = await live.post('/webhooks', {
      url,
      events: ['article.created', 'keyword.ranked'],
    })
    expect(created.status).toBe(201)
    const { secret, standard_webhooks_secret, ...webhook } = created.body.data
    expect(standard_webhooks_secret).toStartWith('whsec_')
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url,
      events: ['article.created', 'keyword.ranked'],
      enabled: true,
      description: null,
      disabled_reason: null,
      headers: {},
      ordered: false,
      paused: false,
      test_mode: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const path = `/webhooks/${webhook.id}`
    expect((await live.get(path)).body.data).toEqual(webhook)
    expect((await live.get('/webhooks')).body.data[0]).toEqual(webhook)
    const changed = await live.patch(path, { events: ['article.deleted'], enabled: false })
    expect(changed.body.data).toMatchObject({ events: ['article.deleted'], enabled: false })
    expect(changed.body.data.disabled_reason).toEqual(expect.any(String))
    const rotated = await live.post(`${path}/rotate-secret`)
    expect(rotated.body.data.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(rotated.body.data.secret).not.toBe(secret)
    expect((await live.delete(path)).body).toEqual({ data: { id: webhook.id, deleted: true } })
    for (const response of [
      await live.get(path),
      await live.patch(path, { enabled: true }),
      await live.delete(path),
      await live.post(`${path}/test`),
      await live.post(`${path}/rotate-secret`),
      await live.get(`${path}/deliveries`),
    ])
      expect(response.status).toBe(404)
  })

  test('GET /webhooks/events lists the nine types as strings', async () => {
    const { body } = await live.get('/webhooks/events')
    expect(body.data).toEqual([
      'article.created',
      'article.updated',
      'article.published',
      'article.deleted',
      'keyword.created',
      'keyword.ranked',
      'generation.started',
      'generation.completed',
      'generation.failed',
    ])
  })

  test('events and deliveries are read over the API, each with the other', async () => {
    const { id } = (await live.post('/webhooks', { url, events: ['article.created'] })).body.data
    const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
    await live.post('/articles', { project_id, title: 't' })
    const [event] = (await live.get('/events')).body.data
    expect(event.event).toBe('article.created')
    const detail = (await live.get(`/events/${event.id}`)).body.data
    const delivery = detail.deliveries.find((one: { webhook_id: string }) => one.webhook_id === id)
    const read = (await live.get(`/webhooks/${id}/deliveries/${delivery.id}`)).body.data
    expect(read).toMatchObject({ ...delivery, request: null, attempts: [] })
    const [listed] = (await live.get(`/webhooks/${id}/deliveries?event=article.created`)).body.data
    expect(listed.id).toBe(delivery.id)
    expect((await live.get(`/webhooks/${id}/deliveries?event=article.deleted`)).body.data).toEqual(
      [],
    )
    // A deleted webhook is hidden; its deliveries stay readable through the event.
    await live.delete(`/webhooks/${id}`)
    const still = (await live.get(`/events/${event.id}`)).body.data.deliveries
    expect(still.map((one: { id: string }) => one.id)).toContain(delivery.id)
  })
})

describe('the audit history', () => {
  test('has actor, action and address for keys and webhooks, and never a secret', async () => {
    const key = (await live.post('/api-keys', { name: 'audited', scopes: ['read'] })).body.data
    await live.patch(`/api-keys/${key.id}`, { rate_limit: 5 })
    const regenerated = (await live.post(`/api-keys/${key.id}/regenerate`)).body.data
    await live.delete(`/api-keys/${key.id}`)
    const webhook = (await live.post('/webhooks', { url, events: ['article.created'] })).body.data
    await live.patch(`/webhooks/${webhook.id}`, { description: 'd' })
    await live.post(`/webhooks/${webhook.id}/rotate-secret`)
    await live.delete(`/webhooks/${webhook.id}`)
    const entries = await arden.sql`
      SELECT * FROM audit_entries WHERE subject_id IN (${key.id}, ${webhook.id}) ORDER BY id`
    expect(entries.map(entry => entry.action)).toEqual([
      'api_key.created',
      'api_key.updated',
      'api_key.regenerated',
      'api_key.revoked',
      'webhook.created',
      'webhook.updated',
      'webhook.secret_rotated',
      'webhook.deleted',
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({ actor_type: 'key', actor_name: 'test', address: '127.0.0.1' })
    const text = JSON.stringify(entries)
    for (const secret of [key.key, regenerated.key, webhook.secret])
      expect(text).not.toContain(secret)
  })

  test('is append-only: the database itself refuses a change', async () => {
    for (const change of [
      "UPDATE audit_entries SET actor_name = 'nobody'",
      'DELETE FROM audit_entries',
      'TRUNCATE audit_entries',
    ])
      expect(await settled(arden.sql.unsafe(change).execute())).toThrow('append-only')
  })
})
