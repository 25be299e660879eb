import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createArden, serverUrl } from '@arden/sdk'
import { apiKey, arden, errorOf, through, url } from './given'
import { startProxy } from './proxy'

test('a record is made, read, changed and deleted', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Blog' } })
  const path = { id: project.id }
  const { data: article } = await arden.post('/articles', {
    body: { project_id: project.id, title: 'Zürich, 東京' },
  })
  assert.equal(article.status, 'DRAFT')
  assert.equal((await arden.get('/projects/{id}', { path })).data.name, 'Blog')
  const { data: changed } = await arden.patch('/projects/{id}', { path, body: { name: 'Log' } })
  assert.equal(changed.name, 'Log')
  const { data: deleted } = await arden.delete('/articles/{id}', { path: { id: article.id } })
  assert.deepEqual(deleted, { id: article.id, deleted: true })
})

test('a change with the etag of an older version is refused', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Versions' } })
  const { data: article } = await arden.post('/articles', {
    body: { project_id: project.id, title: 'First' },
  })
  const path = { id: article.id }
  const { etag } = await arden.get('/articles/{id}', { path })
  const second = await arden.patch('/articles/{id}', {
    path,
    body: { title: 'Second' },
    ifMatch: etag,
  })
  assert.notEqual(second.etag, etag)
  const stale = arden.patch('/articles/{id}', { path, body: { title: 'Third' }, ifMatch: etag })
  assert.equal((await errorOf(stale)).code, 'PRECONDITION_FAILED')
})

test('the URL may be that of the API, or of a page of Arden', async () => {
  for (const page of [
    '/api/public/v1/',
    '/dashboard',
    '/dashboard/test/articles?page=2#top',
    '/docs/',
  ]) {
    const { data } = await createArden({ url: url + page, apiKey }).get('/usage')
    assert.equal(typeof data.requests, 'number')
  }
  // Behind a proxy it can have a path of its own.
  assert.equal(serverUrl('https://acme.com/arden/dashboard'), 'https://acme.com/arden')
  assert.equal(serverUrl('https://acme.com/dashboards'), 'https://acme.com/dashboards')
})

test('a list is iterated over all its pages, record by record and page by page', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Pages' } })
  for (const title of ['a', 'b', 'c', 'd', 'e'])
    await arden.post('/articles', { body: { project_id: project.id, title } })
  const query = { project_id: project.id, limit: 2 }
  const titles: string[] = []
  for await (const article of arden.list('/articles', { query })) titles.push(article.title)
  assert.deepEqual(titles, ['e', 'd', 'c', 'b', 'a'])
  const sizes: number[] = []
  for await (const { data } of arden.list('/articles', { query }).pages()) sizes.push(data.length)
  assert.deepEqual(sizes, [2, 2, 1])
})

test('a filter can be a Date, where the types are not checked', async () => {
  await arden.post('/projects', { body: { name: 'Of now' } })
  const hour = 3_600_000
  const since = async (at: number) => {
    const query = { created_after: new Date(at), limit: 1 } as never
    return (await arden.get('/projects', { query })).data.length
  }
  assert.deepEqual([await since(Date.now() - hour), await since(Date.now() + hour)], [1, 0])
})

test('a list that is left early fetches no further page', async () => {
  const proxy = await startProxy(url, [])
  for (const name of ['a', 'b']) await arden.post('/projects', { body: { name } })
  for await (const { id } of through(proxy).list('/projects', { query: { limit: 1 } })) {
    assert.match(id, /^prj_/)
    break
  }
  assert.equal(proxy.seen.length, 1)
  proxy.stop()
})

test('a file is downloaded under its name; an error of the API is one of the call', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Files' } })
  const { data: article } = await arden.post('/articles', {
    body: { project_id: project.id, title: 'Zürich', body: 'At the lake.' },
  })
  const query = { format: 'markdown' as const }
  const file = await arden.download('/articles/{id}/export', { path: { id: article.id }, query })
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename=zurich.md')
  assert.match(await file.text(), /\nAt the lake\.$/)
  const zip = await arden.download('/articles/export', { query: { project_id: project.id } })
  assert.equal(Buffer.from(await zip.arrayBuffer()).toString('latin1', 0, 2), 'PK')
  const unknown = arden.download('/articles/export', { query: { ids: 'art_1' } })
  assert.equal((await errorOf(unknown)).code, 'NOT_FOUND')
  const aborted = AbortSignal.abort(new Error('no longer'))
  await assert.rejects(arden.download('/articles/export', { signal: aborted }), /no longer/)
})

test('a stream yields each event with the text that its deliveries have', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Stream' } })
  const write = (title: string) =>
    arden.post('/articles', { body: { project_id: project.id, title } })
  const end = new AbortController()
  const titles: string[] = []
  const stream = arden.stream({
    events: ['article.created'],
    signal: end.signal,
    onOpen: () => void write('first'),
  })
  for await (const { event, body } of stream) {
    assert(event.event === 'article.created', event.event)
    // Other tests create articles meanwhile.
    if (event.data.project_id !== project.id) continue
    assert.deepEqual(JSON.parse(body), event)
    titles.push(event.data.title)
    if (titles.length === 1) await write('second')
    else end.abort()
  }
  assert.deepEqual(titles, ['first', 'second'])
})

test('a stream continues after the position of an event that another one has read', async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Restart' } })
  const write = (title: string) =>
    arden.post('/articles', { body: { project_id: project.id, title } })
  /** The title of the next article of the project, and its position. */
  const next = async (position?: string, onOpen = () => {}) => {
    for await (const one of arden.stream({ events: ['article.created'], position, onOpen }))
      if (one.event.event === 'article.created' && one.event.data.project_id === project.id)
        return [one.event.data.title, one.position] as const
    throw new Error('the stream has ended')
  }
  const [title, position] = await next(undefined, () => void write('read'))
  await write('between two streams')
  const [later] = await next(position)
  assert.deepEqual([title, later], ['read', 'between two streams'])
})

