import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { lockUntilReleased } from '../support/db/locks'
import { until } from '../support/until'
import { openEvents } from '../support/webhooks/event-stream'

const arden = await useArden({ serve: true })

/** Statements that wait for a lock, so they run for as long as the test wants. */
const waiting = () => arden.sql`
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

const lockArticles = () => lockUntilReleased(arden.sql, tx => tx`LOCK TABLE articles`)

test('reads of one account run three at a time, and reads of another account do not wait for them', async () => {
  const [slow, other] = [
    await arden.client(),
    await arden.client({ accountId: await arden.newAccount() }),
  ]
  const release = await lockArticles()
  const reads = Array.from({ length: 12 }, () => slow.get('/articles?status=DRAFT'))
  await until('three wait', async () => (await waiting()).length >= 3)
  for (let n = 0; n < 12; n++) {
    expect((await other.get('/projects')).status).toBe(200)
    expect((await waiting()).length).toBeLessThanOrEqual(3)
  }
  await release()
  await Promise.all(reads)
}, 60_000)

test('slow reads of many accounts run ten at a time, and a read of another account gets its turn', async () => {
  const newClient = async () => arden.client({ accountId: await arden.newAccount() })
  const [other, ...slow] = [await newClient(), await newClient(), await newClient()]
  slow.push(await newClient(), await newClient())
  const release = await lockArticles()
  const reads = slow.flatMap(api =>
    Array.from({ length: 6 }, () => api.get('/articles?status=DRAFT')),
  )
  await until('ten wait', async () => (await waiting()).length === 10)
  // Each of the ten is stopped after 5 s.
  expect((await other.get('/projects')).status).toBe(200)
  expect((await waiting()).length).toBeLessThanOrEqual(10)
  await release()
  await Promise.all(reads)
}, 60_000)

test('a read that takes too long is a 503 that says what to do', async () => {
  const api = await arden.client()
  const release = await lockArticles()
  const { status, body, headers } = await api.get('/articles?status=DRAFT')
  await release()
  expect([status, body.error]).toEqual([503, 'UNAVAILABLE'])
  expect(body.message).toBe(
    'The read was stopped after 5 s: PostgreSQL had too many records to search, or was too busy. Narrow the filter, for example with created_after and created_before, or try again later.',
  )
  expect(headers.get('retry-after')).toBe('2')
  expect((await api.get('/articles?status=DRAFT')).status).toBe(200)
}, 60_000)

test('event streams of one account read three at a time, and reads of another account do not wait for them', async () => {
  const { key } = await arden.key()
  const other = await arden.client({ accountId: await arden.newAccount() })
  const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE events`)
  const streams = await Promise.all(Array.from({ length: 10 }, () => openEvents(arden.url, key)))
  await until('three wait', async () => (await waiting()).length >= 3)
  for (let n = 0; n < 12; n++) {
    expect((await other.get('/projects')).status).toBe(200)
    expect((await waiting()).length).toBeLessThanOrEqual(3)
  }
  await release()
  for (const stream of streams) stream.close()
}, 60_000)
