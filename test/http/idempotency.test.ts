import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { type ApiResponse, type Client, client } from '../support/client'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

const arden = await useArden({ serve: true })
const live = await arden.client()

let number = 0
const once = (key = `test-${++number}`) => ({ 'idempotency-key': key })
const isReplayed = (response: ApiResponse) => response.headers.get('idempotent-replayed') === 'true'
const newProject = async (as = live) => (await as.post('/projects', { name: 'p' })).body.data.id
const articles = async (projectId: string, as = live) =>
  (await as.get(`/articles?project_id=${projectId}`)).body.data
const eventCount = async (articleId: string) => {
  const [row] = await arden.sql`
    SELECT count(*)::int AS count FROM events
    WHERE body::jsonb #>> '{data,article_id}' = ${articleId}`
  return row?.count
}

describe('the same key, method, path and body', () => {
  test('returns the stored response with its status and Idempotent-Replayed, and does nothing again', async () => {
    const project_id = await newProject()
    const header = once()
    const first = await live.post('/articles', { project_id, title: 'a', body: 'b' }, header)
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    const again = await live.post('/articles', { body: 'b', title: 'a', project_id }, header)
    expect([again.status, isReplayed(again), again.body]).toEqual([201, true, first.body])
    expect(await articles(project_id)).toHaveLength(1)
    expect(await eventCount(first.body.data.id)).toBe(1)
  })

  test('a body that is written in another way is the same; none at all is {}', async () => {
    const { id } = (
      await live.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.created'] })
    ).body.data
    const header = once()
    const first = await live.post(`/webhooks/${id}/test`, undefined, header)
    const again = await live.post(`/webhooks/${id}/test`, ' {\n} ', header)
    expect([first.status, again.status]).toEqual([202, 202])
    expect([isReplayed(again), again.body]).toEqual([true, first.body])
  })

  test('many concurrent duplicates, through two processes: one article, one event, one response', async () => {
    const other = await spawnArden('serve', arden.env)
    const { key } = await arden.key()
    const clients = [client(arden.url, key), client(other.url, key)]
    const project_id = await newProject()
    const header = once()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (clients[i % 2] as Client).post('/articles', { project_id, title: 'a' }, header),
      ),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    const ids = new Set(responses.map(({ body }) => body.data.id))
    expect(ids.size).toBe(1)
    expect(responses.filter(isReplayed)).toHaveLength(39)
    expect(await articles(project_id)).toHaveLength(1)
    expect(await eventCount([...ids][0])).toBe(1)
    await other.kill('SIGTERM')
  })

  test('a replay counts against the rate limit like any request', async () => {
    const limited = await arden.client({ rate_limit: 2 })
    const header = once()
    for (const status of [201, 201, 429])
      expect((await limited.post('/projects', { name: 'p' }, header)).status).toBe(status)
  })
})

describe('anything else under the same key is a 409 and does nothing', () => {
  test('another body, another path', async () => {
    const header = once()
    const first = await live.post('/projects', { name: 'p' }, header)
    const path = `/webhooks/${first.body.data.id}/test`
    for (const other of [
      await live.post('/projects', { name: 'q' }, header),
      await live.post('/projects', { name: 'p', language: 'en' }, header),
      await live.post(path, {}, header),
    ]) {
      expect([other.status, other.body.error]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
      expect(isReplayed(other)).toBe(false)
    }
    expect(isReplayed(await live.post('/projects', { name: 'p' }, header))).toBe(true)
  })

  test('also when the first is still under way', async () => {
    const header = once()
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => live.post('/projects', { name: `p${i % 2}` }, header)),
    )
    const made = responses.filter(({ status }) => status === 201)
    expect(made).toHaveLength(5)
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(5)
  })
})

test('each API key has its own space', async () => {
  const header = once()
  const [one, other] = [await arden.client(), await arden.client()]
  const ids = [
    (await one.post('/projects', { name: 'p' }, header)).body.data.id,
    (await other.post('/projects', { name: 'p' }, header)).body.data.id,
  ]
  expect(new Set(ids).size).toBe(2)
})

test('only success is stored: the same request passes once its reason to fail is gone', async () => {
  const tester = await arden.client({ mode: 'test' })
  const project_id = await newProject()
  const header = once()
  await arden.sql`UPDATE projects SET deleted_at = now() WHERE id = ${project_id}`
  const refused = await live.post('/articles', { project_id, title: 'a' }, header)
  expect(refused.status).toBe(422)
  await arden.sql`UPDATE projects SET deleted_at = NULL WHERE id = ${project_id}`
  const passed = await live.post('/articles', { project_id, title: 'a' }, header)
  expect([passed.status, isReplayed(passed)]).toEqual([201, false])
  // Nor is what never came to the change: a scope, a body that does not parse, a mode out of reach.
  const forbidden = { name: 'k', scopes: ['read'], mode: 'live' }
  expect((await tester.post('/api-keys', '{', header)).status).toBe(400)
  expect((await tester.post('/api-keys', forbidden, header)).status).toBe(403)
  expect((await tester.post('/api-keys', { ...forbidden, mode: 'test' }, header)).status).toBe(201)
})

