import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import { expectWaits } from '../support/webhooks/attempt'
import { type Row, useSender } from '../support/webhooks/sender'

type Respond = () => Response | Promise<Response>

/** What the receiver answers next; 200 when nothing is set. */
let respond: Respond = () => new Response('ok')
const receiver = useReceiver(() => respond())
const sender = await useSender(`${receiver.url}/in?token=t`)
const worker = await sender.work()

const deliver = async (next: Respond = () => new Response('ok')) => {
  respond = next
  const [id = ''] = await sender.deliveries(1)
  return id
}
const requests = (id: string) =>
  receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)
const status = (name: Row['status']) => (row: Row) => row.status === name
const workflow = (id: string, run = 1) =>
  sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, run))
/** Whether our own failure is in the workflow's history. */
const isNotCounted = async (id: string) => {
  const history = await workflow(id)
    .fetchHistory()
    .catch(() => undefined) // Not started yet.
  return JSON.stringify(history ?? '').includes('Not counted as an attempt')
}
const failed = () => new Response('no', { status: 500 })
const hang = () => new Promise<Response>(() => {})

test('50 events at once are each delivered once, and their workflows completed', async () => {
  respond = () => new Response('ok')
  const ids = await sender.deliveries(50)
  for (const id of ids) await sender.reaches(id, 'is delivered', status('DELIVERED'))
  for (const id of ids) expect(requests(id).length).toBe(1)
  expect(await workflow(ids[0] ?? '').result()).toEqual({
    status: 'DELIVERED',
    httpStatus: 200,
    attempts: 1,
  })
})

test('an attempt carries the headers of the specification, signed with the secret', async () => {
  const id = await deliver()
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  const [sent] = requests(id)
  const signature = createHmac('sha256', sender.secret)
    .update(sent?.body ?? '')
    .digest('hex')
  expect(sent?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Arden-Webhook/1.0',
    'x-webhook-event': 'article.published',
    'x-webhook-delivery-id': id,
    'x-webhook-signature': `sha256=${signature}`,
  })
  const [attempt] = await sender.sql`SELECT * FROM attempts WHERE delivery_id = ${id}`
  expect(attempt).toMatchObject({
    number: 1,
    http_status: 200,
    error: null,
    response_body: 'ok',
    request_url: `${receiver.url}/in?token=t`,
  })
  expect(JSON.stringify(attempt)).not.toContain(sender.secret)
})

test('a failed attempt waits 5 s, and is what the Temporal UI shows: attempt, reason, next try', async () => {
  const id = await deliver(failed)
  const row = await sender.reaches(id, 'has failed once', one => one.attempt_count === 1)
  expect(row).toMatchObject({ status: 'RETRYING', http_status: 500, response_body: 'no' })
  const pending = await until('the activity waits', async () => {
    const { raw } = await workflow(id).describe()
    const [activity] = raw.pendingActivities ?? []
    return activity?.lastFailure ? activity : undefined
  })
  expect(pending.attempt).toBe(2)
  expect(pending.maximumAttempts).toBe(3)
  const { host } = new URL(receiver.url)
  expect(pending.lastFailure?.message).toBe(`${host} responded with 500 (attempt 1 of 3)`)
  expect(JSON.stringify(pending)).not.toContain('token')
  expect(Number(pending.currentRetryInterval?.seconds)).toBe(5)
  respond = () => new Response('ok')
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  await expectWaits(sender.sql, id, [5_000], workflow(id))
})

test('the retry policy in Temporal is that of the specification: 3 attempts, the next after 5 s, then after 25 s', async () => {
  const id = await deliver()
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  const { events } = await workflow(id).fetchHistory()
  const [policy] = (events ?? []).flatMap(
    one => one.activityTaskScheduledEventAttributes?.retryPolicy ?? [],
  )
  expect(policy?.maximumAttempts).toBe(3)
  expect(Number(policy?.initialInterval?.seconds)).toBe(5)
  expect(Number(policy?.initialInterval?.seconds) * (policy?.backoffCoefficient ?? 0)).toBe(25)
})

