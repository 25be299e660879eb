import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import type { Client } from '../support/client'
import { LANES, settingsOf } from '../support/lanes'
import { runArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { LATE_MS, until } from '../support/until'
import {
  deliveriesOf,
  finalDeliveries,
  type Hook,
  makeArticles,
  subscribe,
} from '../support/webhooks/webhooks'

// Contract 4.12, pause and resume: nothing is sent, nothing is lost.

describe.each(LANES)('with a workflow %s', async lane => {
  const arden = await useArden({ serve: true, worker: true }, settingsOf(lane))
  const newAccount = async () => {
    const accountId = await arden.newAccount()
    return { accountId, live: await arden.client({ accountId }) }
  }
  const temporal = await useTemporal(arden.env)

  /** Waits until everything that is due was sent: an event created now has arrived at another receiver. */
  const dispatched = async (live: Client) => {
    const receiver = startReceiver()
    const hook = await subscribe(live, receiver.url, ['keyword.created'])
    const { id } = (await live.post('/projects', { name: 'p' })).body.data
    for (const keyword of ['one', 'two']) {
      await live.post(`/projects/${id}/keywords`, { keyword })
      await until(
        `${keyword} arrives`,
        () => receiver.received.length >= (keyword === 'one' ? 1 : 2),
      )
    }
    await live.delete(`/webhooks/${hook.id}`)
    receiver.stop()
  }

  /** The workflow of the webhook's delivery, whose first attempt has failed. */
  const workflowOfRetry = (live: Client, hook: Hook) =>
    until('the first attempt failed, and its workflow waits', async () => {
      const [one] = await deliveriesOf(live, hook)
      if (one?.attempt_count !== 1) return undefined
      const handle = temporal.client.workflow.getHandle(`delivery:${one.id}`)
      // After the first attempt of the lane it has yet to be started.
      return handle.describe().then(
        () => handle,
        () => undefined,
      )
    })

  const audit = async (subject: string) =>
    (
      await arden.sql`
      SELECT action, actor_type FROM audit_entries WHERE subject_id = ${subject} ORDER BY id`
    ).map(one => [one.action, one.actor_type])

  describe('a paused webhook', () => {
    test.concurrent('gets nothing, test deliveries included; all of it at once when it is resumed', async () => {
      const { live } = await newAccount()
      const receiver = startReceiver()
      const hook = await subscribe(live, receiver.url)
      const paused = await live.post(`/webhooks/${hook.id}/pause`)
      expect([paused.status, paused.body.data.paused, paused.body.data.enabled]).toEqual([
        200,
        true,
        true,
      ])
      await makeArticles(live, 5)
      expect((await live.post(`/webhooks/${hook.id}/test`)).status).toBe(202)
      await dispatched(live)
      expect(receiver.received).toEqual([])
      const waiting = await deliveriesOf(live, hook)
      expect(waiting.map(one => [one.status, one.attempt_count])).toEqual(
        Array(6).fill(['RETRYING', 0]),
      )

      const resumed = await live.post(`/webhooks/${hook.id}/resume`)
      expect([resumed.status, resumed.body.data.paused]).toEqual([200, false])
      const began = performance.now()
      const sent = await finalDeliveries(live, hook, 6)
      expect(performance.now() - began).toBeLessThan(5_000 + LATE_MS)
      expect(sent.map(one => [one.status, one.attempt_count])).toEqual(
        Array(6).fill(['DELIVERED', 1]),
      )
      expect(receiver.received).toHaveLength(6)
      receiver.stop()
    })

    test.concurrent('while a request is under way: that one ends and is recorded, the next one waits', async () => {
      const { live } = await newAccount()
      const held = Promise.withResolvers<void>()
      const receiver = startReceiver(() => held.promise.then(() => new Response('ok')))
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      await until('the request is under way', () => receiver.received.length === 1)
      await live.post(`/webhooks/${hook.id}/pause`)
      await makeArticles(live, 1)
      held.resolve()
      const [next, first] = await until('the first one is DELIVERED', async () => {
        const both = await deliveriesOf(live, hook)
        return both[1]?.status === 'DELIVERED' ? both : undefined
      })
      expect([first.attempt_count, next.status, next.attempt_count]).toEqual([1, 'RETRYING', 0])
      await live.post(`/webhooks/${hook.id}/resume`)
      await finalDeliveries(live, hook, 2)
      expect(receiver.received).toHaveLength(2)
      receiver.stop()
    })

    test.concurrent('says so in its record; pausing twice is one entry in the audit history', async () => {
      const { accountId, live } = await newAccount()
      const hook = await subscribe(live, 'http://127.0.0.1:9')
      expect((await live.get(`/webhooks/${hook.id}`)).body.data.paused).toBe(false)
      for (const call of ['pause', 'pause', 'resume', 'resume'])
        expect((await live.post(`/webhooks/${hook.id}/${call}`)).status).toBe(200)
      expect(await audit(hook.id)).toEqual([
        ['webhook.created', 'key'],
        ['webhook.paused', 'key'],
        ['webhook.resumed', 'key'],
      ])
      const testMode = await arden.client({ accountId, mode: 'test' })
      expect((await testMode.post(`/webhooks/${hook.id}/pause`)).status).toBe(404)
    })

    test.concurrent('whose delivery waits for its next attempt: not made, its workflow ends PAUSED, and another continues', async () => {
      const { live } = await newAccount()
      const receiver = startReceiver(
        (_, count) => new Response(`response ${count}`, { status: count === 1 ? 500 : 200 }),
      )
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const workflow = await workflowOfRetry(live, hook)
      await live.post(`/webhooks/${hook.id}/pause`)
      expect(await workflow.result()).toEqual({ status: 'PAUSED' })
      await dispatched(live)
      expect(receiver.received).toHaveLength(1)
      const [waiting] = await deliveriesOf(live, hook)
      expect(waiting).toMatchObject({
        status: 'RETRYING',
        attempt_count: 1,
        error: 'the endpoint responded with 500',
      })

      await live.post(`/webhooks/${hook.id}/resume`)
      const [sent] = await finalDeliveries(live, hook, 1)
      expect(sent).toMatchObject({
        status: 'DELIVERED',
        attempt_count: 2,
        response_body: 'response 2',
      })
      expect(sent.workflow_id).toBe(lane === 'every' ? `delivery:${sent.id}:2` : null)
      expect(receiver.received).toHaveLength(2)
      receiver.stop()
    })

    test.concurrent('that is disabled as well: what waits for its next attempt ends FAILED when it is resumed', async () => {
      const { live } = await newAccount()
      const receiver = startReceiver(() => new Response('no', { status: 500 }))
      const hook = await subscribe(live, receiver.url)
      await makeArticles(live, 1)
      const workflow = await workflowOfRetry(live, hook)
      await live.post(`/webhooks/${hook.id}/pause`)
      await live.patch(`/webhooks/${hook.id}`, { enabled: false })
      expect(await workflow.result()).toEqual({ status: 'PAUSED' })
      const [waiting] = await deliveriesOf(live, hook)
      expect(waiting).toMatchObject({ status: 'RETRYING', attempt_count: 1 })

      await live.post(`/webhooks/${hook.id}/resume`)
      const [failed] = await finalDeliveries(live, hook, 1)
      expect(failed).toMatchObject({
        status: 'FAILED',
        attempt_count: 1,
        error: 'the webhook is disabled',
      })
      expect(receiver.received).toHaveLength(1)
      receiver.stop()
    })

    test.concurrent('that is deleted ends what waits FAILED, with that reason', async () => {
      const { live } = await newAccount()
      const hook = await subscribe(live, 'http://127.0.0.1:9')
      await live.post(`/webhooks/${hook.id}/pause`)
      await makeArticles(live, 1)
      await live.delete(`/webhooks/${hook.id}`)
      const found = await until('it is FAILED', async () => {
        const { data } = (await live.get(`/deliveries?webhook_id=${hook.id}`)).body
        return data[0]?.status === 'FAILED' ? data[0] : undefined
      })
      expect(found).toMatchObject({ error: 'the webhook was deleted', attempt_count: 0 })
    })
  })

  describe('arden pause and arden resume', () => {
    test('stop all deliveries and start them again, with an entry in the audit history of each account', async () => {
      const { accountId, live } = await newAccount()
      const receiver = startReceiver()
      const other = startReceiver()
      const env = { DATABASE_URL: arden.env.DATABASE_URL ?? '' }
      const hooks = [await subscribe(live, receiver.url), await subscribe(live, other.url)] as const
      await live.post(`/webhooks/${hooks[1].id}/pause`)
      expect(await runArden(['pause'], env)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('no attempt begins'),
      })
      expect((await runArden(['pause'], env)).stdout).toContain('paused already')
      await makeArticles(live, 3)
      await Bun.sleep(2_500) // Two sweeps, which find nothing they may claim.
      expect([...receiver.received, ...other.received]).toEqual([])

      expect((await runArden(['resume'], env)).code).toBe(0)
      await finalDeliveries(live, hooks[0], 3)
      expect(receiver.received).toHaveLength(3)
      expect(other.received).toEqual([]) // Paused by itself, it stays so.
      expect((await runArden(['resume'], env)).stdout).toContain('not paused')
      await live.post(`/webhooks/${hooks[1].id}/resume`)
      await finalDeliveries(live, hooks[1], 3)

      expect((await audit(accountId)).slice(-2)).toEqual([
        ['deliveries.paused', 'cli'],
        ['deliveries.resumed', 'cli'],
      ])
      receiver.stop()
      other.stop()
    })

    test('take effect at once while a failing webhook is locked, and restart its count', async () => {
      const { live } = await newAccount()
      const env = { DATABASE_URL: arden.env.DATABASE_URL ?? '' }
      const { id } = await subscribe(live, 'http://127.0.0.1:9/')
      await arden.sql`UPDATE webhooks SET failing_since = clock_timestamp() WHERE id = ${id}`
      const state = async () =>
        (await arden.sql`SELECT paused, failing_since FROM webhook_states WHERE id = ${id}`)[0]
      expect(await state()).toMatchObject({ paused: false, failing_since: expect.any(Date) })
      await arden.sql.begin(async tx => {
        await tx`SELECT FROM webhooks WHERE id = ${id} FOR UPDATE`
        expect((await runArden(['pause'], env)).code).toBe(0)
        expect(await state()).toEqual({ paused: true, failing_since: null })
        expect((await runArden(['resume'], env)).code).toBe(0)
      })
      expect(await state()).toEqual({ paused: false, failing_since: null })
    })
  })
})
