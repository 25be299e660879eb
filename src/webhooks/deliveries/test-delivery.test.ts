import { describe, expect, test } from 'bun:test'
import { useStoredDeliveries } from '../../../test/support/webhooks/stored-deliveries'
import { deleteWebhook, updateWebhook } from '../endpoints/store'
import { getEvent } from '../event-log/store'

const { sql, given, cipher, inTransaction, create, sendTest, list } = await useStoredDeliveries()

describe('contract 4.11, the test endpoint', () => {
  test('creates a generation.completed delivery with placeholder ids, marked as a test', async () => {
    const delivery = await sendTest()
    expect(delivery).toMatchObject({
      webhook_id: given.webhookId,
      event: 'generation.completed',
      test: true,
      status: 'RETRYING',
    })
    const event = await getEvent(sql, given.caller, delivery.event_id)
    expect(event).toMatchObject({ event: 'generation.completed', test: true })
    expect(event.data).toEqual({
      generation_id: expect.stringMatching(/^gen_[0-9a-z]{26}$/),
      project_id: expect.stringMatching(/^prj_[0-9a-z]{26}$/),
      article_id: expect.stringMatching(/^art_[0-9a-z]{26}$/),
      keyword: expect.any(String),
      status: 'COMPLETED',
    })
    expect(await list()).toEqual([delivery])
  })

  test('sends to this webhook only', async () => {
    const other = await create(given.caller)
    await sendTest(other.id)
    expect(await list()).toEqual([])
  })

  test('sends also while the webhook is disabled', async () => {
    await inTransaction(tx =>
      updateWebhook(tx, cipher, given.caller, given.webhookId, { enabled: false }),
    )
    expect(await sendTest()).toMatchObject({ status: 'RETRYING', error: null })
  })

  test('a deleted webhook is not found', async () => {
    await inTransaction(tx => deleteWebhook(tx, given.caller, given.webhookId))
    expect(await sendTest().catch(error => error)).toMatchObject({ code: 'NOT_FOUND' })
  })
})
