import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { recordAttempt } from '../../../test/support/webhooks/attempt'
import { createOrderedWebhook } from '../../../test/support/webhooks/ordered-webhook'
import type { Sample } from '../../../test/support/webhooks/sample'
import type { Caller } from '../../caller'
import { markHandedOver } from '../../outbox/outbox'
import { redeliver } from '../deliveries/redelivery'
import { findDelivery } from '../deliveries/store'
import { deleteWebhook } from '../endpoints/store'
import { recordTestEvent } from '../events/record'
import { claimForLane } from './claim'
import { deliveryOutbox, retryOutbox } from './outbox'
import { failDelivery } from './store'

let sample: Sample
let caller: Caller
const { sql } = await useDatabase()
beforeEach(async () => {
  ;({ sample, caller } = await createOrderedWebhook(sql))
})

/** The ids of what is claimed now. */
const claim = async () => (await deliveryOutbox.claim(sql, 20)).map(({ id }) => id).sort()
const handOver = (...ids: string[]) =>
  markHandedOver(
    sql,
    deliveryOutbox,
    ids.map(id => ({ id, run: 1 })),
  )
const end = (deliveryId: string) => failDelivery(sql, { deliveryId, run: 1, reason: 'over' })
const answered = (id: string, error: string | null, by = { inWorkflow: true }) =>
  recordAttempt(
    sql,
    id,
    {
      attemptId: crypto.randomUUID(),
      startedAt: new Date().toISOString(),
      durationMs: 10,
      httpStatus: error === null ? 200 : 500,
      responseBody: 'ok',
      error,
      requestUrl: 'https://one.example/',
      requestHeaders: {},
    },
    by,
  )

describe('of an ordered webhook is claimed', () => {
  test('only the first that is not final, in the order in which events occurred', async () => {
    const ids = await sample.deliveries(3)
    for (const id of ids) {
      expect(await claim()).toEqual([id])
      expect(await claim()).toEqual([])
      await handOver(id)
      expect(await claim()).toEqual([])
      await end(id)
    }
    expect(await claim()).toEqual([])
  })

  test('nothing while one waits for its next attempt, and the next once that one is FAILED', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await sql`UPDATE deliveries SET attempt_limit = 2 WHERE id = ${first}`
    await claim()
    await handOver(first)
    await answered(first, 'the endpoint responded with 500')
    expect(await claim()).toEqual([])
    expect(await findDelivery(sql, caller, second)).toMatchObject({
      status: 'RETRYING',
      sequence: 2,
      waits_for: first,
      next_attempt_at: null,
    })
    await answered(first, 'the endpoint responded with 500')
    expect(await findDelivery(sql, caller, first)).toMatchObject({ status: 'FAILED', sequence: 1 })
    expect(await findDelivery(sql, caller, second)).toMatchObject({ waits_for: null })
    expect(await claim()).toEqual([second])
  })

  test('after one that is FAILED, what says so: it names that one until it is sent again', async () => {
    const [first = '', second = '', third = ''] = await sample.deliveries(3)
    const follows = async (id: string) => (await findDelivery(sql, caller, id)).follows_failed
    expect(await follows(second)).toBeNull()
    await end(first)
    await claim()
    await answered(second, null)
    expect(await Promise.all([first, second, third].map(follows))).toEqual([null, first, null])
    await sql.begin(tx => redeliver(tx, caller, sample.webhookId, first))
    expect(await follows(second)).toBeNull()
  })

  test('after one that is FAILED with a later id, for ids do not follow the order, what says so too', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await end(first)
    await end(second)
    await sql`UPDATE deliveries SET sequence = 3 - sequence`
    expect((await findDelivery(sql, caller, first)).follows_failed).toBe(second)
  })

  test('what names its workflow only once that is started', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    const named = async (id: string) => (await findDelivery(sql, caller, id)).workflow_id
    expect([await named(first), await named(second)]).toEqual([null, null])
    await claim()
    expect(await named(first)).toBeNull()
    await handOver(first)
    expect([await named(first), await named(second)]).toEqual([`delivery:${first}`, null])
    await answered(first, 'the endpoint responded with 500')
    expect(await named(first)).toBe(`delivery:${first}`)
    await answered(first, null)
    expect([await named(first), await named(second)]).toEqual([`delivery:${first}`, null])

    // A lane makes the first attempt; what it leaves has a workflow.
    await claimForLane(sql, crypto.randomUUID(), [], 20)
    expect(await named(second)).toBeNull()
    await answered(second, 'the endpoint responded with 500', { inWorkflow: false })
    expect(await named(second)).toBeNull()
    const jobs = await retryOutbox.claim(sql, 20)
    await markHandedOver(sql, retryOutbox, jobs)
    expect(await named(second)).toBe(`delivery:${second}`)
  })

  test('by a lane one as well, again when that lane has died, and none beside it', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    const [lane, other] = [crypto.randomUUID(), crypto.randomUUID()]
    const ids = async (lane: string) => (await claimForLane(sql, lane, [], 20)).map(({ id }) => id)
    const [held] = await claimForLane(sql, lane, [], 20)
    expect(held).toMatchObject({ id: first, ordered: true, waitMs: 0 })
    expect(await ids(other)).toEqual([])
    expect(await claim()).toEqual([])
    await sql`UPDATE lanes SET until = now() - interval '1 second'`
    expect(await ids(other)).toEqual([first])
    await answered(first, null)
    expect(await ids(other)).toEqual([second])
  })

  test('what is put back before anything that comes after it', async () => {
    const [first = ''] = await sample.deliveries(2)
    await claim()
    await sql`UPDATE deliveries SET due_at = now() - interval '1 second' WHERE id = ${first}`
    expect(await claim()).toEqual([first])
  })

  test('a redelivery and a test beside the order, which go in no order', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await claim()
    await end(first)
    expect(await claim()).toEqual([second])
    await sql.begin(tx => redeliver(tx, caller, sample.webhookId, first))
    const sampleId = await sql.begin(tx => recordTestEvent(tx, caller, sample.webhookId))
    expect(await claim()).toEqual([first, sampleId].sort())
    expect(await findDelivery(sql, caller, first)).toMatchObject({ sequence: null })
    const [third = ''] = await sample.deliveries(1)
    await end(second)
    expect(await claim()).toEqual([third])
  })

  test('the first before redeliveries that were asked for later, however many', async () => {
    const many = await sample.deliveries(30)
    await sql`UPDATE deliveries SET status = 'FAILED', due_at = NULL`
    const [next = ''] = await sample.deliveries(1)
    await sql.begin(async tx => {
      for (const id of many) await redeliver(tx, caller, sample.webhookId, id)
    })
    expect(await claim()).toContain(next)
  })

  test('nothing that waits in an order once it is paused, and the first when it is resumed', async () => {
    const [first = ''] = await sample.deliveries(2)
    await sql`UPDATE webhooks SET paused_at = now()`
    expect(await claim()).toEqual([])
    await sql`UPDATE webhooks SET paused_at = NULL`
    expect(await claim()).toEqual([first])
  })

  test('all that wait once it is deleted, so that they end', async () => {
    const ids = await sample.deliveries(3)
    await claim()
    await sql.begin(tx => deleteWebhook(tx, caller, sample.webhookId))
    expect(await claim()).toEqual(ids.slice(1))
  })
})
