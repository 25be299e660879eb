import { describe, expect, test } from 'bun:test'
import { WorkflowNotFoundError } from '@temporalio/client'
import { testEnvironment } from '../../../test/support/environment'
import { startProxy } from '../../../test/support/network/proxy'
import { until } from '../../../test/support/until'
import { expectWaits } from '../../../test/support/webhooks/attempt'
import { useLane } from '../../../test/support/webhooks/lane'
import { startSender } from '../../../test/support/webhooks/sender'
import { type ChangeNotification, listenForChanges } from '../../notifications/changes'

const {
  receiver,
  sender,
  work,
  deliver,
  respondWith,
  requests,
  arrived,
  delivered,
  workflow,
  inProgress,
} = await useLane()

test('publishes a change of the deliveries of the account', async () => {
  const notifications: ChangeNotification[] = []
  await listenForChanges(sender.sql, notification => notifications.push(notification))
  await work()
  const id = await deliver()
  await delivered(id)
  const [whose] = await sender.sql`
    SELECT account_id AS "accountId", mode FROM deliveries WHERE id = ${id}`
  const published = await until('the change is published', () =>
    notifications.find(({ tenant }) => tenant !== undefined),
  )
  expect<unknown>(published).toEqual({ tenant: { ...whose }, topics: ['deliveries'] })
})

test('a delivery whose first attempt succeeds has no workflow', async () => {
  await work()
  const id = await deliver()
  expect(await delivered(id)).toMatchObject({
    attempt_count: 1,
    without_workflow: true,
    due_at: null,
    check_at: null,
    workflow_due_at: null,
  })
  expect(workflow(id).describe()).rejects.toThrow(WorkflowNotFoundError)
})

test('a delivery whose first attempt fails gets a workflow that sends nothing for 5 s', async () => {
  await work()
  const id = await deliver(count => new Response('', { status: count === 1 ? 500 : 200 }))
  const row = await sender.reaches(id, 'is handed over', ({ check_at }) => check_at !== null)
  expect(row).toMatchObject({ status: 'RETRYING', attempt_count: 1, without_workflow: false })
  expect(await workflow(id).result()).toEqual({
    status: 'DELIVERED',
    httpStatus: 200,
    attempts: 2,
  })
  expect(requests(id)).toHaveLength(2)
  await expectWaits(sender.sql, id, [5_000], workflow(id))
})

test('sends each of many deliveries once, with several workers', async () => {
  const ids = await sender.deliveries(60)
  await work()
  const other = await sender.work()
  for (const id of ids) await delivered(id)
  await other.stop()
  expect(ids.map(id => requests(id).length)).toEqual(Array(60).fill(1))
})

describe('attempts in flight never exceed', () => {
  const underWay = async (count: number, during: () => Promise<unknown>) => {
    const response = Promise.withResolvers<void>()
    respondWith(() => response.promise.then(() => new Response('ok')))
    const before = receiver.received.length
    const ids = await sender.deliveries(60)
    await during()
    await until(`${count} are under way`, () => receiver.received.length - before === count)
    await Bun.sleep(1_500) // A sweep, which finds no room.
    expect(receiver.received.length - before).toBe(count)
    expect(await inProgress()).toHaveLength(count)
    response.resolve()
    for (const id of ids) await delivered(id)
    await until('nothing is in progress', async () => (await inProgress()).length === 0)
  }

  test('the share of the webhook: half of half of 40 slots', async () => {
    await sender.sql`UPDATE webhooks SET paused_at = now()`
    await work()
    await until(
      'it has said how many slots there are',
      async () => (await sender.sql`SELECT FROM workers`).length === 1,
    )
    await underWay(10, () => sender.sql`UPDATE webhooks SET paused_at = NULL`)
  })

  test('ARDEN_IN_FLIGHT', async () => {
    // Without a running worker, 2,000 slots are assumed.
    await underWay(40, work)
  })
})

test('another lane sends the deliveries of a dead one when the lease ends', async () => {
  const id = await deliver()
  const lane = crypto.randomUUID()
  await sender.sql`
    INSERT INTO lanes VALUES (${lane}, clock_timestamp() + interval '2 s', ${[id]}, ${[sender.webhookId]})`
  const began = performance.now()
  await work()
  await arrived(id)
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_500)
})

describe('an infrastructure error', () => {
  test('before sending is not an attempt: a secret that cannot be decrypted', async () => {
    const [{ secret }] = await sender.sql<[{ secret: string }]>`SELECT secret FROM webhooks`
    await sender.sql`UPDATE webhooks SET secret = 'v1.00000000.none'`
    await work()
    const id = await deliver()
    await until('it is in progress', async () => (await inProgress()).includes(id))
    await sender.sql`UPDATE webhooks SET secret = ${secret}`
    expect(await delivered(id)).toMatchObject({ attempt_count: 1 })
    expect(requests(id)).toHaveLength(1)
  })
})

test('an outcome that cannot be recorded does not delay the others of its batch', async () => {
  await work()
  // As if PostgreSQL could not store this response.
  await sender.sql.unsafe(
    `ALTER TABLE attempts ADD CONSTRAINT fussy CHECK (response_body <> 'poison')`,
  )
  let first = true
  respondWith(() => {
    const body = first ? 'poison' : 'ok'
    first = false
    return new Response(body)
  })
  const ids = await sender.deliveries(20)
  await until('the others are delivered', async () => {
    const rows = await Promise.all(ids.map(sender.row))
    return rows.filter(row => row.status === 'DELIVERED').length === 19
  })
  await sender.sql`ALTER TABLE attempts DROP CONSTRAINT fussy`
  for (const id of ids) await delivered(id)
  expect(ids.map(id => requests(id).length)).toEqual(Array(20).fill(1))
})

test('delivers while Temporal is unavailable, and failed deliveries get their workflow afterwards', async () => {
  const proxy = startProxy(`temporal://${testEnvironment().temporalAddress}`)
  const apart = await startSender(receiver.url, {
    ARDEN_WORKFLOWS: 'on-retry',
    TEMPORAL_ADDRESS: new URL(proxy.url).host,
  })
  await apart.work()
  proxy.cut()
  respondWith(count => new Response('', { status: count === 1 ? 500 : 200 }))
  const [failed = ''] = await apart.deliveries(1)
  await apart.reaches(failed, 'has failed once', row => row.attempt_count === 1)
  respondWith(() => new Response('ok'))
  const [fine = ''] = await apart.deliveries(1)
  await apart.reaches(fine, 'is delivered', row => row.status === 'DELIVERED')
  expect((await apart.row(failed)).workflow_due_at).toBeInstanceOf(Date)
  proxy.mend()
  await apart.reaches(failed, 'is delivered', row => row.status === 'DELIVERED')
  expect(requests(failed)).toHaveLength(2)
  await apart.stop()
  proxy.stop()
})
