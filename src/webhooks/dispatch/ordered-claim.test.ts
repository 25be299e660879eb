import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { until } from '../../../test/support/until'
import { recordAttempt } from '../../../test/support/webhooks/attempt'
import { createClaims } from '../../../test/support/webhooks/claims'
import { createOrderedWebhook } from '../../../test/support/webhooks/ordered-webhook'
import type { Sample } from '../../../test/support/webhooks/sample'
import type { Caller } from '../../caller'
import { redeliver } from '../deliveries/redelivery'
import { findDelivery } from '../deliveries/store'
import { setPaused } from '../endpoints/pause'
import { deleteWebhook } from '../endpoints/store'
import { recordTestEvent } from '../events/record'
import { laneCapacity } from '../queue/capacity'
import { startRunAgain } from '../queue/changes'
import { type Claimer, createClaimer } from '../queue/claimer'
import type { DueDelivery } from './outbox'
import { failDelivery } from './store'

let sample: Sample
let caller: Caller
let claims: ReturnType<typeof createClaims>
/** By the last claim that claimed anything. */
let claimed: DueDelivery[]
const { sql } = await useDatabase()
beforeEach(async () => {
  ;({ sample, caller } = await createOrderedWebhook(sql))
  claims = createClaims(sql)
})

/** Claims and returns the ids. */
const claim = async () => {
  claimed = await claims.claim(20)
  return claimed.map(({ id }) => id).sort()
}
const handOver = () => claims.handOver(claimed)
const newLane = () =>
  createClaimer(sql, { work: 'attempts', capacity: laneCapacity(100), onFound: () => {} })
const end = (deliveryId: string) => failDelivery(sql, { deliveryId, run: 1, reason: 'over' })
const recordOutcome = (id: string, error: string | null, by = { inWorkflow: true }) =>
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
      signatures: '',
    },
    by,
  )

