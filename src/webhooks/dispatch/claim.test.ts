import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { recordAttempt } from '../../../test/support/webhooks/attempt'
import { createSample, type Sample } from '../../../test/support/webhooks/sample'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { newId } from '../../ids'
import { markHandedOver } from '../../outbox/outbox'
import { deleteWebhook, updateWebhook } from '../endpoints/store'
import { type DueDelivery, deliveryOutbox } from './outbox'
import type { AttemptOutcome } from './store'

let busy: Sample
let quiet: Sample
const { sql } = await useDatabase()
beforeEach(async () => {
  await sql`TRUNCATE webhooks, slow_webhooks, events, deliveries, attempts, workers`
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
const claim = (limit: number) => deliveryOutbox.claim(sql, limit)
const handOver = (due: DueDelivery[]) => markHandedOver(sql, deliveryOutbox, due)
/** How many of them are of whom. */
const of = (sample: Sample, due: DueDelivery[]) =>
  due.filter(one => one.webhookId === sample.webhookId).length
const answered = (id: string, answer: Partial<AttemptOutcome> = {}) =>
  recordAttempt(sql, id, {
    attemptId: crypto.randomUUID(),
    startedAt: new Date().toISOString(),
    durationMs: 10,
    httpStatus: 200,
    responseBody: 'ok',
    error: null,
    requestUrl: 'https://busy.example/',
    requestHeaders: {},
    ...answer,
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

describe('of several webhooks', () => {
  test('the one with nothing under way goes before a backlog that was there first', async () => {
    await deliveries(busy, 50)
    await handOver(await claim(10))
    await deliveries(quiet, 2)
    const due = await claim(4)
    expect([of(quiet, due), of(busy, due)]).toEqual([2, 2])
  })

  test('each gets its turn, whatever it has waiting', async () => {
    await deliveries(busy, 50)
    await deliveries(quiet, 50)
    const due = await claim(20)
    expect([of(quiet, due), of(busy, due)]).toEqual([10, 10])
  })

  test('what one cannot use goes to the others', async () => {
    await deliveries(quiet, 3)
    await deliveries(busy, 50)
    const due = await claim(20)
    expect([of(quiet, due), of(busy, due)]).toEqual([3, 17])
  })
})

describe('a webhook has under way', () => {
  test('no more than its share of the slots that the workers have', async () => {
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 60), ('there', 20)`
    await sql`INSERT INTO workers (id, slots, seen_at) VALUES ('dead', 2000, now() - interval '1 minute')`
    await deliveries(busy, 50)
    const due = [...(await claim(20)), ...(await claim(20))]
    // Half of a quarter of 80, whether it is claimed or handed over.
    expect(due.length).toBe(10)
    await handOver(due)
    expect(await claim(20)).toHaveLength(0)
    // Half of what is left of the quarter: the other one still gets its own.
    await deliveries(quiet, 50)
    expect(of(quiet, await claim(20))).toBe(5)
  })

  test('again as much as attempts end; one that waits for its next attempt does not count', async () => {
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 80)`
    await deliveries(busy, 50)
    const due = await claim(20)
    await handOver(due)
    const [failed, ...others] = due.slice(0, 5)
    for (const { id } of others) await answered(id)
    await answered(failed?.id ?? '', { httpStatus: 500, error: 'the endpoint responded with 500' })
    // Five are under way, and half of the 15 that are left of the quarter is seven.
    expect(await claim(20)).toHaveLength(2)
  })

  test('more than one while others fill the quarter, if none of its attempts takes long', async () => {
    await deliveries(quiet, 160)
    await handOver(await claim(160))
    await sql`INSERT INTO workers (id, slots) VALUES ('here', 640)`
    await deliveries(busy, 50)
    const due = await claim(20)
    // A thirty-second of the 160 that are left of the half.
    expect(due).toHaveLength(5)
    await handOver(due)
    const [long, ...others] = due
    for (const { id } of others) await answered(id)
    await sql`UPDATE deliveries SET check_at = check_at - interval '6 s' WHERE id = ${long?.id ?? ''}`
    expect(await claim(20)).toHaveLength(0)
    await answered(long?.id ?? '')
    expect(await claim(20)).toHaveLength(5)
  })

  test('one delivery after a time-out, until one is delivered', async () => {
    const [first = '', second = ''] = await deliveries(busy, 50)
    await handOver(await claim(2))
    await answered(first, TIMED_OUT)
    await answered(second, TIMED_OUT)
    const [one, ...others] = await claim(20)
    expect(others).toHaveLength(0)
    await handOver(one === undefined ? [] : [one])
    expect(await claim(20)).toHaveLength(0)
    await answered(one?.id ?? '')
    expect(await claim(20)).toHaveLength(20)
    expect(await sql`SELECT * FROM slow_webhooks`).toHaveLength(0)
  })

  test.each([
    ['disabled', (tx: Tx, by: Caller, id: string) => updateWebhook(tx, by, id, { enabled: false })],
    ['deleted', deleteWebhook],
  ] as const)(
    'as before once it is %s, and another time-out does not change that',
    async (_, end) => {
      const [first = '', second = ''] = await deliveries(busy, 50)
      await handOver(await claim(2))
      await answered(first, TIMED_OUT)
      await sql.begin(async tx => end(tx, await callerOf(busy), busy.webhookId))
      await answered(second, TIMED_OUT)
      // None of them is sent, so they need not take turns.
      expect(await claim(20)).toHaveLength(20)
      expect(await sql`SELECT * FROM slow_webhooks`).toHaveLength(0)
    },
  )

  test('as before with another URL', async () => {
    const [first = ''] = await deliveries(busy, 50)
    await handOver(await claim(1))
    await answered(first, TIMED_OUT)
    const caller = await callerOf(busy)
    await sql.begin(tx =>
      updateWebhook(tx, caller, busy.webhookId, { url: 'https://new.example/' }),
    )
    expect(await claim(20)).toHaveLength(20)
  })

  test('no more than an eighth of all slots together with all others that are slow', async () => {
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
    await answered(slow[0]?.id ?? '', TIMED_OUT)
    expect(await claim(20)).toHaveLength(1)
  })

  test('as before after a failure that came at once', async () => {
    const [first = ''] = await deliveries(busy, 50)
    await handOver(await claim(1))
    await answered(first, { httpStatus: 500, error: 'the endpoint responded with 500' })
    expect(await claim(20)).toHaveLength(20)
  })
})

test('claims at the same time do not overdraw a share', async () => {
  await sql`INSERT INTO workers (id, slots) VALUES ('here', 80)`
  await deliveries(busy, 50)
  const claims = await Promise.all([claim(8), claim(8), claim(8), claim(8)])
  expect(claims.flat().length).toBe(10)
  expect(new Set(claims.flat().map(one => one.id)).size).toBe(10)
})

test('a claim waits for nobody who holds a delivery', async () => {
  const [held = ''] = await deliveries(busy, 5)
  await sql.begin(async tx => {
    await tx`SELECT FROM deliveries WHERE id = ${held} FOR UPDATE`
    expect(await claim(20)).toHaveLength(4)
  })
})
