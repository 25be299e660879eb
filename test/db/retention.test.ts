import { beforeEach, expect, test } from 'bun:test'
import { ScheduleOverlapPolicy } from '@temporalio/client'
import { lowestIdAt } from '../../src/ids'
import { deleteExpired, deleteExpiredEvents } from '../../src/retention/expiry'
import { expireScheduleId } from '../../src/retention/schedule'
import { useDatabase } from '../support/database'
import { until } from '../support/until'
import { recordAttempt } from '../support/webhooks/attempt'
import { useSender } from '../support/webhooks/sender'

const DAYS = 30

const sender = await useSender('https://hooks.example.com/in')
beforeEach(async () => {
  await sender.sql`TRUNCATE events, deliveries, attempts, idempotent_requests, api_key_hits, workers`
})

/** Delivered with one attempt, unless it is to stay open. */
const deliveries = async (count: number, { open = false } = {}) => {
  const ids = await sender.deliveries(count)
  if (!open)
    for (const id of ids)
      await recordAttempt(sender.sql, id, {
        attemptId: crypto.randomUUID(),
        startedAt: new Date().toISOString(),
        durationMs: 10,
        httpStatus: 200,
        responseBody: 'ok',
        error: null,
        requestUrl: 'https://hooks.example.com/in',
        signatures: '',
      })
  return ids
}
const age = (days: number, ids: string[]) => sender.sql`
  UPDATE events SET created_at = now() - make_interval(days => ${days})
  WHERE id IN (SELECT event_id FROM deliveries WHERE id = ANY (${ids}))`
const counts = async () => {
  const [row] = await sender.sql`
    SELECT (SELECT count(*)::int FROM events) AS events,
      (SELECT count(*)::int FROM deliveries) AS deliveries,
      (SELECT count(*)::int FROM all_attempts) AS attempts`
  return row
}

test('what is older goes with its deliveries and attempts, what is younger stays', async () => {
  await age(DAYS + 1, await deliveries(5))
  const young = await deliveries(3)
  await age(DAYS - 1, young)
  expect(await deleteExpired(sender.sql, DAYS, '', () => {})).toMatchObject({ events: 5 })
  expect(await counts()).toMatchObject({ events: 3, deliveries: 3, attempts: 3 })
  for (const id of young) await sender.row(id)
})

test('an event stays while one of its deliveries is not final', async () => {
  const open = await deliveries(2, { open: true })
  await age(DAYS + 1, open)
  await age(DAYS + 1, await deliveries(2))
  expect(await deleteExpired(sender.sql, DAYS, '', () => {})).toMatchObject({ events: 2 })
  expect(await counts()).toMatchObject({ events: 2, deliveries: 2 })
  for (const id of open) expect((await sender.row(id)).status).toBe('RETRYING')
})

test('the audit history and the usage counters stay', async () => {
  const { sql } = sender
  const what = async () => ({
    audit: await sql`SELECT * FROM audit_entries ORDER BY id`,
    usage: await sql`SELECT * FROM monthly_usage ORDER BY shard`,
  })
  await age(DAYS + 1, await deliveries(3))
  const before = await what()
  expect(before.usage.length).toBeGreaterThan(0)
  await deleteExpired(sql, DAYS, '', () => {})
  expect(await what()).toEqual(before)
})

test('Idempotency-Keys are deleted after their 24 hours, and rate-limit hits of an unused key', async () => {
  const { sql } = sender
  await sql`
    INSERT INTO idempotent_requests (key_id, idempotency_key, fingerprint, created_at)
    SELECT 'key', n::text, '', now() - make_interval(hours => n) FROM generate_series(1, 2500) AS n`
  const [account] = await sql<[{ account_id: string }]>`SELECT account_id FROM webhooks`
  for (const [key, idle] of [
    ['key_idle', '2 days'],
    ['key_used', '2 hours'],
  ] as const) {
    await sql`
      INSERT INTO api_keys (id, account_id, name, scopes, mode, hash, prefix, rate_limit)
      VALUES (${key}, ${account.account_id}, 'k', '{read}', 'live', ${Buffer.from(key)}, 'p', 1000)`
    await sql`
      INSERT INTO api_key_windows (key_id, last_n, last_at)
      VALUES (${key}, 10, now() - ${idle}::text::interval)`
    await sql`
      INSERT INTO api_key_hits (key_id, n, at)
      SELECT ${key}, n, now() - ${idle}::text::interval FROM generate_series(1, 10) AS n`
  }
  expect(await deleteExpired(sql, DAYS, '', () => {})).toEqual({
    events: 0,
    idempotent_requests: 2500 - 23,
    hits: 10,
    request_hours: 0,
    failed_requests: 0,
    article_versions: 0,
    events_after: '',
  })
  expect(await sql`SELECT DISTINCT key_id FROM api_key_hits`).toMatchObject([
    { key_id: 'key_used' },
  ])
})

