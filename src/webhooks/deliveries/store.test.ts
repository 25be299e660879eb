import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { allNotFound } from '../../../test/support/http/not-found'
import { ALL, useStoredDeliveries } from '../../../test/support/webhooks/stored-deliveries'
import { PAGE_BYTES_MAX } from '../../db/page'
import { lowestIdAt } from '../../ids'
import { getEvent } from '../event-log/store'
import { ATTEMPT_BODIES_KEPT } from '../retry-schedule'
import { attemptHeaders } from '../signing/headers'
import { toErrorText } from '../transport/error-text'
import type { DeliveryFilter } from './filter'
import { getDelivery, listAllDeliveries, listAttempts, listDeliveries } from './store'

/** Bytes of the longest header and of the longest body that a receiver can have stored (contract 5.6). */
const [ERROR_BYTES, BODY_BYTES] = [16 * 1024, 64 * 1024]

const { sql, cipher, given, create, articleDeleted, keywordCreated, list } =
  await useStoredDeliveries()

describe('contract 5.1, the delivery record', () => {
  test('a new delivery is RETRYING and has every member', async () => {
    await articleDeleted()
    const [delivery, ...rest] = await list()
    expect(rest).toEqual([])
    expect(delivery).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhook_id: given.webhookId,
      event_id: expect.stringMatching(/^evt_/),
      event: 'article.deleted',
      test: false,
      test_mode: false,
      status: 'RETRYING',
      http_status: null,
      response_body: null,
      attempt_count: 0,
      next_attempt_at: expect.stringMatching(/Z$/),
      sequence: null,
      waits_for: null,
      delivered_at: null,
      error: null,
      workflow_id: `delivery:${delivery?.id}`,
      created_at: expect.stringMatching(/Z$/),
    })
  })

  test('workflow_id contains a later run', async () => {
    await articleDeleted()
    await sql`UPDATE deliveries SET run = 3 WHERE webhook_id = ${given.webhookId}`
    const [delivery] = await list()
    expect(delivery?.workflow_id).toBe(`delivery:${delivery?.id}:3`)
  })

  test('the single record adds the last request and all attempts', async () => {
    await articleDeleted()
    const id = (await list())[0]?.id ?? ''
    expect(await getDelivery(sql, cipher, given.caller, given.webhookId, id)).toMatchObject({
      request: null,
      attempts: [],
    })
    for (const number of [1, 2])
      await sql`INSERT INTO attempts ${sql({
        delivery_id: id,
        number,
        id: randomUUID(),
        started_at: new Date('2026-01-31T12:00:00Z'),
        duration_ms: 12,
        http_status: 500,
        error: 'the endpoint responded with 500',
        response_body: 'no',
        request_url: `https://hooks.example/${number}`,
        signatures: Buffer.alloc(64, number),
      })}`
    const detail = await getDelivery(sql, cipher, given.caller, given.webhookId, id)
    const event = await getEvent(sql, given.caller, detail.event_id)
    expect(detail.request).toEqual({
      url: 'https://hooks.example/2',
      headers: attemptHeaders(
        { deliveryId: id, eventType: 'article.deleted', at: new Date('2026-01-31T12:00:00Z') },
        Buffer.alloc(64, 2),
      ),
      body: expect.any(String),
    })
    expect(JSON.parse(detail.request?.body ?? '')).toMatchObject({ id: event.id, data: event.data })
    expect(detail.attempts[0]).toEqual({
      number: 1,
      started_at: '2026-01-31T12:00:00.000Z',
      duration_ms: 12,
      http_status: 500,
      error: 'the endpoint responded with 500',
      response_body: 'no',
    })
    expect(detail.attempts.map(attempt => attempt.number)).toEqual([1, 2])
  })

  test('the single record shows the newest 30 attempts, and all are listed in pages', async () => {
    await articleDeleted()
    const id = (await list())[0]?.id ?? ''
    await sql`
      INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms, request_url, signatures)
      SELECT ${id}, number, gen_random_uuid(), clock_timestamp(), 12, 'https://hooks.example', ''
      FROM generate_series(1, 65) AS number`
    const numbersOf = (attempts: readonly { number: number }[]) => attempts.map(one => one.number)
    const { attempts } = await getDelivery(sql, cipher, given.caller, given.webhookId, id)
    expect(numbersOf(attempts)).toEqual(Array.from({ length: 30 }, (_, index) => 36 + index))

    const listed: number[] = []
    let before: string | null = null
    do {
      const page = await listAttempts(sql, given.caller, given.webhookId, id, { limit: 30, before })
      listed.push(...numbersOf(page.rows))
      before = page.next
    } while (before !== null)
    expect(listed).toEqual(Array.from({ length: 65 }, (_, index) => 65 - index))
  })

  test('a page of 100 attempts with the largest errors and bodies has less than 4 MiB of JSON', async () => {
    await articleDeleted()
    const id = (await list())[0]?.id ?? ''
    const error = toErrorText('\0'.repeat(ERROR_BYTES))
    const body = '\u0001'.repeat(BODY_BYTES)
    await sql`
      INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms, error, response_body,
        request_url, signatures)
      SELECT ${id}, n, gen_random_uuid(), now(), 30000, ${error},
        CASE WHEN n > 100 - ${ATTEMPT_BODIES_KEPT}::int THEN ${body} END, 'https://hooks.example/', ''
      FROM generate_series(1, 100) AS n`
    const page = await listAttempts(sql, given.caller, given.webhookId, id, ALL)
    expect(page.rows).toHaveLength(100)
    const bytes = Buffer.byteLength(JSON.stringify(page))
    expect(bytes).toBeGreaterThan(ATTEMPT_BODIES_KEPT * BODY_BYTES * 6)
    expect(bytes).toBeLessThan(PAGE_BYTES_MAX)
  })

  test('a delivery is not found under another webhook, account or mode', async () => {
    await articleDeleted()
    const id = (await list())[0]?.id ?? ''
    const other = await create(given.caller)
    const stranger = await createCaller(sql)
    const tester = await createCaller(sql, 'test', given.caller.accountId)
    await allNotFound([
      getDelivery(sql, cipher, given.caller, other.id, id),
      getDelivery(sql, cipher, stranger, given.webhookId, id),
      getDelivery(sql, cipher, tester, given.webhookId, id),
      listAttempts(sql, stranger, given.webhookId, id, { limit: 1, before: null }),
      listAttempts(sql, tester, given.webhookId, id, { limit: 1, before: null }),
      listAttempts(sql, given.caller, other.id, id, { limit: 1, before: null }),
      getDelivery(sql, cipher, given.caller, given.webhookId, 'dlv_00000000000000000000000000'),
      getDelivery(sql, cipher, given.caller, given.webhookId, '\u0000'),
      list({}, stranger),
      list({}, tester),
    ])
  })
})

describe('contract 5.10, the list of deliveries', () => {
  test('filters by status, event and time of creation', async () => {
    await articleDeleted()
    await keywordCreated()
    const [keyword, article] = await list()
    const ids = async (filter: DeliveryFilter) => (await list(filter)).map(({ id }) => id)
    const [keywordId, articleId] = [
      keyword?.id ?? '',
      lowestIdAt('dlv', new Date('2026-01-31T12:00:00Z')),
    ]
    await sql`
      UPDATE deliveries SET id = ${articleId}, status = 'FAILED', error = 'refused', created_at = '2026-01-31T12:00:00.123Z'
      WHERE id = ${article?.id ?? ''}`

    expect(await ids({ status: 'FAILED' })).toEqual([articleId])
    expect(await ids({ status: 'RETRYING' })).toEqual([keywordId])
    expect(await ids({ status: 'DELIVERED' })).toEqual([])
    expect(await ids({ event: 'keyword.created' })).toEqual([keywordId])
    expect(await ids({ event: 'keyword.created', status: 'FAILED' })).toEqual([])
    expect(await ids({ created_before: '2026-01-31T12:00:00.124Z' })).toEqual([articleId])
    expect(await ids({ created_before: '2026-01-31T13:00:00.123+01:00' })).toEqual([])
    expect(await ids({ created_after: '2026-01-31T12:00:00.123Z' })).toEqual([keywordId])
    expect(await ids({ created_after: '2026-01-31T12:00:00.122Z' })).toEqual([keywordId, articleId])
  })

  test.each(['constructor', 'toString_x', 'dlv_', ''])('has nothing with the id %p', async id => {
    const { rows } = await listAllDeliveries(sql, given.caller, { id }, ALL)
    expect(rows).toEqual([])
  })

  test('is newest first, in pages without gaps or duplicates', async () => {
    for (let count = 0; count < 4; count++) await articleDeleted()
    const all = (await list()).map(({ id }) => id)
    const first = await listDeliveries(
      sql,
      given.caller,
      given.webhookId,
      {},
      { limit: 2, before: null },
    )
    await articleDeleted()
    const second = await listDeliveries(
      sql,
      given.caller,
      given.webhookId,
      {},
      { limit: 2, before: first.next },
    )
    expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(all)
    expect([...all].sort().reverse()).toEqual(all)
    expect(second.next).toBeNull()
  })
})
