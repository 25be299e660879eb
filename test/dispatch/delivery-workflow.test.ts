import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { isWorkerAlive } from '../../src/temporal/heartbeat'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { ATTEMPT_TASK_TIMEOUT_MS } from '../../src/webhooks/retry-schedule'
import { settled } from '../support/settled'
import { until } from '../support/until'
import { attemptsIn, expectWaits } from '../support/webhooks/attempt'
import { useDeliver } from '../support/webhooks/deliver'
import type { Row } from '../support/webhooks/delivery-row'

const { receiver, sender, newWebhook, deliver, requests, workflow } = await useDeliver()
const worker = await sender.work()

const ok = () => new Response('ok')
const failed = () => new Response('no', { status: 500 })
const hang = () => new Promise<Response>(() => {})
const status = (name: Row['status']) => (row: Row) => row.status === name
/** Whether our own failure is in the workflow's history. */
const hasInfrastructureError = async (id: string) => {
  const history = await workflow(id)
    .fetchHistory()
    .catch(() => undefined) // Not started yet.
  return JSON.stringify(history ?? '').includes('Not an attempt')
}

test('50 events at once are each delivered once, and their workflows completed', async () => {
  // More than the dispatcher claims and starts at a time: 2 x 20.
  const ids = await sender.deliveries(50)
  for (const id of ids) await sender.reaches(id, 'is delivered', status('DELIVERED'))
  for (const id of ids) expect(requests(id).length).toBe(1)
  expect(await workflow(ids[0] ?? '').result()).toEqual({
    status: 'DELIVERED',
    httpStatus: 200,
    attempts: 1,
  })
})

test.concurrent('an attempt carries the headers of the specification, signed with the secret', async () => {
  const { id, url, secret } = await deliver()
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  const [sent] = requests(id)
  const signature = createHmac('sha256', secret)
    .update(sent?.body ?? '')
    .digest('hex')
  expect(sent?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Arden-Webhook/1.0',
    'x-webhook-event': 'article.published',
    'x-webhook-delivery-id': id,
    'x-webhook-signature': `sha256=${signature}`,
  })
  const [attempt] = await sender.sql`SELECT * FROM all_attempts WHERE delivery_id = ${id}`
  expect(attempt).toMatchObject({
    number: 1,
    http_status: 200,
    error: null,
    response_body: 'ok',
    request_url: url,
  })
  expect(JSON.stringify(attempt)).not.toContain(secret)
})

test.concurrent('each failed attempt is in the history, with its reason and the status of the response, and so is the wait of 5 s', async () => {
  const { id, respondWith } = await deliver(failed)
  const row = await sender.reaches(id, 'has failed once', one => one.attempt_count === 1)
  expect(row).toMatchObject({ status: 'RETRYING', http_status: 500, response_body: 'no' })
  const wait = await until('the workflow waits', async () => {
    const { events } = await workflow(id).fetchHistory()
    return events?.find(one => one.timerStartedEventAttributes)?.timerStartedEventAttributes
  })
  expect(Number(wait.startToFireTimeout?.seconds)).toBe(5)
  respondWith(ok)
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  const [first, second] = attemptsIn(await workflow(id).fetchHistory())
  const { host } = new URL(receiver.url)
  expect(first?.summary).toBe(`article.published to ${host}`)
  expect(first?.failure?.message).toBe(`${host} responded with 500 (attempt 1 of 3)`)
  expect(first?.details).toContainEqual({ httpStatus: 500 })
  expect(second?.failure).toBeUndefined()
  expect(JSON.stringify([first, second])).not.toContain('token')
  await expectWaits(sender.sql, id, [5_000], workflow(id))
})

test.concurrent('a delivery costs Temporal one workflow task', async () => {
  const { id } = await deliver()
  await sender.reaches(id, 'is delivered', status('DELIVERED'))
  await workflow(id).result()
  const { events } = await workflow(id).fetchHistory()
  expect(events).toHaveLength(6)
})