test('the hours of requests go when no chart shows them', async () => {
  const { sql } = sender
  await sql`
    INSERT INTO request_hours (account_id, mode, hour, accepted)
    SELECT 'acc', 'live', now() - make_interval(days => n), 1 FROM generate_series(0, 40) AS n`
  expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({ request_hours: 10 })
  expect((await sql`SELECT FROM request_hours`).length).toBe(31)
})

test('failed requests go after 7 days, in batches', async () => {
  const { sql } = sender
  const DAY_MS = 86_400_000
  for (const [days, count] of [
    [8, 2_500],
    [6, 3],
  ] as const) {
    const id = lowestIdAt('req', new Date(Date.now() - days * DAY_MS)).slice(0, -4)
    await sql`
      INSERT INTO failed_requests (id, account_id, mode, request_id, method, path, status, error, message,
        actor_type, actor_id, actor_name, address, duration_ms, created_at)
      SELECT ${id} || lpad(n::text, 4, '0'), 'acc', 'live', '', 'GET', '/', 404, '', '', 'key', '', '', '', 1, now()
      FROM generate_series(1, ${count}) n`
  }
  expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({ failed_requests: 2_500 })
  expect((await sql`SELECT FROM failed_requests`).length).toBe(3)
})

test('versions of articles go when they were replaced longer ago, the oldest first', async () => {
  const { sql } = sender
  const [account] = await sql<[{ account_id: string }]>`SELECT account_id FROM webhooks`
  const of = { account_id: account.account_id, mode: 'live' }
  await sql`INSERT INTO projects ${sql({ id: 'prj_1', ...of, name: 'Blog', language: 'en' })}`
  const article = { id: 'art_1', ...of, project_id: 'prj_1', title: 't', slug: 't', body: '' }
  await sql`INSERT INTO articles ${sql({ ...article, status: 'DRAFT' })}`
  await sql`
    INSERT INTO article_versions (article_id, version, changed, title, author, created_at, replaced_at)
    SELECT 'art_1', n, '{title}', 't', '{}', now(), now() - make_interval(days => 300 - n)
    FROM generate_series(1, 290) n`
  expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({ article_versions: 270 })
  const [left] = await sql`SELECT min(version) AS oldest, count(*) AS kept FROM article_versions`
  expect(left).toEqual({ oldest: 271, kept: 20 })
})

test('a batch waits for no lock, and blocks no other transaction', async () => {
  const { sql } = sender
  const [held = '', ...others] = await deliveries(5)
  await age(DAYS + 1, [held, ...others])
  await sql.begin(async attempt => {
    await attempt`SELECT FROM deliveries WHERE id = ${held} FOR UPDATE`
    await sql.begin(async batch => {
      expect(await deleteExpiredEvents(batch, DAYS, '')).toMatchObject({ events: 4 })
      // Its transaction still holds its locks: another event comes, is delivered and recorded.
      const [next = ''] = await deliveries(1)
      expect((await sender.row(next)).status).toBe('DELIVERED')
    })
  })
  expect(await counts()).toMatchObject({ events: 2, deliveries: 2, attempts: 2 })
  expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({ events: 1 })
  expect(await counts()).toMatchObject({ events: 1 })
})

test('more than a batch goes in several, each of which reports', async () => {
  await age(DAYS + 1, await deliveries(450))
  let batches = 0
  expect(await deleteExpired(sender.sql, DAYS, '', () => void batches++)).toMatchObject({
    events: 450,
  })
  expect(batches).toBeGreaterThanOrEqual(3 + 2)
  expect(await counts()).toMatchObject({ events: 0, deliveries: 0, attempts: 0 })
})

