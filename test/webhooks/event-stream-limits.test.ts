import { expect, test } from 'bun:test'
import { connect } from '../../src/db/connect'
import { currentPosition, readEvents } from '../../src/webhooks/event-stream/store'
import { recordEvent } from '../../src/webhooks/events/record'
import { useArden } from '../support/arden'
import { rowsRead } from '../support/db/rows-read'
import { until } from '../support/until'
import { createReader, openEvents } from '../support/webhooks/event-stream'

/** How many event streams there are, how long, and what they cost (contract 5.16). */

const arden = await useArden({ serve: true })
const tester = (of?: string) => createReader(arden, of)

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
