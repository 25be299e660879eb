import { expect, test } from 'bun:test'
import { noMeter } from '../../src/metrics/meter'
import { dispatchOnce } from '../../src/outbox/dispatcher'
import { createDeliveryOutbox } from '../../src/webhooks/dispatch/outbox'
import { until } from '../support/until'
import { useDeliver } from '../support/webhooks/deliver'

const MANY = 120
const FEW = 9

const { receiver, sender, newWebhook, workflow } = await useDeliver()

const outbox = createDeliveryOutbox(sender.sql, 'attempts')

const handOver = async (count: number) => {
  const deps = {
    sql: sender.sql,
    client: sender.temporal.client,
    taskQueue: sender.taskQueue,
    attributeRegistration: { isUsable: () => false, ensure: async () => {} },
    log: { warn() {}, info() {} } as never,
    meter: noMeter,
  }
  expect(await dispatchOnce(outbox, deps, count)).toMatchObject({ started: count })
}

test('of workflows that wait for workers, those of an account with few do not wait for those of an account with many', async () => {
  await sender.deliveries(MANY)
  await handOver(MANY)
  const { deliveries } = await newWebhook()
  const ids = await deliveries(FEW)
  await handOver(FEW)

  await sender.work()
  await until('all are sent', () => receiver.received.length >= MANY + FEW)
  const all = await sender.sql<{ id: string }[]>`SELECT id FROM deliveries`
  const started = await Promise.all(
    all.map(async ({ id }) => ({ id, at: await firstTaskStartedAt(id) })),
  )
  started.sort((a, b) => a.at - b.at)
  const places = started.flatMap(({ id }, place) => (ids.includes(id) ? [place] : []))
  // In the order of their starts all come after those of the other account. The first third of them, because Temporal
  // takes turns within each partition of a task queue, and the workers poll one partition more than another.
  expect(places[FEW / 3 - 1]).toBeLessThan(MANY / 2)
})

const firstTaskStartedAt = async (id: string): Promise<number> => {
  const { events } = await workflow(id).fetchHistory()
  const started = events?.find(one => one.workflowTaskStartedEventAttributes)?.eventTime
  return Number(started?.seconds) * 1000 + Number(started?.nanos) / 1_000_000
}
