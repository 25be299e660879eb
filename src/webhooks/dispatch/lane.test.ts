import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { WorkflowNotFoundError } from '@temporalio/client'
import { testEnvironment } from '../../../test/support/environment'
import { startProxy } from '../../../test/support/network/proxy'
import { startReceiver } from '../../../test/support/receiver'
import { settled } from '../../../test/support/settled'
import { LATE_MS, until } from '../../../test/support/until'
import { expectWaits } from '../../../test/support/webhooks/attempt'
import { useLane } from '../../../test/support/webhooks/lane'
import { type Sender, startSender } from '../../../test/support/webhooks/sender'
import { type ChangeNotification, listenForChanges } from '../../notifications/changes'
import { SWEEP_INTERVAL_MS } from '../../notifications/wake'
import { KIND } from '../queue/entry'

const {
  receiver,
  sender,
  work,
  newWebhook,
  deliver,
  respondWith,
  requests,
  delivered,
  workflow,
  inProgress,
} = await useLane()

describe('a lane', () => {
  let worker: Awaited<ReturnType<Sender['work']>>
  beforeAll(async () => {
    worker = await sender.work()
  })
  afterAll(() => worker.stop())

  test.concurrent('publishes a change of the deliveries of the account', async () => {
    const notifications: ChangeNotification[] = []
    await listenForChanges(sender.sql, notification => notifications.push(notification))
    const { id } = await deliver()
    await delivered(id)
    const [whose] = await sender.sql`
      SELECT account_id AS "accountId", mode FROM deliveries WHERE id = ${id}`
    const published = await until('the change is published', () =>
      notifications.find(({ tenant }) => tenant?.accountId === whose?.accountId),
    )
    expect<unknown>(published).toEqual({ tenant: { ...whose }, topics: ['deliveries'] })
  })

  test.concurrent('needs no workflow for a delivery whose first attempt succeeds', async () => {
    const { id } = await deliver()
    expect(await delivered(id)).toMatchObject({
      attempt_count: 1,
      without_workflow: true,
      kind: null,
    })
    expect(await settled(workflow(id).describe())).toThrow(WorkflowNotFoundError)
  })

  test.concurrent('leaves a delivery whose first attempt fails to a workflow that sends nothing for 5 s', async () => {
    const { id } = await deliver(
      (_, count) => new Response('', { status: count === 1 ? 500 : 200 }),
    )
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

  test.concurrent('sends the deliveries of a dead one when the lease ends', async () => {
    const { webhookId, delivery } = await newWebhook()
    const pause = (at: Date | null) =>
      sender.sql`UPDATE webhooks SET paused_at = ${at} WHERE id = ${webhookId}`
    await pause(new Date())
    const id = await delivery()
    const lane = crypto.randomUUID()
    const [{ until: leaseEnd }] = await sender.sql<[{ until: Date }]>`
      INSERT INTO claimers (id, work, until)
      VALUES (${lane}, 'attempts', clock_timestamp() + interval '2 s')
      RETURNING until`
    await sender.sql`UPDATE delivery_queue SET claimer = ${lane} WHERE delivery_id = ${id}`
    await pause(null)
    await delivered(id)
    const [{ at }] = await sender.sql<[{ at: Date }]>`
      SELECT started_at AS at FROM all_attempts WHERE delivery_id = ${id}`
    // The clocks of the worker and of PostgreSQL may differ by 10 ms.
    expect(Number(at) - Number(leaseEnd)).toBeWithin(-10, SWEEP_INTERVAL_MS + LATE_MS)
    expect(await sender.sql`SELECT FROM claimers WHERE id = ${lane}`).toHaveLength(0)
  })

  test.concurrent('counts no attempt for an infrastructure error before sending: a secret that cannot be decrypted', async () => {
    const { webhookId, delivery } = await newWebhook()
    const [{ secret }] = await sender.sql<[{ secret: string }]>`
      SELECT secret FROM webhooks WHERE id = ${webhookId}`
    await sender.sql`UPDATE webhooks SET secret = 'v1.00000000.none' WHERE id = ${webhookId}`
    const id = await delivery()
    await until('it is in progress', async () => (await inProgress()).includes(id))
    await sender.sql`UPDATE webhooks SET secret = ${secret} WHERE id = ${webhookId}`
    expect(await delivered(id)).toMatchObject({ attempt_count: 1 })
    expect(requests(id)).toHaveLength(1)
  })

  test.concurrent('delays no outcome because another one of its batch cannot be recorded', async () => {
    // As if PostgreSQL could not store this response.
    await sender.sql.unsafe(
      `ALTER TABLE deliveries ADD CONSTRAINT fussy CHECK (response_body <> 'poison')`,
    )
    let first = true
    const { deliveries } = await newWebhook(() => {
      const body = first ? 'poison' : 'ok'
      first = false
      return new Response(body)
    })
    const ids = await deliveries(20)
    await until('the others are delivered', async () => {
      const rows = await Promise.all(ids.map(sender.row))
      return rows.filter(row => row.status === 'DELIVERED').length === 19
    })
    await sender.sql`ALTER TABLE deliveries DROP CONSTRAINT fussy`
    for (const id of ids) await delivered(id)
    expect(ids.map(id => requests(id).length)).toEqual(Array(20).fill(1))
  })

  test.concurrent('delivers while Temporal is unavailable, and failed deliveries get their workflow afterwards', async () => {
    const proxy = startProxy(`temporal://${testEnvironment().temporalAddress}`)
    let status = (count: number) => (count === 1 ? 500 : 200)
    const receiver = startReceiver((_, count) => new Response('', { status: status(count) }))
    const apart = await startSender(receiver.url, {
      ARDEN_WORKFLOWS: 'on-retry',
      TEMPORAL_ADDRESS: new URL(proxy.url).host,
    })
    await apart.work()
    proxy.cut()
    const [failed = ''] = await apart.deliveries(1)
    await apart.reaches(failed, 'has failed once', row => row.attempt_count === 1)
    status = () => 200
    const [fine = ''] = await apart.deliveries(1)
    await apart.reaches(fine, 'is delivered', row => row.status === 'DELIVERED')
    expect((await apart.row(failed)).kind).toBe(KIND.workflow)
    proxy.restore()
    await apart.reaches(failed, 'is delivered', row => row.status === 'DELIVERED')
    expect(
      receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === failed),
    ).toHaveLength(2)
    await apart.stop()
    proxy.stop()
    receiver.stop()
  })
})

test('sends each of many deliveries once, with several workers', async () => {
  const ids = await sender.deliveries(300)
  await work()
  const other = await sender.work()
  for (const id of ids) await delivered(id)
  await other.stop()
  expect(ids.map(id => requests(id).length)).toEqual(Array(300).fill(1))
})

describe('attempts in flight never exceed', () => {
  const underWay = async (
    count: number,
    newDeliveries: (respond: () => Promise<Response>) => Promise<string[]>,
    during: () => Promise<unknown>,
  ) => {
    const response = Promise.withResolvers<void>()
    const before = receiver.received.length
    const ids = await newDeliveries(() => response.promise.then(() => new Response('ok')))
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
    const one = (respond: () => Promise<Response>) => {
      respondWith(respond)
      return sender.deliveries(60)
    }
    await underWay(10, one, work)
  })

  test('ARDEN_IN_FLIGHT', async () => {
    const many = (respond: () => Promise<Response>) =>
      Promise.all(Array.from({ length: 60 }, async () => (await newWebhook(respond)).delivery()))
    await underWay(40, many, work)
  })
})
