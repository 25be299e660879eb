import { expect, test } from 'bun:test'
import { recordEvent } from '../../src/webhooks/events/record'
import { useArden } from '../support/arden'
import { spawnArden } from '../support/process'
import { LATE_MS, until } from '../support/until'
import { createReader, openEvents } from '../support/webhooks/event-stream'

const arden = await useArden({ serve: true })
const tester = (of?: string) => createReader(arden, of)
const TYPES = ['article.created', 'article.updated', 'article.published', 'article.deleted']

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
