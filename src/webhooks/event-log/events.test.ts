import { describe, expect, test } from 'bun:test'
import { createCaller } from '../../../test/support/caller'
import { ALL, useStoredDeliveries } from '../../../test/support/webhooks/stored-deliveries'
import { deleteWebhook } from '../endpoints/store'
import { getEvent, listEvents } from './store'

const { sql, given, inTransaction, articleDeleted, keywordCreated, sendTest, list } =
  await useStoredDeliveries()

describe('contract 5.15, events', () => {
  test('lists every event of the tenant, newest first, and none of another tenant', async () => {
    await articleDeleted()
    await keywordCreated()
    await sendTest()
    const { rows, next } = await listEvents(sql, given.caller, {}, ALL)
    expect(rows.map(event => [event.event, event.test])).toEqual([
      ['generation.completed', true],
      ['keyword.created', false],
      ['article.deleted', false],
    ])
    expect(rows[1]).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'keyword.created',
      data: { keyword_id: 'kw_1', project_id: 'prj_1', keyword: 'tea' },
      test: false,
      test_mode: false,
      created_at: expect.stringMatching(/Z$/),
    })
    expect(next).toBeNull()

    const stranger = await createCaller(sql)
    expect((await listEvents(sql, stranger, {}, ALL)).rows).toEqual([])
    expect(await getEvent(sql, stranger, rows[0]?.id ?? '').catch(error => error)).toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('lists events page by page', async () => {
    for (let count = 0; count < 3; count++) await articleDeleted()
    const first = await listEvents(sql, given.caller, {}, { limit: 2, before: null })
    const second = await listEvents(sql, given.caller, {}, { limit: 2, before: first.next })
    expect(first.rows).toHaveLength(2)
    expect(second.rows).toHaveLength(1)
    expect(second.next).toBeNull()
  })

  test('deliveries to a deleted webhook remain readable through their event', async () => {
    await articleDeleted()
    const [delivery] = await list()
    await inTransaction(tx => deleteWebhook(tx, given.caller, given.webhookId))
    expect(await list().catch(error => error)).toMatchObject({ code: 'NOT_FOUND' })
    const event = await getEvent(sql, given.caller, delivery?.event_id ?? '')
    expect(event.deliveries).toEqual(delivery === undefined ? [] : [delivery])
    expect(event.deliveries).toHaveLength(1)
  })
})
