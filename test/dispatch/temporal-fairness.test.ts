import { expect, test } from 'bun:test'
import { noMeter } from '../../src/metrics/meter'
import { dispatchOnce } from '../../src/outbox/dispatcher'
import { deliveryOutbox } from '../../src/webhooks/dispatch/outbox'
import { until } from '../support/until'
import { useDeliver } from '../support/webhooks/deliver'

const MANY = 120
const FEW = 9

const { receiver, sender, newWebhook, requests } = await useDeliver()

const handOver = async (count: number) => {
  const deps = {
    sql: sender.sql,
    client: sender.temporal.client,
    taskQueue: sender.taskQueue,
    attributeRegistration: { isUsable: () => false, ensure: async () => {} },
    log: { warn() {}, info() {} } as never,
    meter: noMeter,
  }
  expect(await dispatchOnce(deliveryOutbox, deps, count)).toMatchObject({ started: count })
}

test('of workflows that wait for workers, those of an account with few do not wait for those of an account with many', async () => {
  await sender.deliveries(MANY)
  await handOver(MANY)
  const { deliveries } = await newWebhook()
  const ids = await deliveries(FEW)
  await handOver(FEW)

  await sender.work()
  await until('all are sent', () => receiver.received.length >= MANY + FEW)
  const places = ids.map(id => receiver.received.indexOf(requests(id)[0] ?? raise(id)))
  // In the order of their starts they are the last. The median, because Temporal takes turns within each partition of
  // a task queue: a task of another partition can come later.
  expect(places.sort((a, b) => a - b)[Math.floor(FEW / 2)]).toBeLessThan(MANY / 2)
})

const raise = (id: string) => {
  throw new Error(`nothing was sent for ${id}`)
}