test('batches share a cached plan, so that none is planned by reading what earlier ones deleted', async () => {
  const { sql } = await useDatabase({ connections: 1 })
  await sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    SELECT 'evt_' || lpad(n::text, 26, '0'), 'acc', 'live', 'article.created', '{}',
      now() - CASE WHEN n <= 3000 THEN interval '40 days' ELSE interval '1 day' END
    FROM generate_series(1, 60000) n`
  await sql`
    INSERT INTO idempotent_requests (key_id, idempotency_key, fingerprint, created_at)
    SELECT 'key', n::text, '', now() - make_interval(days => 2, secs => n) FROM generate_series(1, 20000) n`
  await sql`
    INSERT INTO request_hours (account_id, mode, hour)
    SELECT 'acc', 'live', now() - make_interval(days => 40, hours => n) FROM generate_series(1, 20000) n`
  await sql`ANALYZE`
  expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({
    events: 3_000,
    idempotent_requests: 20_000,
    request_hours: 20_000,
  })
  const plans = await sql`
    SELECT custom_plans::int AS planned FROM pg_prepared_statements
    WHERE statement LIKE '%DELETE FROM%' AND custom_plans + generic_plans > 10`
  // PostgreSQL compares the first five plans with the cached one.
  expect(plans.map(one => one.planned)).toEqual([5, 5, 5])
})

test('a later deletion begins after the events that are all deleted, and looks at the others again', async () => {
  const [first = '', second = '', open = '', last = ''] = [
    ...(await deliveries(2)),
    ...(await deliveries(1, { open: true })),
    ...(await deliveries(1)),
  ]
  await age(DAYS + 1, [first, second, open, last])
  const eventOf = async (id: string) => (await sender.row(id)).event_id
  const [event, next] = [await eventOf(second), await eventOf(open)]
  const deleted = await deleteExpired(sender.sql, DAYS, '', () => {})
  expect(deleted).toMatchObject({ events: 3, events_after: event })
  await sender.sql`UPDATE deliveries SET status = 'DELIVERED' WHERE id = ${open}`
  const again = await deleteExpired(sender.sql, DAYS, deleted.events_after, () => {})
  expect(again).toMatchObject({ events: 1, events_after: next })
  const none = await deleteExpired(sender.sql, DAYS, again.events_after, () => {})
  expect(none).toMatchObject({ events: 0, events_after: next })
})

test('while a snapshot is held, no batch reads again what an earlier one deleted', async () => {
  const ROWS = 20_000
  const INDEXES = ['idempotent_requests_age', 'api_key_hits_pkey', 'request_hours_age']
  // One connection holds the snapshot; the other does all else, so that it can flush its own statistics.
  const { sql } = await useDatabase({ connections: 2 })
  await sql`INSERT INTO accounts (id, name) VALUES ('acc', 'Acme')`
  await sql`
    INSERT INTO api_keys (id, account_id, name, scopes, mode, hash, prefix, rate_limit)
    VALUES ('key', 'acc', 'k', '{read}', 'live', '', 'p', 1000)`
  await sql`INSERT INTO api_key_windows (key_id, last_at) VALUES ('key', now() - interval '2 days')`
  await sql`
    INSERT INTO api_key_hits (key_id, n, at)
    SELECT 'key', n, now() - interval '2 days' FROM generate_series(1, ${ROWS}) AS n`
  await sql`
    INSERT INTO idempotent_requests (key_id, idempotency_key, fingerprint, created_at)
    SELECT 'key', n::text, '', now() - make_interval(days => 2, secs => n)
    FROM generate_series(1, ${ROWS}) AS n`
  await sql`
    INSERT INTO request_hours (account_id, mode, hour)
    SELECT 'acc', 'live', now() - make_interval(days => 40, hours => n)
    FROM generate_series(1, ${ROWS}) AS n`
  await sql`ANALYZE`
  const entriesRead = async () => {
    await sql`SELECT pg_stat_force_next_flush()`
    const indexes = await sql<{ index: string; entries: number }[]>`
      SELECT indexrelname AS index, idx_tup_read::int AS entries FROM pg_stat_user_indexes
      WHERE indexrelname = ANY (${INDEXES})`
    return new Map(indexes.map(({ index, entries }) => [index, entries]))
  }
  await sql.begin('isolation level repeatable read', async snapshot => {
    await snapshot`SELECT FROM accounts`
    const before = await entriesRead()
    expect(await deleteExpired(sql, DAYS, '', () => {})).toMatchObject({
      idempotent_requests: ROWS,
      hits: ROWS,
      request_hours: ROWS,
    })
    const after = await entriesRead()
    // Each row is read to be chosen and to be deleted. A batch that reads all before it makes that ten times as many.
    for (const index of INDEXES)
      expect(after.get(index) ?? 0, index).toBeWithin(
        ROWS,
        3 * ROWS + (before.get(index) ?? Number.NaN),
      )
  })
})

test('a schedule in Temporal runs it each hour, one run at a time', async () => {
  await age(DAYS + 1, await deliveries(3))
  await sender.work()
  const schedule = sender.temporal.client.schedule.getHandle(expireScheduleId(sender.taskQueue))
  const { spec, policies } = await until('the schedule is there', () =>
    schedule.describe().catch(() => undefined),
  )
  expect(spec.intervals).toMatchObject([{ every: 3_600_000 }])
  expect(policies.overlap).toBe(ScheduleOverlapPolicy.SKIP)
  await schedule.trigger()
  const run = await until(
    'it has run',
    async () => (await schedule.describe()).info.recentActions[0],
  )
  const { workflowId, firstExecutionRunId } = run.action.workflow
  expect(
    await sender.temporal.client.workflow.result(workflowId, firstExecutionRunId),
  ).toMatchObject({ events: 3 })
  expect(await counts()).toMatchObject({ events: 0 })
})
