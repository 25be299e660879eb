import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { recordAttempt } from '../../../test/support/webhooks/attempt'
import { createClaims } from '../../../test/support/webhooks/claims'
import { createSample, type Sample } from '../../../test/support/webhooks/sample'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { newId } from '../../ids'
import { deleteWebhook, updateWebhook } from '../endpoints/store'
import type { DueDelivery } from './outbox'
import type { AttemptOutcome } from './store'

let busy: Sample
let quiet: Sample
let claims: ReturnType<typeof createClaims>
const { sql } = await useDatabase()
beforeEach(async () => {
  await sql`TRUNCATE webhooks, slow_webhooks, events, deliveries, attempts, workers, delivery_queue, claimers`
  claims = createClaims(sql)
  busy = await createSample(sql, 'https://busy.example/')
  // Each sample records events for all webhooks of the account: the other one is subscribed to nothing.
  await sql`UPDATE webhooks SET events = '{}'`
  quiet = await createSample(sql, 'https://quiet.example/')
})

const deliveries = async (sample: Sample, count: number) => {
  await sql`UPDATE webhooks SET events = '{}'`
  await sql`UPDATE webhooks SET events = '{article.published}' WHERE id = ${sample.webhookId}`
  return await sample.deliveries(count)
}
const claim = (limit: number) => claims.claim(limit)
const handOver = (due: DueDelivery[]) => claims.handOver(due)
/** Number of claimed deliveries by webhook. */
const of = (sample: Sample, due: DueDelivery[]) =>
  due.filter(one => one.webhookId === sample.webhookId).length
const recordOutcome = (id: string, outcome: Partial<AttemptOutcome> = {}) =>
  recordAttempt(sql, id, {
    attemptId: crypto.randomUUID(),
    startedAt: new Date().toISOString(),
    durationMs: 10,
    httpStatus: 200,
    responseBody: 'ok',
    error: null,
    requestUrl: 'https://busy.example/',
    signatures: '',
    ...outcome,
  })
const callerOf = async ({ webhookId }: Sample): Promise<Caller> => {
  const [webhook] = await sql<[{ account_id: string }]>`
    SELECT account_id FROM webhooks WHERE id = ${webhookId}`
  return {
    accountId: webhook.account_id,
    mode: 'live',
    actor: { type: 'key', id: newId('key'), name: 'tests' },
    scopes: ['write'],
    address: '127.0.0.1',
  }
}
const TIMED_OUT = { durationMs: 30_000, httpStatus: null, error: 'timed out after 30 s' }

describe('a claim over several webhooks', () => {
  test('takes a webhook with nothing in flight before an older backlog', async () => {
    await deliveries(busy, 50)
    await handOver(await claim(10))
    await deliveries(quiet, 2)
    const due = await claim(4)
    expect([of(quiet, due), of(busy, due)]).toEqual([2, 2])
  })

  test('takes from each webhook, whatever its backlog', async () => {
    await deliveries(busy, 50)
    await deliveries(quiet, 50)
    const due = await claim(20)
    expect([of(quiet, due), of(busy, due)]).toEqual([10, 10])
  })

  test('gives the unused share of one webhook to the others', async () => {
    await deliveries(quiet, 3)
    await deliveries(busy, 50)
    const due = await claim(20)
    expect([of(quiet, due), of(busy, due)]).toEqual([3, 17])
  })
})