describe('an operator', () => {
  test.concurrent('cancelling a delivery that waits for its next attempt makes it FAILED', async () => {
    const { id } = await deliver(failed)
    await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
    await workflow(id).cancel()
    await sender.reaches(id, 'is failed', status('FAILED'))
    expect(await sender.row(id)).toMatchObject({
      error: 'cancelled in Temporal',
      http_status: 500,
      // One, unless the cancellation took longer than the wait of 5 s.
      attempt_count: requests(id).length,
      check_at: null,
    })
    expect(requests(id).length).toBeLessThan(3)
    // The record is written before the workflow can say that it ended.
    await until(
      'the workflow is cancelled',
      async () => (await workflow(id).describe()).status.name === 'CANCELLED',
    )
  })

  test.concurrent('cancelling one that waits for a response ends the request, which is no attempt', async () => {
    const { id } = await deliver(hang)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).cancel()
    await sender.reaches(id, 'is failed', status('FAILED'))
    expect(await sender.row(id)).toMatchObject({ error: 'cancelled in Temporal', attempt_count: 0 })
  })

  test.concurrent('cancelling one whose response arrives before the cancellation: DELIVERED', async () => {
    const response = Promise.withResolvers<Response>()
    const { id } = await deliver(() => response.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).cancel()
    response.resolve(new Response('ok'))
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect(await workflow(id).result()).toMatchObject({ status: 'DELIVERED' })
  })

  test.concurrent('terminating one that waits for a response: the response counts, and nothing is sent again', async () => {
    const response = Promise.withResolvers<Response>()
    const { id } = await deliver(() => response.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).terminate()
    // By then the worker has learned that the workflow is gone.
    setTimeout(() => response.resolve(new Response('ok')), 0.9 * ATTEMPT_TASK_TIMEOUT_MS)
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect((await sender.row(id)).attempt_count).toBe(1)
  })

  const reset = async (id: string) => {
    const { client, namespace } = sender.temporal
    // The attempt is recorded before its task completes.
    const firstTask = await until('the first task is complete', async () => {
      const { events } = await workflow(id).fetchHistory()
      return events?.find(event => event.workflowTaskCompletedEventAttributes)
    })
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: deliveryWorkflowId(id, 1) },
      workflowTaskFinishEventId: firstTask.eventId ?? null,
      reason: 'a test',
      requestId: crypto.randomUUID(),
    })
    return client.workflow.getHandle(deliveryWorkflowId(id, 1), runId ?? '')
  }

  test.concurrent('resetting a workflow that is final sends nothing again', async () => {
    const { id } = await deliver()
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    await workflow(id).result()
    const again = await reset(id)
    expect(await again.result()).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(requests(id).length).toBe(1)
  })

  test.concurrent('resetting one that waits for its next attempt: it continues where it is, at the same time', async () => {
    const { id, respondWith } = await deliver(failed)
    await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
    respondWith(ok)
    const again = await reset(id)
    expect(await again.result()).toMatchObject({ status: 'DELIVERED', attempts: 2 })
    expect(requests(id).length).toBe(2)
    await expectWaits(sender.sql, id, [5_000], again)
  })

  test.concurrent('signalling one changes nothing: it handles no signal', async () => {
    const response = Promise.withResolvers<Response>()
    const { id } = await deliver(() => response.promise)
    await until('the request arrived', () => requests(id).length === 1)
    await workflow(id).signal('retry-now', { whatever: true })
    response.resolve(new Response('ok'))
    expect(await workflow(id).result()).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(requests(id).length).toBe(1)
  })
})

test.concurrent.each([
  ['disabled', 'enabled = false', 'the webhook is disabled'],
  ['deleted', 'deleted_at = now()', 'the webhook was deleted'],
])('a webhook that is %s between attempts: FAILED with that reason', async (_, change, reason) => {
  const { id, webhookId } = await deliver(failed)
  await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
  await sender.sql.unsafe(`UPDATE webhooks SET ${change} WHERE id = $1`, [webhookId])
  const row = await sender.reaches(id, 'is failed', status('FAILED'))
  // One, unless the change took longer than the wait of 5 s.
  expect(row).toMatchObject({ error: reason, attempt_count: requests(id).length })
  expect(requests(id).length).toBeLessThan(3)
  expect(await settled(workflow(id).result())).toThrow()
})

describe('a failure of our own', () => {
  test.concurrent('to record a response loses nothing: recorded later, not sent again', async () => {
    const { id, url } = await deliver(async ({ headers }) => {
      // As if PostgreSQL could not store this attempt.
      await sender.sql.unsafe(
        `ALTER TABLE deliveries ADD CONSTRAINT refused
          CHECK (id <> '${headers['x-webhook-delivery-id']}' OR attempt_id IS NULL)`,
      )
      return ok()
    })
    await until('the workflow holds the outcome', () => hasInfrastructureError(id))
    await sender.sql`ALTER TABLE deliveries DROP CONSTRAINT refused`
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect(requests(id).length).toBe(1)
    const [attempt] = await sender.sql`SELECT * FROM all_attempts WHERE delivery_id = ${id}`
    expect(attempt).toMatchObject({ number: 1, http_status: 200, response_body: null })
    expect(attempt?.request_url).toBe(url)
  })

  test.concurrent('before sending is no attempt: a key that does not decrypt, until it does', async () => {
    const { webhookId, delivery } = await newWebhook()
    const [{ secret }] = await sender.sql<[{ secret: string }]>`
      SELECT secret FROM webhooks WHERE id = ${webhookId}`
    await sender.sql`UPDATE webhooks SET secret = 'v1.00000000.none' WHERE id = ${webhookId}`
    const id = await delivery()
    await until('the call failed', () => hasInfrastructureError(id))
    expect(requests(id).length).toBe(0)
    expect((await sender.row(id)).attempt_count).toBe(0)
    await sender.sql`UPDATE webhooks SET secret = ${secret} WHERE id = ${webhookId}`
    await sender.reaches(id, 'is delivered', status('DELIVERED'))
    expect((await sender.row(id)).attempt_count).toBe(1)
  })
})

test.concurrent('a workflow of an earlier run sends nothing', async () => {
  const { id } = await deliver(failed)
  await sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
  await sender.sql`UPDATE deliveries SET run = 2 WHERE id = ${id}`
  expect(await workflow(id).result()).toEqual({ status: 'NOT_OURS' })
  expect(requests(id).length).toBe(1)
})

test('a worker that is stopped lets the attempt end that it has begun, and records it', async () => {
  const response = Promise.withResolvers<Response>()
  const { id } = await deliver(() => response.promise)
  await until('the request arrived', () => requests(id).length === 1)
  const stopped = worker.stop()
  setTimeout(() => response.resolve(new Response('late')), 500)
  await stopped
  const row = await sender.row(id)
  expect(row).toMatchObject({ status: 'DELIVERED', response_body: 'late', attempt_count: 1 })
  expect(await sender.sql`SELECT id FROM workers WHERE ${isWorkerAlive(sender.sql)}`).toHaveLength(
    0,
  )
})
