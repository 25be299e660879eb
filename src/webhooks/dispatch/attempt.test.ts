import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { useReceiver } from '../../../test/support/receiver'
import { createSample } from '../../../test/support/webhooks/sample'
import { sendDeps } from '../../../test/support/webhooks/send-deps'
import { send, sendDelivery } from './attempt'
import { loadDelivery } from './store'

const { sql } = await useDatabase()
const receiver = useReceiver(() => new Response('ok'))
const sample = await createSample(sql, receiver.url)
const deps = sendDeps(sql, sample.cipher)
beforeEach(() => {
  receiver.received.length = 0
})

/** A delivery whose second attempt is due in `ms`. */
const dueIn = async (ms: number) => {
  const id = await sample.delivery()
  const [row] = await sql<[{ due: Date }]>`
    UPDATE deliveries SET attempt_count = 1,
      next_attempt_at = clock_timestamp() + make_interval(secs => ${ms / 1000})
    WHERE id = ${id} RETURNING next_attempt_at AS due`
  return { id, due: row.due }
}
const never = new AbortController().signal

describe('an attempt that is called before it is due', () => {
  test('waits up to a second, and sends nothing early', async () => {
    const { id, due } = await dueIn(900)
    expect(await send(deps, { deliveryId: id, run: 1 }, never)).toMatchObject({
      status: 'DELIVERED',
      attemptCount: 2,
    })
    const [attempt] = await sql<[{ started_at: Date }]>`
      SELECT started_at FROM all_attempts WHERE delivery_id = ${id}`
    expect(attempt.started_at.getTime()).toBeGreaterThanOrEqual(due.getTime())
    expect(receiver.received).toHaveLength(1)
  })

  test('returns the state and sends nothing when it is due later than that', async () => {
    const { id } = await dueIn(20_000)
    expect(await send(deps, { deliveryId: id, run: 1 }, never)).toMatchObject({
      status: 'RETRYING',
      attemptCount: 1,
    })
    expect(receiver.received).toEqual([])
  })

  test('sends nothing when it is cancelled while it waits', async () => {
    const { id } = await dueIn(900)
    const stop = AbortSignal.abort(new Error('stopped'))
    await expect(send(deps, { deliveryId: id, run: 1 }, stop)).rejects.toThrow('stopped')
    expect(receiver.received).toEqual([])
  })
})

test('a delivery that another worker delivered is DELIVERED, though its webhook is disabled by now', async () => {
  const id = await sample.delivery()
  await sql`UPDATE webhooks SET enabled = false WHERE id = ${sample.webhookId}`
  const stale = await loadDelivery(sql, id)
  if (stale === undefined) throw new Error('no such delivery')
  await sql`UPDATE deliveries SET status = 'DELIVERED' WHERE id = ${id}`
  expect(await sendDelivery(deps, stale, never)).toMatchObject({ status: 'DELIVERED' })
  await sql`UPDATE webhooks SET enabled = true WHERE id = ${sample.webhookId}`
})