test('a stream that the server refuses fails with the error of the API', async () => {
  const stranger = createArden({ url, apiKey: 'ar_live_nonsense' })
  const next = stranger.stream()[Symbol.asyncIterator]().next()
  assert.equal((await errorOf(next)).code, 'UNAUTHORIZED')
})

test('an error has its code, its status, the id of its request, and the members of its code', async () => {
  const body = { name: '', language: 'no such language' }
  const error = await errorOf(arden.post('/projects', { body }))
  assert(error.code === 'VALIDATION_ERROR', error.code)
  assert(error.details.some(detail => detail.path === 'name'))
  assert.equal(error.status, 422)
  assert.match(error.requestId ?? '', /^[\w-]+$/)
  assert.equal(error.name, 'ArdenError')

  const unknown = 'prj_01kafz3v5tf4qrm8z3x9d2c7ne'
  const missing = await errorOf(arden.get('/projects/{id}', { path: { id: unknown } }))
  assert.equal(missing.code, 'NOT_FOUND')
  assert(missing.message.includes(unknown))
  const stranger = createArden({ url, apiKey: 'ar_live_nonsense' })
  assert.equal((await errorOf(stranger.get('/usage'))).code, 'UNAUTHORIZED')
})

test('a GET needs nothing random, which a page that is built in advance may not read', async t => {
  Object.defineProperty(crypto, 'randomUUID', {
    configurable: true,
    value: () => assert.fail('a random value was read'),
  })
  t.after(() => Reflect.deleteProperty(crypto, 'randomUUID'))
  assert.equal(typeof (await arden.get('/usage')).data, 'object')
})

test('the same idempotencyKey is the same call; for another body it is an error', async () => {
  const idempotencyKey = crypto.randomUUID()
  const first = await arden.post('/projects', { body: { name: 'Once' }, idempotencyKey })
  const again = await arden.post('/projects', { body: { name: 'Once' }, idempotencyKey })
  assert.equal(again.data.id, first.data.id)
  const other = await errorOf(arden.post('/projects', { body: { name: 'Two' }, idempotencyKey }))
  assert.equal(other.code, 'IDEMPOTENCY_KEY_REUSED')
})

test('a replay whose secret cannot be shown again is an error with the record, not undefined', async () => {
  const idempotencyKey = crypto.randomUUID()
  const body = { url: 'http://127.0.0.1:9/', events: ['article.created' as const] }
  const { data: webhook } = await arden.post('/webhooks', { body, idempotencyKey })
  assert.match(webhook.secret, /^[0-9a-f]{64}$/)
  const error = await errorOf(arden.post('/webhooks', { body, idempotencyKey }))
  assert(error.code === 'SECRET_SHOWN_BEFORE', error.code)
  assert.equal(error.record.id, webhook.id)
  assert(!('secret' in error.record))
  assert.match(error.message, new RegExp(`: POST /webhooks/${webhook.id}/rotate-secret\\.$`))
  const path = { id: error.record.id }
  const rotated = await arden.post('/webhooks/{id}/rotate-secret', { path })
  assert.notEqual(rotated.data.secret, webhook.secret)
})

test('an id that is empty, absent or a part of a path is refused before a request', async () => {
  // @ts-expect-error the id is absent
  await assert.rejects(arden.get('/projects/{id}'), /^TypeError: `path.id`/)
  for (const id of ['', '.', '..']) {
    await assert.rejects(arden.get('/projects/{id}', { path: { id } }), /^TypeError: `path.id`/)
    await assert.rejects(
      arden.download('/articles/{id}/export', { path: { id } }),
      /^TypeError: `path.id`/,
    )
  }
})

test('an address where Arden is not is said to be one', async () => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/webhooks')) response.writeHead(502)
    if (request.url?.endsWith('/usage')) response.writeHead(301, { location: '/elsewhere' })
    response.end('<p>Welcome</p>')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const wrong = createArden({ url: `http://127.0.0.1:${port}`, apiKey, retries: 0 })
  assert.equal((await errorOf(wrong.get('/articles'))).code, 'UNEXPECTED_RESPONSE')
  const down = await errorOf(wrong.get('/webhooks'))
  assert.deepEqual([down.code, down.status], ['UNEXPECTED_RESPONSE', 502])
  assert.match(
    down.message,
    /^Arden is not available: a proxy responded with 502\. Try again later/,
  )
  // Followed, a POST would arrive as a GET.
  const moved = await errorOf(wrong.get('/usage'))
  assert.deepEqual([moved.code, moved.status], ['UNEXPECTED_RESPONSE', 301])
  server.closeAllConnections()
  server.close()
  const away = createArden({ url: `http://127.0.0.1:${port}`, apiKey, retries: 0 })
  assert.equal((await errorOf(away.get('/articles'))).code, 'NO_RESPONSE')
})

test('a url that is none and an empty key are refused at once', () => {
  for (const url of ['arden', 'localhost:3000'])
    assert.throws(
      () => createArden({ url, apiKey }),
      /^TypeError: `url` is not the URL of a server/,
    )
  assert.throws(() => createArden({ url, apiKey: '' }), /apiKey/)
  for (const around of [`${apiKey}\n`, ` ${apiKey}`, `“${apiKey}”`])
    assert.throws(
      () => createArden({ url, apiKey: around }),
      (error: Error) => /^`apiKey` has/.test(error.message) && !error.message.includes(apiKey),
    )
})
