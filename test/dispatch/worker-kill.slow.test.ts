import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Arden, startArden } from '../support/arden'
import { LANES, settingsOf } from '../support/lanes'
import { spawnArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

describe.each(LANES)('with a workflow %s', lane => {
  let arden: Arden

  beforeAll(async () => {
    arden = await startArden({ serve: true }, settingsOf(lane))
  })
  afterAll(() => arden.stop())

  test('a worker killed in mid-send: the delivery ends DELIVERED, with the same delivery id, by another worker', async () => {
    const held = Promise.withResolvers<Response>()
    const receiver = startReceiver(() =>
      receiver.received.length === 1 ? held.promise : new Response('ok'),
    )
    const live = await arden.client()
    const doomed = await spawnArden('worker', arden.env)
    const { id: webhook } = (
      await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
    ).body.data
    const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
    await live.post('/articles', { project_id, title: 't' })
    await until('the first send is under way', () => receiver.received.length === 1)

    await doomed.kill('SIGKILL')
    const heir = await spawnArden('worker', arden.env)
    const record = await until(
      'the delivery is DELIVERED',
      async () => (await live.get(`/webhooks/${webhook}/deliveries?status=DELIVERED`)).body.data[0],
      60,
    )
    // What was sent but not recorded is no attempt (contract 5.4), and uses none of the three.
    expect(record.attempt_count).toBe(1)
    expect(receiver.received.map(one => one.headers['x-webhook-delivery-id'])).toEqual([
      record.id,
      record.id,
    ])

    held.resolve(new Response('too late'))
    await heir.kill('SIGTERM')
    receiver.stop()
  })
})
