import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { useReceiver } from '../../../test/support/receiver'
import { createSample } from '../../../test/support/webhooks/sample'
import { sendDeps } from '../../../test/support/webhooks/send-deps'
import { sendDelivery } from './attempt'
import { loadDelivery } from './store'

const { sql } = await useDatabase()
const receiver = useReceiver(() => new Response('ok'))
const sample = await createSample(sql, receiver.url)
const deps = sendDeps(sql, sample.cipher)
const never = new AbortController().signal

test('a delivery that another worker delivered is DELIVERED, though its webhook is disabled by now', async () => {
  const id = await sample.delivery()
  await sql`UPDATE webhooks SET enabled = false WHERE id = ${sample.webhookId}`
  const stale = await loadDelivery(sql, id)
  if (stale === undefined) throw new Error('no such delivery')
  await sql`UPDATE deliveries SET status = 'DELIVERED' WHERE id = ${id}`
  expect(await sendDelivery(deps, stale, never)).toMatchObject({ status: 'DELIVERED' })
  await sql`UPDATE webhooks SET enabled = true WHERE id = ${sample.webhookId}`
})

describe('what waits for a paused webhook', () => {
  const dueDelivery = async (id: string) => {
    const delivery = await loadDelivery(sql, id)
    if (delivery === undefined) throw new Error('no such delivery')
    return delivery
  }

  test('that is disabled as well returns to the queue, and ends FAILED after the pause', async () => {
    const hook = await createSample(sql, receiver.url)
    const id = await hook.delivery()
    await sql`
      UPDATE webhooks SET enabled = false, paused_at = clock_timestamp() WHERE id = ${hook.webhookId}`
    expect(await sendDelivery(deps, await dueDelivery(id), never)).toBe('paused')
    expect(await dueDelivery(id)).toMatchObject({ status: 'RETRYING', run: 2 })
    await sql`UPDATE webhooks SET paused_at = NULL WHERE id = ${hook.webhookId}`
    expect(await sendDelivery(deps, await dueDelivery(id), never)).toMatchObject({
      status: 'FAILED',
      error: 'the webhook is disabled',
    })
  })

  test('that was deleted ends FAILED at once', async () => {
    const hook = await createSample(sql, receiver.url)
    const id = await hook.delivery()
    await sql`
      UPDATE webhooks SET deleted_at = clock_timestamp(), paused_at = clock_timestamp()
      WHERE id = ${hook.webhookId}`
    expect(await sendDelivery(deps, await dueDelivery(id), never)).toMatchObject({
      status: 'FAILED',
      error: 'the webhook was deleted',
    })
  })
})
