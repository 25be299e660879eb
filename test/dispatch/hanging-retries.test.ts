import { describe, expect, test } from 'bun:test'
import { KIND } from '../../src/webhooks/queue/entry'
import { FIRST_RETRY_DELAY_MS } from '../../src/webhooks/retry-schedule'
import { LANES, settingsOf } from '../support/lanes'
import { until } from '../support/until'
import { useDeliver } from '../support/webhooks/deliver'

/** Of a worker. More retries than that are due at the same time. */
const SLOTS = 20
const DUE = 30
const DELIVERIES = 100
/** A wide bound. Without limits the others wait until retries have timed out, 30 s after they began. */
const PROMPT_MS = 15_000

const failed = () => new Response('no', { status: 500 })

describe.each(LANES)('with a workflow %s', async lane => {
  const settings = { ...settingsOf(lane), ARDEN_IN_FLIGHT: `${SLOTS}` }
  const { sender, newWebhook, requests } = await useDeliver(settings)

  test.concurrent('an account whose retries hang delays no attempt of another account', async () => {
    await sender.work()
    let hangs = 0
    const hanging = await newWebhook((_, count) => {
      if (count === 1) return failed()
      hangs++
      return new Promise<Response>(() => {})
    })
    await hanging.deliveries(DELIVERIES)
    const due = () => sender.sql`
      SELECT d.attempt_count, q.kind FROM deliveries d JOIN delivery_queue q ON q.delivery_id = d.id
      WHERE d.webhook_id = ${hanging.webhookId} AND d.attempt_count > 0
        AND d.next_attempt_at < clock_timestamp()`
    await until(
      'more retries are due than there are slots',
      async () => (await due()).length >= DUE,
    )

    const other = await newWebhook((_, count) => (count === 1 ? failed() : new Response('ok')))
    const committed = performance.now()
    const id = await other.delivery()
    await sender.reaches(id, 'is delivered', row => row.status === 'DELIVERED')
    const [first = 0, second = 0] = requests(id).map(({ at }) => at - committed)
    expect(first).toBeLessThan(PROMPT_MS)
    expect(second - first).toBeLessThan(FIRST_RETRY_DELAY_MS + PROMPT_MS)

    // The others of the hanging account wait in the queue, and no attempt of them was counted.
    const waiting = (await due()).filter(({ kind }) => kind === KIND.first)
    expect(waiting.length).toBeGreaterThan(0)
    for (const { attempt_count } of waiting) expect(attempt_count).toBe(1)
    expect(hangs).toBeGreaterThan(0)
    expect(hangs).toBeLessThan(SLOTS / 2)
  })
})
