import { expect, test } from 'bun:test'
import { useContent } from '../support/content/content'

const { live, newProject, newKeyword } = await useContent()

/** Records beside articles: how each comes to be, with a change of it. */
const RECORDS = {
  project: {
    create: async () => `/projects/${(await newProject()).id}`,
    change: { name: 'Renamed' },
  },
  keyword: {
    create: async () => `/keywords/${(await newKeyword()).id}`,
    change: { tags: ['drinks'] },
  },
  webhook: {
    create: async () => {
      const created = await live.post('/webhooks', {
        url: 'https://1.1.1.1/hooks',
        events: ['*'],
      })
      return `/webhooks/${created.body.data.id}`
    },
    change: { description: 'Renamed' },
  },
  'API key': {
    create: async () => {
      const created = await live.post('/api-keys', { name: 'First', scopes: ['read'] })
      return `/api-keys/${created.body.data.id}`
    },
    change: { name: 'Renamed' },
  },
}

test.each(Object.entries(RECORDS))(
  '%s: `updated_at` is the time of the latest change, and a PATCH without a difference is none',
  async (_, { create, change }) => {
    const path = await create()
    const first = (await live.get(path)).body.data
    expect(first.updated_at).toBe(first.created_at)

    const changed = await live.patch(path, change)
    const { updated_at } = changed.body.data
    expect(updated_at > first.updated_at).toBe(true)

    const repeated = await live.patch(path, change)
    expect(repeated.body.data.updated_at).toBe(updated_at)
    expect(repeated.headers.get('etag')).toBe(changed.headers.get('etag'))
    expect((await live.get(path)).body).toEqual(changed.body)
  },
)

test('what a response does not show is a change too: a secret, the value of a header, of a key', async () => {
  const webhook = await RECORDS.webhook.create()
  const key = await RECORDS['API key'].create()
  const header = { headers: { 'X-Team': 'blue' } }
  for (const [path, make] of [
    [webhook, () => live.post(`${webhook}/rotate-secret`)],
    [webhook, () => live.patch(webhook, header)],
    [webhook, () => live.patch(webhook, { headers: { 'X-Team': 'red' } })],
    [webhook, () => live.post(`${webhook}/pause`)],
    [key, () => live.post(`${key}/regenerate`)],
  ] as const) {
    const before = await live.get(path)
    const { status, body } = await make()
    expect(status).toBe(200)
    expect(body.data.updated_at > before.body.data.updated_at).toBe(true)
    const ifMatch = { 'if-match': before.headers.get('etag') ?? '' }
    expect((await live.delete(path, ifMatch)).status).toBe(412)
  }
})

test('a ranking changes its keyword', async () => {
  const path = await RECORDS.keyword.create()
  const before = (await live.get(path)).body.data
  expect((await live.post(`${path}/rankings`, { position: 7 })).status).toBe(201)
  const ranked = (await live.get(path)).body
  expect(ranked.data.updated_at > before.updated_at).toBe(true)
  const earlier = (day: string) =>
    live.post(`${path}/rankings`, { position: 8, checked_at: `2026-01-${day}T00:00:00Z` })
  await earlier('02')
  const { body } = await live.get(path)
  expect(body.data.position_change).toBe(1)
  expect((await earlier('01')).status).toBe(201)
  expect((await live.get(path)).body).toEqual(body)
})

for (const [record, { create, change }] of Object.entries(RECORDS))
  test(`${record}: it is changed and deleted only as it was with the ETag`, async () => {
    const path = await create()
    const first = (await live.get(path)).headers.get('etag') ?? ''
    expect(first).toMatch(/^"[\w-]{22}"$/)

    const changed = await live.patch(path, change, { 'if-match': first })
    expect(changed.status).toBe(200)
    const second = changed.headers.get('etag')
    expect(second).not.toBe(first)
    expect((await live.get(path)).headers.get('etag')).toBe(second)

    const { headers: _, body: before } = await live.get(path)
    for (const refused of [
      await live.patch(path, change, { 'if-match': first }),
      await live.delete(path, { 'if-match': first }),
    ])
      expect([refused.status, refused.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await live.get(path)).body).toEqual(before)

    expect((await live.delete(path, { 'if-match': second ?? '' })).status).toBe(200)
  })

test.each(Object.entries(RECORDS))(
  '%s: of a change and a deletion of one version at the same time, only one is made',
  async (_, { create, change }) => {
    const path = await create()
    const ifMatch = { 'if-match': (await live.get(path)).headers.get('etag') ?? '' }
    const responses = await Promise.all([
      live.patch(path, change, ifMatch),
      live.delete(path, ifMatch),
    ])
    // A deletion that comes first leaves nothing to change; a revoked key is left.
    const outcomes = responses.map(({ status }) => status).join()
    expect(['200,412', '412,200', '404,200']).toContain(outcomes)
  },
)

test('the use of an API key is no change of it', async () => {
  const { body } = await live.post('/api-keys', { name: 'Used', scopes: ['read'] })
  const path = `/api-keys/${body.data.id}`
  const etag = (await live.get(path)).headers.get('etag')
  expect((await live.get('/projects', { authorization: `Bearer ${body.data.key}` })).status).toBe(
    200,
  )
  const used = await live.get(path)
  expect(used.body.data.last_used_at).not.toBeNull()
  expect(used.headers.get('etag')).toBe(etag)
})

test('a key that was revoked meanwhile is a 412, and the calling key has the ETag of its record', async () => {
  const { body } = await live.post('/api-keys', { name: 'Revoked', scopes: ['read'] })
  const path = `/api-keys/${body.data.id}`
  const etag = (await live.get(path)).headers.get('etag') ?? ''
  const current = await live.get('/api-keys/current', {
    authorization: `Bearer ${body.data.key}`,
  })
  expect(current.headers.get('etag')).toBe(etag)
  await live.delete(path)
  for (const refused of [
    await live.patch(path, { name: 'a' }, { 'if-match': etag }),
    await live.delete(path, { 'if-match': etag }),
  ])
    expect([refused.status, refused.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
})

test('an If-Match for a record that does not exist is a 404', async () => {
  const response = await live.patch('/projects/prj_0', { name: 'a' }, { 'if-match': '"a"' })
  expect(response.status).toBe(404)
})