describe('deliveries in flight of a webhook', () => {
  test('never exceed its share of the slots of all workers', async () => {
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 60), ('there', 20)`
    await sql`INSERT INTO workers (id, slots, seen_at) VALUES ('dead', 2000, now() - interval '1 minute')`
    await deliveries(busy, 50)
    const due = [...(await claim(20)), ...(await claim(20))]
    // Half of a quarter of 80, claimed or handed over.
    expect(due.length).toBe(10)
    await handOver(due)
    expect(await claim(20)).toHaveLength(0)
    // Half of the rest of the quarter: the other webhook still gets its share.
    await deliveries(quiet, 50)
    expect(of(quiet, await claim(20))).toBe(5)
  })

  test('free their slots when attempts end; a delivery that waits for its next attempt does not count', async () => {
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 80)`
    await deliveries(busy, 50)
    const due = await claim(20)
    await handOver(due)
    const [failed, ...others] = due.slice(0, 5)
    for (const { id } of others) await recordOutcome(id)
    await recordOutcome(failed?.id ?? '', {
      httpStatus: 500,
      error: 'the endpoint responded with 500',
    })
    // Five are in flight, and half of the other 15 of the quarter is seven.
    expect(await claim(20)).toHaveLength(2)
  })

  test('are more than one while others fill the quarter, if its attempts are fast', async () => {
    await deliveries(quiet, 160)
    await handOver(await claim(160))
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 640)`
    await deliveries(busy, 50)
    const due = await claim(20)
    // A thirty-second of the other 160 of the half.
    expect(due).toHaveLength(5)
    await handOver(due)
    const [long, ...others] = due
    for (const { id } of others) await recordOutcome(id)
    await sql`UPDATE delivery_queue SET check_at = check_at - interval '6 s' WHERE delivery_id = ${long?.id ?? ''}`
    expect(await claim(20)).toHaveLength(0)
    await recordOutcome(long?.id ?? '')
    expect(await claim(20)).toHaveLength(5)
  })

  test('are limited to one after a time-out, until one is delivered', async () => {
    const [first = '', second = ''] = await deliveries(busy, 50)
    await handOver(await claim(2))
    await recordOutcome(first, TIMED_OUT)
    await recordOutcome(second, TIMED_OUT)
    const [one, ...others] = await claim(20)
    expect(others).toHaveLength(0)
    await handOver(one === undefined ? [] : [one])
    expect(await claim(20)).toHaveLength(0)
    await recordOutcome(one?.id ?? '')
    expect(await claim(20)).toHaveLength(20)
    expect(await sql`SELECT * FROM slow_webhooks`).toHaveLength(0)
  })

  test.each([
    [
      'disabled',
      (tx: Tx, by: Caller, id: string) =>
        updateWebhook(tx, busy.cipher, by, id, { enabled: false }),
    ],
    ['deleted', deleteWebhook],
  ] as const)(
    'are no longer limited once it is %s, also after another time-out',
    async (_, end) => {
      const [first = '', second = ''] = await deliveries(busy, 50)
      await handOver(await claim(2))
      await recordOutcome(first, TIMED_OUT)
      await sql.begin(async tx => end(tx, await callerOf(busy), busy.webhookId))
      await recordOutcome(second, TIMED_OUT)
      // None of them is sent, so they need not take turns.
      expect(await claim(20)).toHaveLength(20)
      expect(await sql`SELECT * FROM slow_webhooks`).toHaveLength(0)
    },
  )

  test('are no longer limited after a change of its URL', async () => {
    const [first = ''] = await deliveries(busy, 50)
    await handOver(await claim(1))
    await recordOutcome(first, TIMED_OUT)
    const caller = await callerOf(busy)
    await sql.begin(tx =>
      updateWebhook(tx, busy.cipher, caller, busy.webhookId, { url: 'https://new.example/' }),
    )
    expect(await claim(20)).toHaveLength(20)
  })

  test('of all slow webhooks together never exceed an eighth of the slots', async () => {
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 16)`
    for (let n = 0; n < 5; n++)
      await deliveries(await createSample(sql, `https://slow-${n}.example/`), 2)
    await sql`INSERT INTO slow_webhooks (webhook_id) SELECT DISTINCT webhook_id FROM deliveries`
    await deliveries(quiet, 5)
    const due = await claim(20)
    const slow = due.filter(one => one.webhookId !== quiet.webhookId)
    expect([of(quiet, due), slow.length]).toEqual([2, 2])
    expect(await claim(20)).toHaveLength(0)
    await handOver(due)
    expect(await claim(20)).toHaveLength(0)
    await recordOutcome(slow[0]?.id ?? '', TIMED_OUT)
    expect(await claim(20)).toHaveLength(1)
  })

  test('are no longer limited after a fast failure', async () => {
    const [first = ''] = await deliveries(busy, 50)
    await handOver(await claim(1))
    await recordOutcome(first, { httpStatus: 500, error: 'the endpoint responded with 500' })
    expect(await claim(20)).toHaveLength(20)
  })
})

test('concurrent dispatchers never claim the same delivery, and each keeps to the share', async () => {
  await sql`INSERT INTO workers (id, slots) VALUES ('here', 80)`
  await deliveries(busy, 50)
  const dispatchers = Array.from({ length: 4 }, () => createClaims(sql))
  const claimed = await Promise.all(dispatchers.map(one => one.claim(20)))
  for (const of of claimed) expect(of.length).toBeLessThanOrEqual(10)
  const ids = claimed.flat().map(one => one.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(10)
})

test('a claim does not wait for a locked delivery', async () => {
  const [locked = ''] = await deliveries(busy, 5)
  await sql.begin(async tx => {
    await tx`SELECT FROM delivery_queue WHERE delivery_id = ${locked} FOR UPDATE`
    expect(await claim(20)).toHaveLength(4)
  })
})
