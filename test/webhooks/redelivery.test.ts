import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { LANES, settingsOf } from '../support/lanes'
import { useReceiver } from '../support/receiver'
import {
  finalDeliveries,
  type Hook,
  makeArticles,
  oneAttemptEach,
  subscribe,
} from '../support/webhooks/webhooks'

// Contract 5.13: a new, deliberate run of a delivery, one or many.

describe.each(LANES)('with a workflow %s', async lane => {
  /** The status of the receiver's response. */
  let status = 200
  const receiver = useReceiver(() => new Response(`response ${status}`, { status }))
  const arden = await useArden({ serve: true, worker: true }, settingsOf(lane))
  const live = await arden.client()

  const redeliver = (hook: Hook, id: string) =>
    live.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`)
  const detail = async (hook: Hook, id: string) =>
    (await live.get(`/webhooks/${hook.id}/deliveries/${id}`)).body.data
  const sentOf = (id: string) =>
    receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)

  describe('POST /webhooks/<id>/deliveries/<id>/redeliver', () => {
    test('from DELIVERED: 202 with the record, the same id and body, the attempt numbered on', async () => {
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const [first] = await finalDeliveries(live, hook, 1)
      const { status, body } = await redeliver(hook, first.id)
      expect(status).toBe(202)
      expect(body.data).toMatchObject({
        id: first.id,
        status: 'RETRYING',
        attempt_count: 1,
        delivered_at: null,
        error: null,
        workflow_id: `delivery:${first.id}:2`,
      })
      await finalDeliveries(live, hook, 1)
      const after = await detail(hook, first.id)
      expect(after).toMatchObject({ status: 'DELIVERED', attempt_count: 2, http_status: 200 })
      expect(after.attempts.map((one: { number: number }) => one.number)).toEqual([1, 2])
      expect(sentOf(first.id)).toHaveLength(2)
      expect(new Set(sentOf(first.id).map(one => one.body)).size).toBe(1)
    })

    test('of a webhook that was deleted: 404 that says so', async () => {
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const [sent] = await finalDeliveries(live, hook, 1)
      await live.delete(`/webhooks/${hook.id}`)
      expect(await redeliver(hook, sent.id)).toMatchObject({
        status: 404,
        body: {
          error: 'NOT_FOUND',
          message: `The webhook ${hook.id} was deleted, so its deliveries cannot be sent again.`,
        },
      })
      const stranger = await arden.client({ accountId: await arden.newAccount() })
      const path = `/webhooks/${hook.id}/deliveries/${sent.id}/redeliver`
      expect((await stranger.post(path)).body.message).toStartWith('No webhook with the id')
    })

    test('from FAILED because the webhook was disabled: sent once it is enabled, 409 until then', async () => {
      const hook = await subscribe(live, receiver.url)
      await live.patch(`/webhooks/${hook.id}`, { enabled: false })
      await makeArticles(live, 1)
      const [kept] = await finalDeliveries(live, hook, 1)
      expect(kept).toMatchObject({ status: 'FAILED', error: 'the webhook is disabled' })
      expect(await redeliver(hook, kept.id)).toMatchObject({
        status: 409,
        body: { error: 'CONFLICT', message: expect.stringContaining('is disabled') },
      })
      await live.patch(`/webhooks/${hook.id}`, { enabled: true })
      expect((await redeliver(hook, kept.id)).status).toBe(202)
      const [sent] = await finalDeliveries(live, hook, 1)
      expect(sent).toMatchObject({ status: 'DELIVERED', attempt_count: 1, error: null })
      expect(sentOf(kept.id)).toHaveLength(1)
    })

    test('of ten concurrent requests exactly one succeeds, the others get 409, and it is sent once', async () => {
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const [first] = await finalDeliveries(live, hook, 1)
      await live.post(`/webhooks/${hook.id}/pause`)
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => redeliver(hook, first.id)),
      )
      expect(responses.map(one => one.status).sort()).toEqual([202, ...Array(9).fill(409)])
      await live.post(`/webhooks/${hook.id}/resume`)
      await finalDeliveries(live, hook, 1)
      expect(sentOf(first.id)).toHaveLength(2)
    })

    test('with an Idempotency-Key, a repeated call gets the same response and sends nothing more', async () => {
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const [first] = await finalDeliveries(live, hook, 1)
      const path = `/webhooks/${hook.id}/deliveries/${first.id}/redeliver`
      const key = { 'idempotency-key': 'once' }
      const responses = [await live.post(path, {}, key), await live.post(path, {}, key)]
      expect(responses[1]?.body).toEqual(responses[0]?.body)
      await finalDeliveries(live, hook, 1)
      expect(sentOf(first.id)).toHaveLength(2)
    })

    test('an unknown delivery, and one of another webhook, mode or account, is a 404', async () => {
      const hook = await subscribe(live, receiver.url)
      const other = await subscribe(live, receiver.url, ['article.deleted'])
      await makeArticles(live, 1)
      const [{ id }] = await finalDeliveries(live, hook, 1)
      const testMode = await arden.client({ mode: 'test' })
      const { accountId } = await createCaller(arden.sql)
      const stranger = await arden.client({ accountId })
      for (const response of [
        await redeliver(hook, 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne'),
        await redeliver(hook, 'nonsense'),
        await redeliver(other, id),
        await testMode.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`),
        await stranger.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`),
      ])
        expect([response.status, response.body.error]).toEqual([404, 'NOT_FOUND'])
    })
  })

  describe('POST /webhooks/<id>/redeliver', () => {
    const redeliverFailed = (hook: Hook, body: object = { status: 'FAILED' }) =>
      live.post(`/webhooks/${hook.id}/redeliver`, body)

    test('sends everything FAILED again, and nothing else; those made after created_after', async () => {
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const [delivered] = await finalDeliveries(live, hook, 1)
      status = 503
      const failed = await oneAttemptEach(arden, live, hook, 5)
      expect(failed.map(one => [one.status, one.error])).toEqual(
        Array(5).fill(['FAILED', 'the endpoint responded with 503']),
      )
      status = 200
      const [newest, , third] = failed
      expect(
        await redeliverFailed(hook, { status: 'FAILED', created_after: newest.created_at }),
      ).toMatchObject({ status: 202, body: { data: { count: 0 } } })
      expect(
        await redeliverFailed(hook, { status: 'FAILED', created_after: third.created_at }),
      ).toMatchObject({ status: 202, body: { data: { count: 2 } } })
      expect((await redeliverFailed(hook)).body).toEqual({ data: { count: 3 } })
      const all = await finalDeliveries(live, hook, 6)
      expect(all.map(one => [one.status, one.attempt_count])).toEqual([
        ...Array(5).fill(['DELIVERED', 2]),
        ['DELIVERED', 1],
      ])
      expect(sentOf(delivered.id)).toHaveLength(1)
    })

    test('two concurrent calls send each once', async () => {
      const hook = await subscribe(live, receiver.url)
      await live.patch(`/webhooks/${hook.id}`, { enabled: false })
      await makeArticles(live, 10)
      await live.patch(`/webhooks/${hook.id}`, { enabled: true })
      const counts = (await Promise.all([redeliverFailed(hook), redeliverFailed(hook)])).map(
        one => one.body.data.count,
      )
      expect(counts.sort()).toEqual([0, 10])
      const all = await finalDeliveries(live, hook, 10)
      expect(all.map(one => sentOf(one.id).length)).toEqual(Array(10).fill(1))
    })

    test('is a 409 while the webhook is disabled, a 404 for one that is not there, and takes FAILED only', async () => {
      const hook = await subscribe(live, receiver.url)
      expect((await redeliverFailed(hook, { status: 'DELIVERED' })).status).toBe(422)
      expect((await redeliverFailed(hook, {})).status).toBe(422)
      await live.patch(`/webhooks/${hook.id}`, { enabled: false })
      expect((await redeliverFailed(hook)).body.error).toBe('CONFLICT')
      await live.delete(`/webhooks/${hook.id}`)
      expect((await redeliverFailed(hook)).body.error).toBe('NOT_FOUND')
    })
  })

  test('a redelivered run may make three attempts more; 409 until it ends', async () => {
    const hook = await subscribe(live, receiver.url)
    await makeArticles(live, 1)
    const [first] = await finalDeliveries(live, hook, 1)
    await live.post(`/webhooks/${hook.id}/pause`)
    expect((await redeliver(hook, first.id)).status).toBe(202)
    const [row] = await arden.sql`SELECT attempt_limit FROM deliveries WHERE id = ${first.id}`
    expect(row).toEqual({ attempt_limit: 4 })
    expect((await redeliver(hook, first.id)).body.error).toBe('CONFLICT')
    await live.post(`/webhooks/${hook.id}/resume`)
    await finalDeliveries(live, hook, 1)
  })
})
