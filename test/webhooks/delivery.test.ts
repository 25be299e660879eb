import { describe, expect, test } from 'bun:test'
import { sign, verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { startArden, useArden } from '../support/arden'
import { LANES, settingsOf } from '../support/lanes'
import { type ReceivedRequest, startReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'

describe.each(LANES)('with a workflow %s', async lane => {
  const arden = await useArden({ serve: true, worker: true }, settingsOf(lane))
  const live = await arden.client()
  const { connection } = await useTemporal(arden.env)

  const subscribe = async (url: string, events: string[], as = live) =>
    (await as.post('/webhooks', { url, events })).body.data as {
      id: string
      secret: string
      standard_webhooks_secret: string
    }

  const newArticle = async (as = live, body = {}) => {
    const { id } = (await as.post('/projects', { name: 'Blog' })).body.data
    return (await as.post('/articles', { project_id: id, title: 'Hello', ...body })).body.data as {
      id: string
    }
  }

  const deliveries = async (webhookId: string, query = '') =>
    (await live.get(`/webhooks/${webhookId}/deliveries${query}`)).body.data

  const delivered = (webhookId: string) =>
    until(
      'a delivery is DELIVERED',
      async () => (await deliveries(webhookId, '?status=DELIVERED'))[0],
    )

  const first = (receiver: { received: ReceivedRequest[] }) =>
    until('a webhook arrives', () => receiver.received[0])

  describe('an article is made with a bearer key, and a signed webhook arrives', () => {
    test('the envelope, the headers and the record are as the specification says', async () => {
      const receiver = startReceiver(() => new Response('thank you', { status: 202 }))
      const webhook = await subscribe(receiver.url, ['article.created'])
      const { id: webhookId, secret } = webhook
      const article = await newArticle()
      const { headers, body, path } = await first(receiver)

      expect(path).toBe('/')
      const envelope = JSON.parse(body)
      expect(Object.keys(envelope)).toEqual(['id', 'event', 'created_at', 'data'])
      expect(envelope.id).toMatch(/^evt_[0-9a-z]{26}$/)
      expect(envelope.event).toBe('article.created')
      expect(envelope.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(envelope.data.article_id).toBe(article.id)

      expect(headers['x-webhook-event']).toBe('article.created')
      expect(headers['x-webhook-delivery-id']).toMatch(/^dlv_[0-9a-z]{26}$/)
      expect(headers['x-webhook-timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(headers['content-type']).toBe('application/json')
      expect(headers['user-agent']).toBe('Arden-Webhook/1.0')

      // Verified by code not written here, over the raw bytes.
      const signature = headers['x-webhook-signature'] ?? ''
      expect(secret).toMatch(/^[0-9a-f]{64}$/)
      expect(await verify(secret, body, signature)).toBe(true)
      expect(await sign(secret, body)).toBe(signature)
      expect(await verify(secret, `${body} `, signature)).toBe(false)
      expect(webhook.standard_webhooks_secret).toStartWith('whsec_')
      const standard = new Webhook(webhook.standard_webhooks_secret)
      expect(standard.verify(body, headers)).toEqual(envelope)
      expect(headers['webhook-id']).toBe(headers['x-webhook-delivery-id'] as string)

      const record = await delivered(webhookId)
      expect(record).toMatchObject({
        id: headers['x-webhook-delivery-id'],
        webhook_id: webhookId,
        event_id: envelope.id,
        event: 'article.created',
        test: false,
        status: 'DELIVERED',
        http_status: 202,
        response_body: 'thank you',
        attempt_count: 1,
        next_attempt_at: null,
        error: null,
        workflow_id: lane === 'every' ? `delivery:${headers['x-webhook-delivery-id']}` : null,
      })
      receiver.stop()
    })

    if (lane === 'every')
      test('its workflow is in Temporal, to be found by its search attributes, and its id is in the record', async () => {
        const receiver = startReceiver()
        const { id: webhookId } = await subscribe(receiver.url, ['article.created'])
        await newArticle()
        const { workflow_id } = await delivered(webhookId)
        const query = `ArdenWebhook = '${webhookId}' AND ArdenAccount = '${arden.accountId}' AND ArdenEvent = 'article.created' AND ExecutionStatus = 'Completed'`
        const found = await until('the workflow is listed', async () => {
          const { executions } = await connection.workflowService.listWorkflowExecutions({
            namespace: 'default',
            query,
          })
          return executions[0]
        })
        expect(found.execution?.workflowId).toBe(workflow_id)
        expect(found.type?.name).toBe('deliverWebhook')
        receiver.stop()
      })

    test('the four article events fire, each to whom subscribed to it', async () => {
      const all = startReceiver()
      const some = startReceiver()
      const types = ['article.created', 'article.updated', 'article.published', 'article.deleted']
      await subscribe(all.url, types)
      await subscribe(some.url, ['article.deleted'])
      const { id } = await newArticle()
      await live.patch(`/articles/${id}`, { status: 'PUBLISHED' })
      await live.delete(`/articles/${id}`)
      await until('all four arrive', () => all.received.length === 4)
      await until('the one arrives', () => some.received.length === 1)
      const events = (receiver: { received: ReceivedRequest[] }) =>
        receiver.received.map(one => JSON.parse(one.body)).sort((a, b) => (a.id < b.id ? -1 : 1))
      expect(
        events(all)
          .map(one => one.event)
          .sort(),
      ).toEqual(types.sort())
      expect(events(all).map(one => one.data.article_id)).toEqual([id, id, id, id])
      expect(events(some).map(one => one.event)).toEqual(['article.deleted'])
      all.stop()
      some.stop()
    })

    test('a deleted project sends article.deleted for each of its articles', async () => {
      const receiver = startReceiver()
      await subscribe(receiver.url, ['article.deleted'])
      const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
      for (const title of ['a', 'b']) await live.post('/articles', { project_id, title })
      await live.delete(`/projects/${project_id}`)
      await until('both arrive', () => receiver.received.length === 2)
      receiver.stop()
    })

    test('events of test-mode records go only to webhooks made in test mode, and the reverse', async () => {
      const tester = await arden.client({ mode: 'test' })
      const [toLive, toTest] = [startReceiver(), startReceiver()]
      await subscribe(toLive.url, ['article.created'])
      await subscribe(toTest.url, ['article.created'], tester)
      const inTest = await newArticle(tester)
      const inLive = await newArticle()
      await until('both arrive', () => toLive.received.length > 0 && toTest.received.length > 0)
      const ids = (receiver: { received: ReceivedRequest[] }) =>
        receiver.received.map(one => JSON.parse(one.body).data.article_id)
      expect(ids(toLive)).toEqual([inLive.id])
      expect(ids(toTest)).toEqual([inTest.id])
      toLive.stop()
      toTest.stop()
    })

    test('what was committed while no worker ran is delivered when one comes', async () => {
      const alone = await startArden({ serve: true }, settingsOf(lane))
      const receiver = startReceiver()
      const someone = await alone.client()
      await subscribe(receiver.url, ['article.created'], someone)
      await newArticle(someone)
      const config = readConfig(alone.env)
      const worker = await start(config, { worker: true }, createLog(config))
      await first(receiver)
      await worker.stop()
      await alone.stop()
      receiver.stop()
    })
  })

  describe('POST /webhooks/<id>/test', () => {
    test('sends generation.completed with placeholder ids and a genuine signature, whatever the subscription, and also when disabled', async () => {
      const receiver = startReceiver()
      const { id, secret } = await subscribe(receiver.url, ['article.deleted'])
      await live.patch(`/webhooks/${id}`, { enabled: false })
      const response = await live.post(`/webhooks/${id}/test`)
      expect(response.status).toBe(202)
      expect(response.body.data).toMatchObject({
        test: true,
        status: 'RETRYING',
        event: 'generation.completed',
      })
      const { headers, body } = await first(receiver)
      expect(headers['x-webhook-delivery-id']).toBe(response.body.data.id)
      expect(await verify(secret, body, headers['x-webhook-signature'] ?? '')).toBe(true)
      const { event, data } = JSON.parse(body)
      expect(event).toBe('generation.completed')
      expect(Object.keys(data).sort()).toEqual([
        'article_id',
        'generation_id',
        'keyword',
        'project_id',
        'status',
      ])
      expect(data.status).toBe('COMPLETED')
      expect((await delivered(id)).test).toBe(true)
      receiver.stop()
    })
  })

  describe('POST /webhooks/<id>/rotate-secret', () => {
    test('takes effect for every attempt that begins after it', async () => {
      const receiver = startReceiver()
      const { id, secret: old } = await subscribe(receiver.url, ['article.created'])
      const rotated = await live.post(`/webhooks/${id}/rotate-secret`, {})
      const fresh = rotated.body.data.secret
      expect(fresh).not.toBe(old)
      await newArticle()
      const { headers, body } = await first(receiver)
      expect(await verify(fresh, body, headers['x-webhook-signature'] ?? '')).toBe(true)
      expect(await verify(old, body, headers['x-webhook-signature'] ?? '')).toBe(false)
      receiver.stop()
    })
  })

  describe('a webhook that is disabled', () => {
    test('its events are kept as FAILED with that reason and no attempt', async () => {
      const receiver = startReceiver()
      const { id } = await subscribe(receiver.url, ['article.created'])
      await live.patch(`/webhooks/${id}`, { enabled: false })
      await newArticle()
      expect(await deliveries(id, '?status=FAILED')).toEqual([
        expect.objectContaining({
          status: 'FAILED',
          attempt_count: 0,
          error: 'the webhook is disabled',
        }),
      ])
      expect(receiver.received).toEqual([])
      receiver.stop()
    })
  })
})