test('a process killed half way leaves the article with its response or neither: the next request succeeds', async () => {
  const doomed = await spawnArden('serve', arden.env)
  const { key } = await arden.key()
  const project_id = await newProject()
  const header = once()
  const request = { project_id, title: 'a' }

  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = arden.sql.begin(async tx => {
    await tx`SELECT FROM projects WHERE id = ${project_id} FOR UPDATE`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const cut = client(doomed.url, key)
    .post('/articles', request, header)
    .catch(() => 'cut')
  await until('the change waits in its transaction', async () => {
    const [row] = await arden.sql`
      SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%WITH setting%'
        AND datname = current_database()`
    return row
  })
  await doomed.kill('SIGKILL')
  expect(await cut).toBe('cut')
  const retried = client(arden.url, key).post('/articles', request, header)
  held.resolve()
  await holder

  // PostgreSQL notices the end of a client that waits for a lock only when it sends a result.
  const response = await retried
  expect(response.status).toBe(201)
  expect((await articles(project_id)).map(({ id }: { id: string }) => id)).toEqual([
    response.body.data.id,
  ])
  expect(await eventCount(response.body.data.id)).toBe(1)
})

describe('articles, whose keys are claimed in the statement that creates them', () => {
  test('of many requests with few keys, each key creates one article, and all others are replays', async () => {
    const project_id = await newProject()
    const keys = Array.from({ length: 20 }, () => once())
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        live.post('/articles', { project_id, title: `${n % 20}` }, keys[n % 20]),
      ),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(responses.filter(isReplayed)).toHaveLength(80)
    expect(await articles(project_id)).toHaveLength(20)
    for (const [n, { body }] of responses.entries())
      expect(body).toEqual(responses[n % 20]?.body ?? {})
  })

  test('a replay is the response of then, also without its project', async () => {
    const project_id = await newProject()
    const header = once()
    const article = { project_id, title: 'a', status: 'PUBLISHED' }
    const first = await live.post('/articles', article, header)
    expect((await live.get(`/articles/${first.body.data.id}`)).body).toEqual(first.body)
    await live.patch(`/articles/${first.body.data.id}`, { title: 'b' })
    await live.delete(`/projects/${project_id}`)
    const again = await live.post('/articles', article, header)
    expect([again.status, isReplayed(again), again.body]).toEqual([201, true, first.body])
  })

  test('a key of another request is a 409, and an unknown project or keyword stores nothing', async () => {
    const project_id = await newProject()
    const header = once()
    const unknown = { project_id, title: 'a', keyword_id: 'kw_00000000000000000000000000' }
    const refused = await live.post('/articles', unknown, header)
    expect([refused.status, refused.body.details[0].path]).toEqual([422, 'keyword_id'])
    expect((await live.post('/projects', { name: 'p' }, header)).status).toBe(201)
    const reused = await live.post('/articles', { project_id, title: 'a' }, header)
    expect([reused.status, reused.body.error]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await articles(project_id)).toHaveLength(0)
  })
})

describe('kept 24 hours', () => {
  const age = (key: string, hours: number) => arden.sql`
    UPDATE idempotent_requests SET created_at = clock_timestamp() - make_interval(secs => ${hours * 3600})
    WHERE idempotency_key = ${key}`

  test('until then the response is replayed, after it the request is new, whatever it is', async () => {
    const key = `kept-${++number}`
    const first = await live.post('/projects', { name: 'p' }, once(key))
    await age(key, 23.99)
    expect(isReplayed(await live.post('/projects', { name: 'p' }, once(key)))).toBe(true)
    await age(key, 24.01)
    const second = await live.post('/projects', { name: 'another' }, once(key))
    expect([second.status, isReplayed(second)]).toEqual([201, false])
    expect(second.body.data.id).not.toBe(first.body.data.id)
    const again = await live.post('/projects', { name: 'another' }, once(key))
    expect([isReplayed(again), again.body]).toEqual([true, second.body])
  })

  test('concurrent duplicates that find an expired response make one new record', async () => {
    const key = `kept-${++number}`
    await live.post('/projects', { name: 'p' }, once(key))
    await age(key, 25)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => live.post('/projects', { name: 'p' }, once(key))),
    )
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1)
    expect(responses.filter(isReplayed)).toHaveLength(9)
  })
})

test('the key is 1 to 255 visible ASCII characters, else 422 naming the header', async () => {
  const headers = ['a b', 'a\tb', 'ä', 'x'.repeat(256)]
  for (const key of headers) {
    const { status, body } = await live.post('/projects', { name: 'p' }, once(key))
    expect([key, status, body.details?.[0].path]).toEqual([key, 422, 'Idempotency-Key'])
  }
  for (const key of ['!', '~'.repeat(255), '5f0c9c1e-8d5b-4a0e-9d2f-3f1f1f0f7a11'])
    expect((await live.post('/projects', { name: 'p' }, once(key))).status).toBe(201)
})

test('other methods ignore it', async () => {
  const id = await newProject()
  const header = once()
  await live.post('/projects', { name: 'p' }, header)
  expect((await live.get(`/projects/${id}`, header)).status).toBe(200)
})
