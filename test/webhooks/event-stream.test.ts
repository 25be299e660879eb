import { expect, test } from 'bun:test'
import { connect } from '../../src/db/connect'
import { lowestIdAt } from '../../src/ids'
import { gapAfter } from '../../src/webhooks/event-stream/gap'
import { currentPosition, formatPosition, readEvents } from '../../src/webhooks/event-stream/store'
import { recordEvent } from '../../src/webhooks/events/record'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { rowsRead } from '../support/db/rows-read'
import { spawnArden } from '../support/process'
import { LATE_MS, until } from '../support/until'
import { openEvents } from '../support/webhooks/event-stream'

const arden = await useArden({ serve: true })

const TYPES = ['article.created', 'article.updated', 'article.published', 'article.deleted']

/**
 * A key, a client with it, and a project to write articles in: of an account of its own, for a stream that is opened
 * while a transaction of some other test is open begins before what has happened meanwhile.
 */
const tester = async (of?: string) => {
  const accountId = of ?? (await arden.newAccount())
  const { id, key } = await arden.key({ mode: 'test', accountId })
  const api = client(arden.url, key)
  const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
  const write = async (title: string) =>
    (await api.post('/articles', { project_id, title })).body.data.id as string
  return { accountId, id, key, api, write }
}

test('events are streamed as webhooks get them, the envelope byte for byte', async () => {
  const { key, api, write } = await tester()
  const stream = await openEvents(arden.url, key)
  expect(stream.status).toBe(200)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.headers.get('x-request-id')).toBeTruthy()
  const article = await write('Ünïcode "quoted"\nand broken')
  await api.delete(`/articles/${article}`)
  const [created, deleted] = await stream.until(2)
  expect(created?.event).toBe('article.created')
  expect(deleted?.event).toBe('article.deleted')
  const [stored] = await arden.sql`SELECT body FROM events WHERE id = ${stream.ids()[0] ?? ''}`
  expect(created?.data).toBe(stored?.body)
  stream.close()
})

test('after a break, a stream goes on behind the last event that was received', async () => {
  const { key, write } = await tester()
  const before = await openEvents(arden.url, key)
  await write('seen')
  const [seen] = await before.until(1)
  before.close()
  const missed = [await write('missed 1'), await write('missed 2')]
  const after = await openEvents(arden.url, key, { lastEventId: seen?.id ?? '' })
  const events = await after.until(2)
  expect(events.map(({ data }) => JSON.parse(data).data.article_id)).toEqual(missed)
  after.close()
})

test('a reader that resumes from before the retention gets a gap before the first event, and no other reader', async () => {
  const { key, write } = await tester()
  const { xid } = await currentPosition(arden.sql)
  const DAY_MS = 24 * 3600 * 1000
  const from = (daysAgo: number) =>
    openEvents(arden.url, key, {
      lastEventId: `${xid}.${lowestIdAt('evt', new Date(Date.now() - daysAgo * DAY_MS))}`,
    })
  const [late, inTime] = [await from(30.5), await from(29.5)]
  const article = await write('kept')
  const [gap, event] = await late.until(2)
  expect(gap).toMatchObject({ event: 'gap', id: undefined })
  const { before, message } = JSON.parse(gap?.data ?? '{}')
  expect(Date.now() - Date.parse(before)).toBeGreaterThanOrEqual(30 * DAY_MS)
  expect(message).toContain(before)
  expect(JSON.parse(event?.data ?? '{}').data.article_id).toBe(article)
  const [first] = await inTime.until(1)
  expect(first).toEqual(event)
  for (const one of [late, inTime]) one.close()
})

test('a reader that resumes with a position of another database history gets a gap, and recent events again', async () => {
  const { key, write } = await tester()
  const written = [await write('a'), await write('b')]
  // As large as a transaction number can be: those of the two histories do not compare.
  const lastEventId = `00000000.9000000000000000000.${lowestIdAt('evt', new Date())}`
  const stream = await openEvents(arden.url, key, { lastEventId })
  const [gap, ...events] = await stream.until(3)
  expect(gap).toMatchObject({ event: 'gap', id: undefined })
  expect(events.map(({ data }) => JSON.parse(data).data.article_id)).toEqual(written)
  const next = await openEvents(arden.url, key, { lastEventId: events[0]?.id ?? '' })
  expect(await next.until(1)).toEqual(events.slice(1))
  for (const one of [stream, next]) one.close()
})

