import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { settled } from '../../../test/support/settled'
import { until } from '../../../test/support/until'
import { createClaims } from '../../../test/support/webhooks/claims'
import { createOrderedWebhook } from '../../../test/support/webhooks/ordered-webhook'
import type { Sample } from '../../../test/support/webhooks/sample'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { newId } from '../../ids'
import { findDelivery } from '../deliveries/store'
import { createWebhook, updateWebhook } from '../endpoints/store'
import { recordEvents } from '../events/record'
import { KIND } from '../queue/entry'
import { failDelivery } from './store'

let sample: Sample
let caller: Caller
let claims: ReturnType<typeof createClaims>
const { sql } = await useDatabase()
beforeEach(async () => {
  ;({ sample, caller } = await createOrderedWebhook(sql))
  claims = createClaims(sql)
})

const change = (changes: Parameters<typeof updateWebhook>[4]) =>
  sql.begin(tx => updateWebhook(tx, sample.cipher, caller, sample.webhookId, changes))
/** Claims and returns the ids. */
const claim = async () => (await claims.claim(20)).map(({ id }) => id).sort()
const end = (deliveryId: string) => failDelivery(sql, { deliveryId, run: 1, reason: 'over' })
/** Records one event of each type, in this order. */
const record = (tx: Tx, ...types: ('article.published' | 'article.deleted')[]) => {
  const ids = { article_id: newId('art'), project_id: newId('prj') }
  const article = { ...ids, keyword_id: null, title: 't', status: 'DRAFT' } as const
  return recordEvents(
    tx,
    types.map(type =>
      type === 'article.deleted'
        ? { tenant: caller, type, data: ids }
        : { tenant: caller, type, data: article },
    ),
  )
}

describe('changing `ordered`', () => {
  test('to false sends everything that waits; back to true continues the earlier order', async () => {
    const [first = '', ...others] = await sample.deliveries(3)
    expect(await claim()).toEqual([first])
    await change({ ordered: false })
    expect(await findDelivery(sql, sample.cipher, caller, others[0] ?? '')).toMatchObject({
      waits_for: null,
    })
    const later = await sample.deliveries(1)
    await change({ ordered: true })
    // Events recorded meanwhile have no sequence number and wait for nothing.
    expect(await claim()).toEqual(later)
    await change({ ordered: false })
    expect(await claim()).toEqual(others)
  })

  test('to true applies to later events: earlier ones are sent outside the order', async () => {
    await change({ ordered: false })
    const before = await sample.deliveries(2)
    await change({ ordered: true })
    const [next = '', last = ''] = await sample.deliveries(2)
    expect(await claim()).toEqual([...before, next])
    await end(next)
    expect(await claim()).toEqual([last])
  })

  test('during the recording of an event applies to it, if that waited for the change', async () => {
    let recording: Promise<unknown> = Promise.resolve()
    await sql.begin(async tx => {
      await updateWebhook(tx, sample.cipher, caller, sample.webhookId, { ordered: false })
      recording = sql.begin(tx => record(tx, 'article.published'))
      await waiting(1)
    })
    await recording
    const [row] = await sql`
      SELECT d.sequence, q.kind FROM deliveries d JOIN delivery_queue q ON q.delivery_id = d.id`
    expect(row).toEqual({ sequence: null, kind: KIND.first })
  })
})

describe('sequence numbers', () => {
  test('follow commit order: a later transaction waits for the earlier one', async () => {
    let second: Promise<unknown> = Promise.resolve()
    await sql.begin(async tx => {
      await record(tx, 'article.published')
      second = sql.begin(tx => record(tx, 'article.published'))
      await waiting(1)
    })
    await second
    const rows = await sql`SELECT sequence FROM deliveries d JOIN events e ON e.id = d.event_id
      ORDER BY e.xid, e.id`
    expect(rows.map(row => row.sequence)).toEqual([1, 2])
  })

  test('have no gaps after a transaction that was rolled back', async () => {
    const undone = sql.begin(async tx => {
      await record(tx, 'article.published')
      throw new Error('undone')
    })
    expect(await settled(undone)).toThrow('undone')
    await sample.deliveries(1)
    expect([...(await sql`SELECT sequence FROM deliveries`)]).toEqual([{ sequence: 1 }])
  })

  test('are taken from several webhooks in one order, without deadlocks', async () => {
    await change({ events: ['article.deleted', 'article.published'] })
    for (const event of ['article.deleted', 'article.published'] as const)
      await sql.begin(tx =>
        createWebhook(tx, sample.cipher, caller, {
          url: 'https://two.example/',
          events: [event, 'article.updated'],
          ordered: true,
        }),
      )
    const types = ['article.published', 'article.deleted'] as const
    const both = (turn: number) => {
      const one = types[turn % 2] ?? types[0]
      const other = types[(turn + 1) % 2] ?? types[1]
      return sql.begin(tx => record(tx, one, other))
    }
    await Promise.all(Array.from({ length: 40 }, (_, turn) => both(turn)))
    const rows =
      await sql`SELECT count(*), max(sequence) FROM deliveries GROUP BY webhook_id ORDER BY 1`
    expect([...rows]).toEqual([
      { count: 40, max: 40 },
      { count: 40, max: 40 },
      { count: 80, max: 80 },
    ])
  })

  test('are not assigned while the webhook is disabled', async () => {
    await change({ enabled: false })
    const [id = ''] = await sample.deliveries(1)
    expect(await findDelivery(sql, sample.cipher, caller, id)).toMatchObject({
      status: 'FAILED',
      sequence: null,
    })
  })
})

/** Resolves when this many transactions wait for a lock. */
const waiting = (count: number) =>
  until('it waits', async () => {
    const found = await sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return found.length === count
  })
