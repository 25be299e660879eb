import { describe, expect, test } from 'bun:test'
import { KIND } from '../../src/webhooks/queue/entry'
import { FIRST_RETRY_DELAY_MS } from '../../src/webhooks/retry-schedule'
import { LANES, settingsOf } from '../support/lanes'
import { until } from '../support/until'
import { useDeliver } from '../support/webhooks/deliver'

/** Of a worker. More retries than that are due at the same time. */
const SLOTS = 20
const RETRIES = 40
/** A wide bound. Without limits the others wait until retries have timed out, 30 s after they began. */
const PROMPT_MS = 15_000

const failed = () => new Response('no', { status: 500 })

describe.each(LANES)('with a workflow %s', async lane => {
  const settings = { ...settingsOf(lane), ARDEN_IN_FLIGHT: `${SLOTS}` }
  const { sender, newWebhook, requests } = await useDeliver(settings)

  test.concurrent('an account whose retries hang delays no attempt of another account', async () => {
    let hangs = 0
    const hanging = await newWebhook(() => {
      hangs++
      return new Promise<Response>(() => {})
    })
    await hanging.deliveries(RETRIES)
    // As if the first attempts had failed at once, 5 s ago.
    await sender.sql`
      WITH failed AS (
        UPDATE deliveries SET attempt_count = 1, next_attempt_at = clock_timestamp()
        WHERE webhook_id = ${hanging.webhookId} RETURNING id
      )
      UPDATE delivery_queue q SET kind = ${KIND.workflow} FROM failed WHERE q.delivery_id = failed.id`
    const returned = () => sender.sql`
      SELECT d.attempt_count FROM deliveries d JOIN delivery_queue q ON q.delivery_id = d.id
      WHERE d.webhook_id = ${hanging.webhookId} AND d.run > 1 AND q.kind = ${KIND.first}`
    await sender.work()
    await until(
      'as many retries as there are slots have begun or returned',
      async () => hangs + (await returned()).length >= SLOTS,
    )

    const other = await newWebhook((_, count) => (count === 1 ? failed() : new Response('ok')))
    const committed = performance.now()
    const id = await other.delivery()
    await sender.reaches(id, 'is delivered', row => row.status === 'DELIVERED')
    const [first = 0, second = 0] = requests(id).map(({ at }) => at - committed)
    expect(first).toBeLessThan(PROMPT_MS)
    expect(second - first).toBeLessThan(FIRST_RETRY_DELAY_MS + PROMPT_MS)

    // The others of the hanging account wait in the queue, and no attempt of them was counted.
    const waiting = await returned()
    expect(waiting.length).toBeGreaterThan(SLOTS / 2)
    for (const { attempt_count } of waiting) expect(attempt_count).toBe(1)
    expect(hangs).toBeGreaterThan(0)
    expect(hangs).toBeLessThan(SLOTS / 2)
  })
})
