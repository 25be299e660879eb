import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { outcome, recordAttempt } from '../../../test/support/webhooks/attempt'
import { createSample } from '../../../test/support/webhooks/sample'
import { KIND } from '../queue/entry'
import { failDelivery, loadDelivery, recordAttempts } from './store'

const { sql } = await useDatabase()
const sample = await createSample(sql, 'https://hooks.example.com/in?token=t')

const row = async (id: string) => {
  const [found] = await sql`
    SELECT d.*, q.kind, q.claimer, q.check_at,
      extract(epoch FROM d.next_attempt_at - clock_timestamp())::float8 AS next_in,
      extract(epoch FROM q.check_at - d.next_attempt_at)::float8 AS check_in
    FROM deliveries d LEFT JOIN delivery_queue q ON q.delivery_id = d.id WHERE d.id = ${id}`
  if (found === undefined) throw new Error('no such delivery')
  return found
}
const numbers = async (id: string) =>
  (await sql`SELECT number FROM all_attempts WHERE delivery_id = ${id} ORDER BY number`).map(
    a => a.number,
  )

describe('a recorded attempt', () => {
  test('of 2xx makes the delivery DELIVERED, with its time, status and body', async () => {
    const id = await sample.delivery()
    const recorded = await recordAttempt(sql, id, outcome(200))
    const { event_id: eventId } = await row(id)
    expect(recorded).toEqual({
      eventId,
      webhookId: sample.webhookId,
      status: 'DELIVERED',
      attemptCount: 1,
      attemptLimit: 3,
      httpStatus: 200,
      error: null,
      waitMs: 0,
    })
    const delivery = await row(id)
    expect(delivery).toMatchObject({
      response_body: 'body 200',
      next_attempt_at: null,
      kind: null,
    })
    expect(delivery.delivered_at).toBeInstanceOf(Date)
  })

  test('of the first attempt is a row of its own only if it failed, or when another one follows', async () => {
    const stored = async (id: string) =>
      (await sql`SELECT number FROM attempts WHERE delivery_id = ${id} ORDER BY number`).map(
        ({ number }) => number,
      )
    const [quick, retried] = [await sample.delivery(), await sample.delivery()]
    const [first, second] = [outcome(200), outcome(503)]
    await recordAttempt(sql, quick, first)
    await recordAttempt(sql, retried, outcome(500))
    await recordAttempt(sql, retried, outcome(200))
    expect([await stored(quick), await stored(retried)]).toEqual([[], [1, 2]])
    expect([await numbers(quick), await numbers(retried)]).toEqual([[1], [1, 2]])

    const asRead = async () => {
      const [read] =
        await sql`SELECT * FROM all_attempts WHERE delivery_id = ${quick} AND number = 1`
      return read
    }
    const before = await asRead()
    expect(before).toMatchObject({
      id: first.attemptId,
      started_at: new Date(first.startedAt),
      duration_ms: first.durationMs,
      http_status: 200,
      error: null,
      response_body: 'body 200',
      request_url: first.requestUrl,
      signatures: Buffer.from(first.signatures, 'base64'),
    })
    await sql`
      UPDATE deliveries SET status = 'RETRYING', run = 2, attempt_limit = attempt_count + 3 WHERE id = ${quick}`
    expect(await asRead()).toEqual(before)
    // Late, of the run before.
    expect(await recordAttempt(sql, quick, first)).toBeUndefined()
    expect(await recordAttempt(sql, quick, second)).toMatchObject({ attemptCount: 2 })
    expect([await stored(quick), await numbers(quick)]).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(await asRead()).toEqual(before)
    expect(await recordAttempt(sql, quick, first)).toBeUndefined()
  })

  test('of 2xx changes no index of the history, and its page has room for it', async () => {
    const { sql: one } = await useDatabase({ connections: 1 })
    const { deliveries } = await createSample(one, 'https://hooks.example.com/in?token=t')
    const ids = await deliveries(100)
    const attempts = ids.map(deliveryId => ({ deliveryId, outcome: outcome(200) }))
    await recordAttempts(one, attempts, { inWorkflow: false })
    await one`SELECT pg_stat_force_next_flush()`
    const [updates] = await one`
      SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS in_place FROM pg_stat_user_tables
      WHERE relname = 'deliveries'`
    expect(updates).toEqual({ all: 100, in_place: 100 })
  })

  test('costs the same beside a backlog that came after the plan of the statement', async () => {
    const { sql: one } = await useDatabase({ connections: 1 })
    const { deliveries } = await createSample(one, 'https://hooks.example.com/in?token=t')
    const record = async (status: number) => {
      const ids = await deliveries(10)
      const attempts = ids.map(deliveryId => ({ deliveryId, outcome: outcome(status) }))
      await recordAttempts(one, attempts, { inWorkflow: false })
    }
    const entriesRead = async () => {
      await one`SELECT pg_stat_force_next_flush()`
      const [index] = await one<[{ entries: number }]>`
        SELECT sum(idx_tup_read)::int AS entries FROM pg_stat_user_indexes
        WHERE indexrelname IN ('delivery_queue_pkey', 'attempts_pkey')`
      return index.entries
    }
    await record(500)
    await one`TRUNCATE delivery_queue, attempts`
    await one`ANALYZE delivery_queue, attempts`
    await record(200)
    await one`
      INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
      SELECT 'acc_1', 'wh_1', ${KIND.first}, 0, 'dlv_' || n FROM generate_series(1, 5000) n`
    await one`
      INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms, request_url, signatures)
      SELECT 'dlv_' || n, 1, gen_random_uuid(), now(), 1, '', '' FROM generate_series(1, 5000) n`
    const before = await entriesRead()
    await record(200)
    await record(500)
    expect((await entriesRead()) - before).toBeLessThan(200)
  })

  test('leaves response bodies to the newest six attempts of its delivery only', async () => {
    const id = await sample.delivery()
    for (let attempt = 1; attempt <= 8; attempt++) {
      await recordAttempt(sql, id, outcome(500))
      await sql`UPDATE deliveries SET status = 'RETRYING', attempt_limit = attempt_count + 3 WHERE id = ${id}`
    }
    const kept = await sql`
      SELECT number FROM all_attempts WHERE delivery_id = ${id} AND response_body IS NOT NULL ORDER BY number`
    expect(kept.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7, 8])
    expect(await numbers(id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('that failed is followed by one after 5 s, then 25 s; the third makes the delivery FAILED', async () => {
    const id = await sample.delivery()
    for (const [number, seconds] of [
      [1, 5],
      [2, 25],
    ] as const) {
      const recorded = await recordAttempt(sql, id, outcome(500 + number))
      expect(recorded).toMatchObject({ status: 'RETRYING', attemptCount: number })
      const delivery = await row(id)
      expect(delivery.next_in).toBeWithin(seconds / 2, seconds)
      expect(delivery).toMatchObject({
        http_status: 500 + number,
        response_body: `body ${500 + number}`,
        error: `the endpoint responded with ${500 + number}`,
        check_in: 60,
        kind: KIND.owned,
      })
    }
    expect(
      await recordAttempt(sql, id, outcome(null, { error: 'connection refused' })),
    ).toMatchObject({
      status: 'FAILED',
      attemptCount: 3,
      waitMs: 0,
    })
    expect(await row(id)).toMatchObject({
      http_status: null,
      response_body: null,
      error: 'connection refused',
      next_attempt_at: null,
      kind: null,
    })
    expect(await numbers(id)).toEqual([1, 2, 3])
  })

  test('is stored once when the same outcome is recorded again', async () => {
    const id = await sample.delivery()
    const first = outcome(500)
    expect(await recordAttempt(sql, id, first)).toBeDefined()
    expect(await recordAttempt(sql, id, first)).toBeUndefined()
    expect(await numbers(id)).toEqual([1])
  })

  test('is stored once among concurrent ones, numbered without gaps', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await sample.delivery()
      const [a, b] = [outcome(500), outcome(502)]
      const recorded = await Promise.all([a, b, a, b, a, b].map(one => recordAttempt(sql, id, one)))
      expect(
        recorded
          .filter(Boolean)
          .map(one => one?.attemptCount)
          .sort(),
      ).toEqual([1, 2])
      expect(await numbers(id)).toEqual([1, 2])
      expect((await row(id)).attempt_count).toBe(2)
    }
  })

  test('of two workers that made the same attempt is stored once if both failed, and a 2xx in any case', async () => {
    const id = await sample.delivery()
    const made = { run: 1, attempt: 1 }
    expect(await recordAttempt(sql, id, outcome(500, made))).toMatchObject({ attemptCount: 1 })
    expect(await recordAttempt(sql, id, outcome(502, made))).toBeUndefined()
    expect(await row(id)).toMatchObject({ status: 'RETRYING', http_status: 500, attempt_count: 1 })
    expect(await recordAttempt(sql, id, outcome(200, made))).toMatchObject({ status: 'DELIVERED' })
  })

  test('of an earlier run uses up no attempt of a later one, and is stored if it is a 2xx', async () => {
    const id = await sample.delivery()
    await sql`UPDATE deliveries SET run = 2 WHERE id = ${id}`
    expect(await recordAttempt(sql, id, outcome(500, { run: 1, attempt: 1 }))).toBeUndefined()
    expect(await row(id)).toMatchObject({ status: 'RETRYING', run: 2, attempt_count: 0 })
    expect(await recordAttempt(sql, id, outcome(200, { run: 1, attempt: 1 }))).toMatchObject({
      status: 'DELIVERED',
    })
  })

  test('never overwrites DELIVERED, and only a 2xx overwrites FAILED', async () => {
    const id = await sample.delivery()
    await failDelivery(sql, { deliveryId: id, run: 1, reason: 'stopped in Temporal' })
    expect(await recordAttempt(sql, id, outcome(500))).toBeUndefined()
    expect(await recordAttempt(sql, id, outcome(200))).toMatchObject({ status: 'DELIVERED' })
    expect(await recordAttempt(sql, id, outcome(500))).toBeUndefined()
    await failDelivery(sql, { deliveryId: id, run: 1, reason: 'too late' })
    expect(await row(id)).toMatchObject({ status: 'DELIVERED', error: null, attempt_count: 1 })
  })

  test('that came through Temporal without its URL gets the URL of the webhook', async () => {
    const id = await sample.delivery()
    await recordAttempt(sql, id, outcome(200, { requestUrl: null }))
    const [attempt] = await sql`SELECT request_url FROM all_attempts WHERE delivery_id = ${id}`
    expect(attempt?.request_url).toBe('https://hooks.example.com/in?token=t')
  })
})

test('a failure without an attempt keeps the last response, and applies to its run only', async () => {
  const id = await sample.delivery()
  await recordAttempt(sql, id, outcome(500))
  await failDelivery(sql, { deliveryId: id, run: 2, reason: 'another run' })
  expect((await row(id)).status).toBe('RETRYING')
  await failDelivery(sql, { deliveryId: id, run: 1, reason: 'the webhook was deleted' })
  expect(await row(id)).toMatchObject({
    status: 'FAILED',
    error: 'the webhook was deleted',
    http_status: 500,
    attempt_count: 1,
    next_attempt_at: null,
    kind: null,
  })
})

test('a loaded delivery has everything that an attempt needs', async () => {
  const id = await sample.delivery()
  expect(await loadDelivery(sql, id)).toMatchObject({
    id,
    status: 'RETRYING',
    run: 1,
    test: false,
    attemptCount: 0,
    waitMs: 0,
    eventType: 'article.published',
    webhookId: sample.webhookId,
    enabled: true,
    deleted: false,
  })
  await recordAttempt(sql, id, outcome(500))
  expect((await loadDelivery(sql, id))?.waitMs).toBeWithin(2_500, 5_001)
  expect(await loadDelivery(sql, 'dlv_none')).toBeUndefined()
})
