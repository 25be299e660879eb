import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { tsToMs } from '@temporalio/common/lib/time'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { connectTemporal } from '../../src/temporal/connection'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { type Arden, startArden, useArden } from '../support/arden'
import { LANES, settingsOf } from '../support/lanes'
import { spawnArden } from '../support/process'
import { startReceiver, useReceiver } from '../support/receiver'
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

test('two workers killed in mid-send use up no attempt: the second one begins 5 s after the first failure', async () => {
  const arden = await useArden({ serve: true })
  const receiver = useReceiver((_, count) =>
    count <= 2 ? new Promise(() => {}) : new Response('', { status: count === 3 ? 500 : 200 }),
  )
  const live = await arden.client()
  await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
  const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
  await live.post('/articles', { project_id, title: 't' })
  for (const count of [1, 2]) {
    const doomed = await spawnArden('worker', arden.env)
    await until(`request ${count} is in progress`, () => receiver.received.length === count)
    await doomed.kill('SIGKILL')
  }
  const last = await spawnArden('worker', arden.env)
  const id = receiver.received[0]?.headers['x-webhook-delivery-id'] ?? ''
  await until(
    'it is DELIVERED',
    async () => {
      const [row] = await arden.sql`SELECT status FROM deliveries WHERE id = ${id}`
      return row?.status === 'DELIVERED'
    },
    150,
  )
  const config = readConfig(arden.env)
  const temporal = await connectTemporal(config, createLog(config))
  const history = await temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1)).fetchHistory()
  const timers = (history.events ?? []).flatMap(event => event.timerStartedEventAttributes ?? [])
  expect(timers.map(timer => Math.ceil(tsToMs(timer.startToFireTimeout) / 1000))).toEqual([5])
  await temporal.connection.close()
  await last.kill('SIGTERM')
}, 240_000)
