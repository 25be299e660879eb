import { beforeAll, describe, expect, test } from 'bun:test'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { rowsRead } from '../../../test/support/db/rows-read'
import { lowestIdAt, newId } from '../../ids'
import { KIND } from '../queue/entry'
import type { DeliveryFilter } from './filter'
import { listAllDeliveries, listDeliveries } from './store'

/** Deliveries that wait, one a minute, of each webhook in turn. */
const WAITING = 10_000
const LIMIT = 10
const FIRST = Date.parse('2026-01-01T00:00:00Z')
const at = (n: number) => new Date(FIRST + n * 60_000)

// One connection, so that it can flush its own statistics.
const { sql } = await useDatabase({ connections: 1 })
const caller = await createCaller(sql)
const { accountId } = caller
const webhooks = Array.from({ length: 4 }, () => newId('wh'))
const [ordered] = webhooks
const unordered = [KIND.workflow, KIND.first, KIND.redelivery, KIND.owned]

const waiting = Array.from({ length: WAITING }, (_, n) => {
  const webhook = webhooks[n % webhooks.length] ?? ''
  const isOrdered = webhook === ordered
  return {
    id: lowestIdAt('dlv', at(n)),
    webhook,
    type: n % 3 === 0 ? 'keyword.created' : 'article.deleted',
    error: n % 2 === 0 ? null : 'connection refused',
    kind: isOrdered ? KIND.inOrder : unordered[Math.floor(n / 4) % unordered.length],
    // Their ids have another order: 7,919 is prime.
    sequence: isOrdered ? 1 + ((n * 7_919) % WAITING) : 0,
    at: at(n).toISOString(),
  }
})
const newestFirst = waiting.toReversed()

beforeAll(async () => {
  const rows = sql`
    json_to_recordset(${JSON.stringify(waiting)}::text::json)
      AS r (id text, webhook text, type text, error text, kind int, sequence bigint, at timestamptz)`
  for (const [id, mode] of [...webhooks.map(id => [id, 'live']), [newId('wh'), 'test']])
    await sql`
      INSERT INTO webhooks (id, account_id, mode, url, secret, events)
      VALUES (${id ?? ''}, ${accountId}, ${mode ?? ''}, 'https://hooks.example/', 'none', '{}')`
  await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, error, attempt_limit,
      next_attempt_at, created_at)
    SELECT id, ${accountId}, 'live', webhook, 'evt_1', type, 'RETRYING', error, 3, at, at FROM ${rows}`
  await sql`
    INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
    SELECT ${accountId}, webhook, kind, sequence, id FROM ${rows}`
})

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
const before = (n: number) => ({ limit: LIMIT, before: lowestIdAt('dlv', at(n)) })
const queueRowsReadBy = async (list: () => Promise<unknown>) => {
  const rows = await rowsRead(sql, 'delivery_queue')
  await list()
  return (await rowsRead(sql, 'delivery_queue')) - rows
}

describe.each(['before', 'after'])('%s the queue is analyzed', when => {
  beforeAll(async () => {
    if (when === 'after') await sql`VACUUM ANALYZE delivery_queue`
  })

  test.each([WAITING, WAITING / 2, LIMIT])(
    'a page of what waits for a webhook reads few rows of the queue: below %d',
    async n => {
      for (const webhook of webhooks) {
        const list = () => listDeliveries(sql, caller, webhook, { status: 'RETRYING' }, before(n))
        const expected = newestFirst.filter(
          one => one.webhook === webhook && one.id < before(n).before,
        )
        expect(idsOf((await list()).rows)).toEqual(idsOf(expected.slice(0, LIMIT)))
        // A page of each kind.
        expect(await queueRowsReadBy(list)).toBeLessThan(6 * (LIMIT + 1))
      }
    },
  )

  test.each<[string, DeliveryFilter]>([
    ['of all webhooks', {}],
    ['of an event type', { event: 'keyword.created' }],
    ['with an error', { error: 'connection refused' }],
    [
      'of a time',
      { created_after: at(4_000).toISOString(), created_before: at(5_000).toISOString() },
    ],
    ['of a webhook that is searched', { id: webhooks[1] ?? '' }],
    ['that is searched', { id: waiting[123]?.id ?? '' }],
  ])('a list %s has the newest', async (_, filter) => {
    const expected = newestFirst.filter(
      one =>
        (filter.event === undefined || one.type === filter.event) &&
        (filter.error === undefined || one.error === filter.error) &&
        (filter.created_after === undefined || one.at > filter.created_after) &&
        (filter.created_before === undefined || one.at < filter.created_before) &&
        (filter.id === undefined || filter.id === one.id || filter.id === one.webhook),
    )
    const page = { limit: LIMIT, before: null }
    const { rows, next } = await listAllDeliveries(
      sql,
      caller,
      { ...filter, status: 'RETRYING' },
      page,
    )
    expect(idsOf(rows)).toEqual(idsOf(expected.slice(0, LIMIT)))
    expect(next).toBe(expected.length > LIMIT ? (expected[LIMIT - 1]?.id ?? null) : null)
  })
})

test('a page of what waits for all webhooks reads few rows of the queue', async () => {
  const page = { limit: LIMIT, before: null }
  const read = await queueRowsReadBy(() =>
    listAllDeliveries(sql, caller, { status: 'RETRYING' }, page),
  )
  // Once all of them, which are as many as may be counted for the reasons.
  expect(read).toBeLessThan(WAITING + webhooks.length * 6 * (LIMIT + 1))
})

test('a list in another mode is empty', async () => {
  const page = { limit: LIMIT, before: null }
  const found = await listAllDeliveries(
    sql,
    { ...caller, mode: 'test' },
    { status: 'RETRYING' },
    page,
  )
  expect(found).toMatchObject({ rows: [], next: null, reasons: [] })
})