test('the cursor that a stream begins with has its time, and resumes with all that follows', async () => {
  const { key, write } = await tester()
  const now = await currentPosition(arden.sql)
  expect(gapAfter(now, 1)).toBeUndefined()
  const DAY_MS = 24 * 3600 * 1000
  expect(gapAfter(now, 1, Date.now() + DAY_MS - 60_000)).toBeUndefined()
  expect(gapAfter(now, 1, Date.now() + DAY_MS + 1_000)).toBeDefined()
  const article = await write('after it')
  const stream = await openEvents(arden.url, key, { lastEventId: formatPosition(now) })
  const [first] = await stream.until(1)
  expect(JSON.parse(first?.data ?? '{}').data.article_id).toBe(article)
  stream.close()
})

test('what commits late is not missed: events come in the order of commits, not of ids', async () => {
  const { accountId, key, write } = await tester()
  const stream = await openEvents(arden.url, key)
  const tenant = { accountId, mode: 'test' } as const
  const began = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const late = arden.sql.begin(async tx => {
    const data = { keyword_id: 'kw_1', project_id: 'prj_1', keyword: 'late' }
    await recordEvent(tx, tenant, 'keyword.created', data)
    began.resolve()
    await commit.promise
  })
  await began.promise
  await write('early')
  const again = await openEvents(arden.url, key)
  // The later one is there and hidden, for as long as the earlier one may still come before it.
  const committed = await arden.sql`SELECT FROM events WHERE body LIKE '%"early"%'`
  expect(committed).toHaveLength(1)
  await Bun.sleep(300)
  expect(stream.received).toHaveLength(0)
  commit.resolve()
  await late
  const events = await stream.until(2)
  expect(events.map(one => one.event)).toEqual(['keyword.created', 'article.created'])
  stream.close()
  again.close()
})

test('only events of the requested types arrive, and nothing of another mode', async () => {
  const { accountId, key, api, write } = await tester()
  const stream = await openEvents(arden.url, key, { events: 'article.deleted,article.published' })
  const live = await openEvents(arden.url, (await arden.key({ mode: 'live', accountId })).key)
  await api.delete(`/articles/${await write('a')}`)
  const [first] = await stream.until(1)
  expect(first?.event).toBe('article.deleted')
  expect(stream.received).toHaveLength(1)
  expect(live.received).toHaveLength(0)
  for (const one of [stream, live]) one.close()
})

test('an unknown type and a Last-Event-ID that no stream gave are refused, each by name', async () => {
  const { api } = await tester()
  const wrong = await api.get('/events/stream?events=article.created,article.burnt')
  expect(wrong.status).toBe(422)
  expect(wrong.body.message).toContain('article.burnt')
  for (const type of TYPES) expect(wrong.body.message).toContain(type)
  const bad = await api.get('/events/stream', { 'last-event-id': '12.evt_1' })
  expect(bad.status).toBe(422)
  expect(bad.body.details[0].path).toBe('Last-Event-ID')
})

test('a stream counts as one request, and a key has ten at a time', async () => {
  const { id, key, api } = await tester()
  const left = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  const before = left((await api.get('/projects')).headers)
  const streams = await Promise.all(Array.from({ length: 10 }, () => openEvents(arden.url, key)))
  const refused = await api.get('/events/stream')
  expect(refused.status).toBe(409)
  expect(refused.body.message).toContain(id)
  expect(left(refused.headers)).toBe(before - 11)
  streams[0]?.close()
  const next = await until('a place is free', async () => {
    const one = await openEvents(arden.url, key)
    return one.status === 200 && one
  })
  for (const one of [...streams, next]) one.close()
})

test('a stream ends when its key is revoked or regenerated', async () => {
  for (const end of ['delete', 'regenerate'] as const) {
    const { accountId, id, key, write } = await tester()
    const admin = await arden.client({ mode: 'test', accountId })
    const stream = await openEvents(arden.url, key)
    await write('a')
    await stream.until(1)
    if (end === 'delete') await admin.delete(`/api-keys/${id}`)
    else await admin.post(`/api-keys/${id}/regenerate`)
    await until('it ends', () => stream.state.ended)
  }
})

