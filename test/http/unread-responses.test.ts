import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { createReader, LARGE_BYTES } from '../support/http/unread-responses'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

test('a key with 16 MiB of unread responses gets a 429 for reads until they are read; other keys of its account do not', async () => {
  const { accountId, keyId, api, request } = await createReader(arden, {
    mode: 'test',
    scopes: ['read'],
  })
  const other = await createReader(arden, { accountId })
  const unread = [await request(), await request()]
  expect(unread.map(({ status }) => status)).toEqual([200, 200])
  const { status, body, headers } = await api.get('/projects')
  expect([status, body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
  expect(body.message).toBe(
    `The unread responses of the key ${keyId} have reached 16 MiB. Read them, then try again in 1 second, with fewer requests at a time.`,
  )
  expect(headers.get('retry-after')).toBe('1')
  expect((await request()).status).toBe(429)
  expect((await other.api.get('/events')).status).toBe(200)
  expect((await other.api.post('/projects', { name: 'p' })).status).toBe(201)
  for (const { socket } of unread) socket.resume()
  await until('they are read', async () => (await api.get('/projects')).status === 200)
})

test('an account with 64 MiB of unread responses gets a 429 for reads; other accounts do not', async () => {
  const { accountId, api } = await createReader(arden)
  const other = await createReader(arden)
  const readers = [
    await createReader(arden, { accountId, scopes: ['read'] }),
    await createReader(arden, { accountId, scopes: ['read'] }),
    await createReader(arden, { accountId, mode: 'test', scopes: ['read'] }),
  ]
  const unread = []
  for (const { request } of readers) {
    expect((await api.get('/projects')).status).toBe(200)
    unread.push(await request(), await request())
  }
  const { status, body } = await api.get('/projects')
  expect([status, body.message]).toEqual([
    429,
    'The unread responses of the keys and users of your account have reached 64 MiB. Read them, then try again in 1 second, with fewer requests at a time.',
  ])
  expect((await other.api.get('/events')).status).toBe(200)
  for (const { socket } of unread) socket.destroy()
  await until('their bytes are free', async () => (await api.get('/projects')).status === 200)
})

test('unread responses refuse no write, and nothing under /api-keys, so that the key that has them can be revoked', async () => {
  const { api, keyId, request } = await createReader(arden)
  expect([(await request()).status, (await request()).status]).toEqual([200, 200])
  expect((await api.get('/projects')).status).toBe(429)
  expect((await api.post('/projects', { name: 'p' })).status).toBe(201)
  expect((await api.get('/api-keys')).status).toBe(200)
  expect((await api.get('/api-keys/current')).status).toBe(200)
  expect((await api.get(`/api-keys/${keyId}`)).status).toBe(200)
  expect((await api.delete(`/api-keys/${keyId}`)).status).toBe(200)
})

test('of many requests at the same time, those beyond the limit get a 429 when it is their turn', async () => {
  const { api, request } = await createReader(arden)
  const requests = await Promise.all(Array.from({ length: 16 }, request))
  const accepted = requests.filter(({ status }) => status === 200)
  // Two reach the limit; three more are read at that time, and have been read but not sent.
  expect(accepted.length).toBeWithin(2, 10)
  expect(requests.filter(({ status }) => status === 429)).toHaveLength(16 - accepted.length)
  for (const { socket } of requests) socket.destroy()
  await until('their bytes are free', async () => (await api.get('/projects')).status === 200)
})

test('an account with 64 MiB of unread responses to writes gets a 429 for writes, except those under /api-keys', async () => {
  const { accountId, api, patch } = await createReader(arden)
  const { id: project_id } = (await api.post('/projects', { name: 'p' })).body.data
  const { id } = (await api.post('/articles', { project_id, title: 't' })).body.data
  await arden.sql`UPDATE articles SET body = ${'a'.repeat(LARGE_BYTES)} WHERE id = ${id}`
  const unread = []
  for (let n = 0; n < 6; n++) unread.push(await patch(`/articles/${id}`, { title: `t${n}` }))
  expect(unread.map(({ status }) => status)).toEqual(Array(6).fill(200))
  const other = await createReader(arden, { accountId })
  const article = { project_id, title: 't' }
  const { status, body } = await other.api.post('/articles', article)
  expect([status, body.message]).toEqual([
    429,
    'The unread responses of the writes of your account have reached 64 MiB. Read them, then try again in 1 second, with fewer requests at a time.',
  ])
  expect((await patch(`/articles/${id}`, { title: 't' })).status).toBe(429)
  expect((await api.post('/projects', { name: 'p' })).status).toBe(429)
  expect((await other.api.delete(`/api-keys/${other.keyId}`)).status).toBe(200)
  for (const { socket } of unread) socket.destroy()
  await until(
    'their bytes are free',
    async () => (await api.post('/articles', article)).status === 201,
  )
})

test('stored responses of an Idempotency-Key that are not read refuse the next ones at 64 MiB', async () => {
  const { accountId, api, patch } = await createReader(arden)
  const { id: project_id } = (await api.post('/projects', { name: 'p' })).body.data
  const article = { project_id, title: 't', body: 'a'.repeat(LARGE_BYTES / 16) }
  const { id } = (await api.post('/articles', { project_id, title: 't' })).body.data
  await arden.sql`UPDATE articles SET body = ${'a'.repeat(LARGE_BYTES)} WHERE id = ${id}`
  const key = { 'idempotency-key': 'k' }
  expect((await api.post('/articles', article, key)).status).toBe(201)
  const unread = []
  for (let n = 0; n < 6; n++) unread.push(await patch(`/articles/${id}`, { title: `t${n}` }))
  const other = await createReader(arden, { accountId })
  expect((await other.api.post('/articles', article, key)).status).toBe(429)
  expect((await api.post('/articles', article, key)).status).toBe(429)
  for (const { socket } of unread) socket.destroy()
  await until(
    'their bytes are free',
    async () => (await api.post('/articles', article, key)).status === 201,
  )
})
