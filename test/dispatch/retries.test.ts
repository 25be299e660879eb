import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { expectWaits } from '../support/attempt'
import { LANES, type Lane, settingsOf } from '../support/lanes'
import { type Receiver, startReceiver } from '../support/receiver'
import { type Sender, startSender } from '../support/sender'
import { LATE_MS } from '../support/until'

// The true schedule of contract 5.3: 0/5/25 s, and 30 s for an answer. Four receivers, with and without a
// workflow for the first attempt, all side by side.
const LONGEST_MS = 200_000

const answers: Record<string, (count: number) => Response | Promise<Response>> = {
  recovers: count => new Response(`answer ${count}`, { status: [500, 503, 200][count - 1] ?? 500 }),
  fails: count => new Response(`answer ${count}`, { status: 500 }),
  redirects: () => new Response('', { status: 302, headers: { location: '/elsewhere' } }),
  'never-answers': () => new Promise<Response>(() => {}),
}

let receiver: Receiver
const senders: Sender[] = []
beforeAll(() => {
  receiver = startReceiver((one, count) => answers[one.path.slice(1)]?.(count) ?? new Response())
})
afterAll(async () => {
  await Promise.all(senders.map(sender => sender.stop()))
  receiver.stop()
})

/** Delivers to the receiver of that name, and answers all there is to see when it is final. */
const deliverTo = async (lane: Lane, name: string) => {
  const sender = await startSender(`${receiver.url}/${name}`, settingsOf(lane))
  senders.push(sender)
  await sender.work()
  const [id = ''] = await sender.deliveries(1)
  const row = await sender.reaches(id, 'is final', one => one.status !== 'RETRYING', 180)
  const requests = receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)
  const attempts =
    await sender.sql`SELECT * FROM attempts WHERE delivery_id = ${id} ORDER BY number`
  const handle = sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1))
  const result = await handle.result().catch(error => error.cause?.message)
  const expectSchedule = () => expectWaits(sender.sql, id, [5_000, 25_000], handle)
  return { id, row, requests, attempts, expectSchedule, result }
}
test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that answers 500, 503, then 200 has it at the third attempt, 5 s and 25 s later',
  async lane => {
    const { id, row, requests, attempts, expectSchedule, result } = await deliverTo(
      lane,
      'recovers',
    )
    expect(row).toMatchObject({
      status: 'DELIVERED',
      http_status: 200,
      response_body: 'answer 3',
      attempt_count: 3,
      error: null,
      next_attempt_at: null,
    })
    expect(requests.length).toBe(3)
    await expectSchedule()
    expect(
      attempts.map(one => [one.number, one.http_status, one.error, one.response_body]),
    ).toEqual([
      [1, 500, 'the endpoint answered 500', 'answer 1'],
      [2, 503, 'the endpoint answered 503', 'answer 2'],
      [3, 200, null, 'answer 3'],
    ])
    expect(new Set(requests.map(one => one.headers['x-webhook-delivery-id']))).toEqual(
      new Set([id]),
    )
    expect(new Set(requests.map(one => one.body)).size).toBe(1)
    expect(new Set(requests.map(one => one.headers['x-webhook-timestamp'])).size).toBe(3)
    expect(result).toEqual({ status: 'DELIVERED', httpStatus: 200, attempts: 3 })
  },
  LONGEST_MS,
)

test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that fails three times makes the delivery FAILED, and the workflow too',
  async lane => {
    const { row, requests, expectSchedule, result } = await deliverTo(lane, 'fails')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: 500,
      response_body: 'answer 3',
      attempt_count: 3,
      error: 'the endpoint answered 500',
    })
    expect(requests.length).toBe(3)
    await expectSchedule()
    const { host } = new URL(receiver.url)
    expect(result).toBe(`Not delivered: ${host} answered 500 (attempt 3 of 3, the last)`)
  },
  LONGEST_MS,
)

test.concurrent.each(LANES)(
  'with a workflow %s, a redirect is a failure, and is not followed',
  async lane => {
    const { row, requests, result } = await deliverTo(lane, 'redirects')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: 302,
      attempt_count: 3,
      error: 'redirects are not followed (302 to /elsewhere)',
    })
    expect(requests.length).toBe(3)
    expect(receiver.received.some(one => one.path === '/elsewhere')).toBe(false)
    expect(result).not.toContain('elsewhere')
  },
  LONGEST_MS,
)

test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that does not answer in 30 s has failed: three times, then FAILED',
  async lane => {
    const { row, attempts, expectSchedule } = await deliverTo(lane, 'never-answers')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: null,
      response_body: null,
      attempt_count: 3,
      error: 'timed out after 30 s',
    })
    for (const attempt of attempts) expect(attempt.duration_ms).toBeWithin(29_900, 30_000 + LATE_MS)
    await expectSchedule()
  },
  LONGEST_MS,
)