test('no event arrives after the end of the key, also where no notification of its end arrives', async () => {
  const ends = [
    (id: string) => arden.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${id}`,
    (id: string) => arden.sql`UPDATE api_keys SET expires_at = now() WHERE id = ${id}`,
  ]
  for (const end of ends) {
    const { accountId, id, key } = await tester()
    const { write } = await tester(accountId)
    const stream = await openEvents(arden.url, key)
    await write('before')
    await stream.until(1)
    await end(id)
    await write('after')
    await until('it ends', () => stream.state.ended)
    expect(stream.received).toHaveLength(1)
  }
})

test('the sample of the test endpoint is for its webhook alone', async () => {
  const { key, api, write } = await tester()
  const url = 'http://127.0.0.1:9/'
  const webhook = (await api.post('/webhooks', { url, events: ['article.created'] })).body.data
  const stream = await openEvents(arden.url, key)
  expect((await api.post(`/webhooks/${webhook.id}/test`)).status).toBe(202)
  await write('a')
  const [first] = await stream.until(1)
  expect(first?.event).toBe('article.created')
  stream.close()
})

test('the few that are requested are read from among the many that are not', async () => {
  const { accountId, key, api, write } = await tester()
  const [first] = await arden.sql`SELECT pg_current_xact_id()::text AS xid`
  const tenant = { accountId, mode: 'test' } as const
  const article = await write('rare')
  await arden.sql.begin(async tx => {
    const data = { keyword_id: 'kw_1', project_id: 'prj_1', keyword: 'many' }
    for (let n = 0; n < 250; n++) await recordEvent(tx, tenant, 'keyword.created', data)
  })
  await api.delete(`/articles/${article}`)
  const stream = await openEvents(arden.url, key, {
    events: 'article.created,article.deleted',
    lastEventId: `${first?.xid}.`,
  })
  const events = await stream.until(2)
  expect(events.map(({ data }) => JSON.parse(data).data.article_id)).toEqual([article, article])
  stream.close()
})

test('streams of an account that skip events read 100 pages of them in a second at most, all together', async () => {
  const { accountId, key, write } = await tester()
  const [first] = await arden.sql`SELECT pg_current_xact_id()::text AS xid`
  await arden.sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    SELECT 'evt_' || lpad(n::text, 26, '0'), ${accountId}, 'test', 'keyword.created', '{}', now()
    FROM generate_series(1, 2000) n`
  await write('after them')
  const began = performance.now()
  const open = () =>
    openEvents(arden.url, key, { events: 'article.created', lastEventId: `${first?.xid}.` })
  const streams = await Promise.all([open(), open(), open()])
  for (const stream of streams) await stream.until(1)
  // Each skips 20 pages. Node's timers may be a ms early.
  expect(performance.now() - began).toBeGreaterThan(3 * 20 * 9)
  for (const stream of streams) stream.close()
})

test('a read takes what follows its place from the index, however much has happened', async () => {
  const sql = connect(arden.env.DATABASE_URL ?? '', { name: 'test', max: 1 })
  const tenant = { accountId: arden.accountId, mode: 'live' } as const
  await sql`
    INSERT INTO events (id, account_id, mode, type, body, xid, created_at)
    SELECT 'evt_' || n, ${tenant.accountId}, 'live', 'article.updated', repeat('x', 300), '3', now()
    FROM generate_series(1, 20000) n`
  await sql`ANALYZE events`
  const before = await rowsRead(sql, 'events')
  // More often than a statement is planned for its values.
  for (let n = 0; n < 10; n++) {
    await readEvents(sql, tenant, await currentPosition(sql))
    await readEvents(sql, tenant, { xid: '3', id: '' }, ['article.deleted'])
  }
  expect((await rowsRead(sql, 'events')) - before).toBeLessThanOrEqual(10 * 100)
  await sql.end()
})

test('SIGTERM ends open streams, which go on at another process', async () => {
  const { key, write } = await tester()
  const served = await spawnArden('serve', arden.env)
  const stream = await openEvents(served.url, key)
  await write('by another process')
  const [seen] = await stream.until(1)
  const began = performance.now()
  expect(await served.kill('SIGTERM')).toBe(0)
  expect(performance.now() - began).toBeLessThan(5_000 + LATE_MS)
  await until('it ends', () => stream.state.ended)
  await write('later')
  const next = await openEvents(arden.url, key, { lastEventId: seen?.id ?? '' })
  await next.until(1)
  next.close()
})

test('HEAD responds with the head of a stream and opens none', async () => {
  const { key } = await tester()
  const heads = Array.from({ length: 12 }, () =>
    fetch(`${arden.url}/api/public/v1/events/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${key}` },
    }),
  )
  for (const head of await Promise.all(heads)) {
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe('text/event-stream')
  }
})
