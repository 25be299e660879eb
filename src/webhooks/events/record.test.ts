import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { settled } from '../../../test/support/settled'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { isId } from '../../ids'
import { createWebhook, deleteWebhook, updateWebhook } from '../endpoints/store'
import { KIND } from '../queue/entry'
import { createCipher } from '../signing/encryption'
import { recordEvent } from './record'
import type { EventData } from './schema'
import type { EventType } from './types'

const cipher = createCipher(randomBytes(32))
const data: EventData['article.created'] = {
  article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
  project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
  keyword_id: null,
  title: 'Zürich "東京" \u2028 \\',
  status: 'DRAFT',
}

let caller: Caller

const { sql } = await useDatabase()

const inTransaction = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
const webhook = (by: Caller, events: EventType[]) =>
  inTransaction(tx => createWebhook(tx, cipher, by, { url: 'https://hooks.example/', events }))
const record = (by: Caller) => inTransaction(tx => recordEvent(tx, by, 'article.created', data))

const events = (by: Caller) => sql`
  SELECT *, created_at::text FROM events WHERE account_id = ${by.accountId} ORDER BY id`
const deliveries = (by: Caller) => sql`
  SELECT d.*, q.kind, q.due_at FROM deliveries d LEFT JOIN delivery_queue q ON q.delivery_id = d.id
  WHERE d.account_id = ${by.accountId} ORDER BY d.id`

describe('contract 4.6 and 7, recording an event', () => {
  test('the envelope is stored as the text that is sent: id, event, created_at, data', async () => {
    caller = await createCaller(sql)
    await record(caller)
    const [event] = await events(caller)
    const envelope = JSON.parse(event?.body)
    expect(Object.keys(envelope)).toEqual(['id', 'event', 'created_at', 'data'])
    expect(envelope).toEqual({
      id: event?.id,
      event: 'article.created',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data,
    })
    expect(event?.body).toBe(JSON.stringify(envelope))
    expect(isId('evt', event?.id)).toBe(true)
    expect(new Date(event?.created_at).toISOString()).toBe(envelope.created_at)
  })

  test('each subscribed webhook gets one delivery, due at once', async () => {
    caller = await createCaller(sql)
    const first = await webhook(caller, ['article.created', 'article.updated'])
    const second = await webhook(caller, ['article.created'])
    await webhook(caller, ['article.updated'])
    await record(caller)
    const [event] = await events(caller)
    const rows = await deliveries(caller)
    expect(rows.map(row => row.webhook_id).sort()).toEqual([first.id, second.id].sort())
    expect(new Set(rows.map(row => row.id)).size).toBe(2)
    for (const row of rows) {
      expect(isId('dlv', row.id)).toBe(true)
      expect(row.id.slice(4, 14)).toBe(event?.id.slice(4, 14))
      expect(row).toMatchObject({
        event_id: event?.id,
        event_type: 'article.created',
        mode: 'live',
        test: false,
        status: 'RETRYING',
        run: 1,
        attempt_count: 0,
        attempt_limit: 3,
        error: null,
        kind: KIND.first,
      })
      expect(Math.abs(row.next_attempt_at - row.due_at)).toBeLessThan(1000)
      expect(Math.abs(row.due_at - row.created_at)).toBeLessThan(5000)
    }
  })

  test('an event for a disabled webhook is kept as FAILED with that reason and no attempt', async () => {
    caller = await createCaller(sql)
    const { id } = await webhook(caller, ['article.created'])
    await inTransaction(tx => updateWebhook(tx, cipher, caller, id, { enabled: false }))
    await record(caller)
    const [row] = await deliveries(caller)
    expect(row).toMatchObject({
      webhook_id: id,
      status: 'FAILED',
      error: 'the webhook is disabled',
      attempt_count: 0,
      next_attempt_at: null,
      kind: null,
    })
  })

  test('a deleted webhook gets nothing', async () => {
    caller = await createCaller(sql)
    const { id } = await webhook(caller, ['article.created'])
    await inTransaction(tx => deleteWebhook(tx, caller, id))
    await record(caller)
    expect(await events(caller)).toHaveLength(1)
    expect(await deliveries(caller)).toHaveLength(0)
  })

  test('events of test records go to test webhooks only, and live events to live webhooks only', async () => {
    caller = await createCaller(sql)
    const tester = await createCaller(sql, 'test', caller.accountId)
    const live = await webhook(caller, ['article.created'])
    const trial = await webhook(tester, ['article.created'])
    await record(tester)
    expect((await deliveries(caller)).map(row => row.webhook_id)).toEqual([trial.id])
    await record(caller)
    expect((await deliveries(caller)).map(row => [row.webhook_id, row.mode])).toEqual([
      [trial.id, 'test'],
      [live.id, 'live'],
    ])
  })

  test('a webhook of another account gets nothing', async () => {
    caller = await createCaller(sql)
    const stranger = await createCaller(sql)
    await webhook(stranger, ['article.created'])
    await record(caller)
    expect(await deliveries(stranger)).toHaveLength(0)
  })

  test('data with a member that is not in the contract does not compile', () => {
    // @ts-expect-error: `changed` belongs to article.updated alone
    const wrong = (tx: Tx) => recordEvent(tx, caller, 'article.created', { ...data, changed: [] })
    // @ts-expect-error: `changed` is missing
    const missing = (tx: Tx) => recordEvent(tx, caller, 'article.updated', data)
    expect([wrong, missing]).toBeArray()
  })

  test('a change that is rolled back leaves no event and no delivery', async () => {
    caller = await createCaller(sql)
    await webhook(caller, ['article.created'])
    const change = inTransaction(async tx => {
      await recordEvent(tx, caller, 'article.created', data)
      throw new Error('the change failed')
    })
    expect(await settled(change)).toThrow('the change failed')
    expect(await events(caller)).toHaveLength(0)
    expect(await deliveries(caller)).toHaveLength(0)
  })
})