describe('a claim from an ordered webhook', () => {
  test('takes only the first delivery that is not final, in the order of the events', async () => {
    const ids = await sample.deliveries(3)
    for (const id of ids) {
      expect(await claim()).toEqual([id])
      expect(await claim()).toEqual([])
      await handOver()
      expect(await claim()).toEqual([])
      await end(id)
    }
    expect(await claim()).toEqual([])
  })

  test('takes nothing while one waits for its next attempt, and the next once that is FAILED', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await sql`UPDATE deliveries SET attempt_limit = 2 WHERE id = ${first}`
    await claim()
    await handOver()
    await recordOutcome(first, 'the endpoint responded with 500')
    expect(await claim()).toEqual([])
    expect(await findDelivery(sql, sample.cipher, caller, second)).toMatchObject({
      status: 'RETRYING',
      sequence: 2,
      waits_for: first,
      next_attempt_at: null,
    })
    await recordOutcome(first, 'the endpoint responded with 500')
    expect(await findDelivery(sql, sample.cipher, caller, first)).toMatchObject({
      status: 'FAILED',
      sequence: 1,
    })
    expect(await findDelivery(sql, sample.cipher, caller, second)).toMatchObject({
      waits_for: null,
    })
    expect(await claim()).toEqual([second])
  })

  test('continues after a FAILED delivery; the next names it in follows_failed until it is redelivered', async () => {
    const [first = '', second = '', third = ''] = await sample.deliveries(3)
    const follows = async (id: string) =>
      (await findDelivery(sql, sample.cipher, caller, id)).follows_failed
    expect(await follows(second)).toBeNull()
    await end(first)
    await claim()
    await recordOutcome(second, null)
    expect(await Promise.all([first, second, third].map(follows))).toEqual([null, first, null])
    await sql.begin(tx => redeliver(tx, caller, sample.webhookId, first))
    expect(await follows(second)).toBeNull()
  })

  test('sets follows_failed also when the FAILED delivery has a later id', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await end(first)
    await end(second)
    await sql`UPDATE deliveries SET sequence = 3 - sequence`
    expect((await findDelivery(sql, sample.cipher, caller, first)).follows_failed).toBe(second)
  })

  test('shows a workflow id only once the workflow is started', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    const named = async (id: string) =>
      (await findDelivery(sql, sample.cipher, caller, id)).workflow_id
    expect([await named(first), await named(second)]).toEqual([null, null])
    await claim()
    expect(await named(first)).toBeNull()
    await handOver()
    expect([await named(first), await named(second)]).toEqual([`delivery:${first}`, null])
    await recordOutcome(first, 'the endpoint responded with 500')
    expect(await named(first)).toBe(`delivery:${first}`)
    await recordOutcome(first, null)
    expect([await named(first), await named(second)]).toEqual([`delivery:${first}`, null])

    // A lane makes the first attempt; the remaining ones have a workflow.
    expect(await newLane().claim(20)).toHaveLength(1)
    expect(await named(second)).toBeNull()
    await recordOutcome(second, 'the endpoint responded with 500', { inWorkflow: false })
    expect(await named(second)).toBeNull()
    const retries = createClaims(sql, 'workflows')
    await retries.handOver(await retries.claim(20))
    expect(await named(second)).toBe(`delivery:${second}`)
  })

  test('by a lane takes one, again after the lane died, and never two', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    const [lane, other] = [newLane(), newLane()]
    const ids = async (lane: Claimer) => (await lane.claim(20)).map(({ id }) => id)
    expect(await ids(lane)).toEqual([first])
    expect(await ids(other)).toEqual([])
    expect(await claim()).toEqual([])
    await sql`UPDATE claimers SET until = now() - interval '1 second' WHERE id = ${lane.ids()[0] ?? ''}`
    const claimed = await until('the other one claims it', async () => {
      const [entry] = await other.claim(20)
      return entry
    })
    expect(claimed.id).toBe(first)
    await recordOutcome(first, null)
    other.finish(claimed)
    expect(await ids(other)).toEqual([second])
  })

  test('takes a delivery that was returned to the outbox before later ones', async () => {
    const [first = ''] = await sample.deliveries(2)
    await claim()
    await startRunAgain(sql, { id: first, run: 1 })
    expect(await claim()).toEqual([first])
  })

  test('takes redeliveries and test deliveries outside the order', async () => {
    const [first = '', second = ''] = await sample.deliveries(2)
    await claim()
    await end(first)
    expect(await claim()).toEqual([second])
    await sql.begin(tx => redeliver(tx, caller, sample.webhookId, first))
    const sampleId = await sql.begin(tx => recordTestEvent(tx, caller, sample.webhookId))
    expect(await claim()).toEqual([first, sampleId].sort())
    expect(await findDelivery(sql, sample.cipher, caller, first)).toMatchObject({ sequence: null })
    const [third = ''] = await sample.deliveries(1)
    await end(second)
    expect(await claim()).toEqual([third])
  })

  test('takes the first in the order before later redeliveries', async () => {
    const many = await sample.deliveries(30)
    for (const id of many) await end(id)
    const [next = ''] = await sample.deliveries(1)
    await sql.begin(async tx => {
      for (const id of many) await redeliver(tx, caller, sample.webhookId, id)
    })
    expect(await claim()).toContain(next)
  })

  test('takes nothing in the order while the webhook is paused, and the first when it is resumed', async () => {
    const [first = ''] = await sample.deliveries(2)
    await sql`UPDATE webhooks SET paused_at = now()`
    expect(await claim()).toEqual([])
    await sql.begin(tx => setPaused(tx, caller, sample.webhookId, false))
    expect(await claim()).toEqual([first])
  })

  test('takes all waiting deliveries of a deleted webhook, so that they end', async () => {
    const ids = await sample.deliveries(3)
    await claim()
    await sql.begin(tx => deleteWebhook(tx, caller, sample.webhookId))
    expect(await claim()).toEqual(ids.slice(1))
  })
})