describe('an operator', () => {
  test('cancelling a delivery that waits for its next attempt makes it FAILED', async () => {
    const id = await deliver(failed)
    await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
    await workflow(id).cancel()
    await sender.reaches(id, 'is failed', status('FAILED'))
    expect(await sender.row(id)).toMatchObject({
      error: 'cancelled in Temporal',
      http_status: 500,
      attempt_count: 1,
      check_at: null,
    })
    // The record is written before the workflow can say that it ended.
    await until(
      'the workflow is cancelled',
      async () => (await workflow(id).describe()).status.name === 'CANCELLED',
    )
  })

  test('cancelling one that waits for a response ends the request, which is no attempt', async () => {
    const id = await deliver(hang)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).cancel()
    await sender.reaches(id, 'is failed', status('FAILED'))
    expect(await sender.row(id)).toMatchObject({ error: 'cancelled in Temporal', attempt_count: 0 })
  })

  test('cancelling one whose response arrives before the cancellation: DELIVERED', async () => {
    const answer = Promise.withResolvers<Response>()
    const id = await deliver(() => answer.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).cancel()
    answer.resolve(new Response('ok'))
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect(await workflow(id).result()).toMatchObject({ status: 'DELIVERED' })
  })

  test('terminating one that waits for a response: the response counts, and nothing is sent again', async () => {
    const answer = Promise.withResolvers<Response>()
    const id = await deliver(() => answer.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).terminate()
    // By now a heartbeat has returned to the worker that its activity is gone.
    setTimeout(() => answer.resolve(new Response('ok')), 8_000)
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect((await sender.row(id)).attempt_count).toBe(1)
  })

  const reset = async (id: string) => {
    const { client, namespace } = sender.temporal
    const { events } = await workflow(id).fetchHistory()
    const firstTask = events?.find(event => event.workflowTaskCompletedEventAttributes)
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: deliveryWorkflowId(id, 1) },
      workflowTaskFinishEventId: firstTask?.eventId ?? null,
      reason: 'a test',
      requestId: crypto.randomUUID(),
    })
    return client.workflow.getHandle(deliveryWorkflowId(id, 1), runId ?? '')
  }

  test('resetting a workflow that is final sends nothing again', async () => {
    const id = await deliver()
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    await workflow(id).result()
    const again = await reset(id)
    expect(await again.result()).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(requests(id).length).toBe(1)
  })

  test('resetting one that waits for its next attempt: it continues where it is, at the same time', async () => {
    const id = await deliver(failed)
    await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
    respond = () => new Response('ok')
    const again = await reset(id)
    expect(await again.result()).toMatchObject({ status: 'DELIVERED', attempts: 2 })
    expect(requests(id).length).toBe(2)
    await expectWaits(sender.sql, id, [5_000], again)
  })

  test('signalling one changes nothing: it handles no signal', async () => {
    const answer = Promise.withResolvers<Response>()
    const id = await deliver(() => answer.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).signal('retry-now', { whatever: true })
    answer.resolve(new Response('ok'))
    expect(await workflow(id).result()).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(requests(id).length).toBe(1)
  })
})

test.each([
  ['disabled', 'enabled = false', 'enabled = true'],
  ['deleted', 'deleted_at = now()', 'deleted_at = NULL'],
])('a webhook that is %s between attempts: FAILED with that reason', async (what, gone, back) => {
  const id = await deliver(failed)
  await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
  await sender.sql.unsafe(`UPDATE webhooks SET ${gone}`)
  await sender.reaches(id, 'is failed', status('FAILED'))
  await sender.sql.unsafe(`UPDATE webhooks SET ${back}`)
  const row = await sender.row(id)
  expect(row.error).toBe(
    what === 'disabled' ? 'the webhook is disabled' : 'the webhook was deleted',
  )
  expect(row.attempt_count).toBe(1)
  expect(requests(id).length).toBe(1)
  expect(workflow(id).result()).rejects.toThrow()
})

describe('a failure of our own', () => {
  test('to record a response loses nothing: recorded later, not sent again', async () => {
    await sender.sql`ALTER TABLE attempts RENAME TO attempts_away`
    const id = await deliver()
    await until('the request arrived', () => requests(id).length === 1)
    await until('the workflow holds the outcome', () => isNotCounted(id))
    await sender.sql`ALTER TABLE attempts_away RENAME TO attempts`
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect(requests(id).length).toBe(1)
    const [attempt] = await sender.sql`SELECT * FROM attempts WHERE delivery_id = ${id}`
    expect(attempt).toMatchObject({ number: 1, http_status: 200, response_body: null })
    expect(attempt?.request_url).toBe(`${receiver.url}/in?token=t`)
  })

  test('before sending is no attempt: a key that does not decrypt, until it does', async () => {
    const [{ secret }] = await sender.sql<[{ secret: string }]>`SELECT secret FROM webhooks`
    await sender.sql`UPDATE webhooks SET secret = 'v1.00000000.none'`
    const id = await deliver()
    await until('the call failed', () => isNotCounted(id))
    expect(requests(id).length).toBe(0)
    expect((await sender.row(id)).attempt_count).toBe(0)
    await sender.sql`UPDATE webhooks SET secret = ${secret}`
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect((await sender.row(id)).attempt_count).toBe(1)
  })
})

test('a workflow of an earlier run sends nothing', async () => {
  await sender.sql`UPDATE webhooks SET enabled = true`
  const id = await deliver(failed)
  await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
  await sender.sql`UPDATE deliveries SET run = 2 WHERE id = ${id}`
  expect(await workflow(id).result()).toEqual({ status: 'NOT_OURS' })
  expect(requests(id).length).toBe(1)
})

test('a worker that is stopped lets the attempt end that it has begun, and records it', async () => {
  const answer = Promise.withResolvers<Response>()
  const id = await deliver(() => answer.promise)
  await until('the request arrived', () => requests(id).length === 1)
  const stopped = worker.stop()
  setTimeout(() => answer.resolve(new Response('late')), 500)
  await stopped
  const row = await sender.row(id)
  expect(row).toMatchObject({ status: 'DELIVERED', response_body: 'late', attempt_count: 1 })
  expect(await sender.sql`SELECT id FROM workers`).toHaveLength(0)
})
