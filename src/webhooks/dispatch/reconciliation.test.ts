import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until'
import { useSender } from '../../../test/support/webhooks/sender'
import { noMeter } from '../../metrics/meter'
import { dispatchOnce } from '../../outbox/dispatcher'
import { reconcileOnce } from '../../outbox/reconciliation'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import { KIND } from '../queue/entry'
import { createDeliveryOutbox, deliveryJobs } from './outbox'
import { failDelivery } from './store'

const sender = await useSender('https://hooks.example.com/in')

/** A delivery past `check_at` whose workflow runs, or waits for a worker. */
const overdue = async (started = true) => {
  const [id = ''] = await sender.deliveries(1)
  if (started) {
    const { sql, temporal, taskQueue } = sender
    const log = { warn() {}, info() {} } as never
    const deps = {
      sql,
      client: temporal.client,
      taskQueue,
      attributeRegistration: { isUsable: () => false, ensure: async () => {} },
      log,
      meter: noMeter,
    }
    const outbox = createDeliveryOutbox(sql, 'attempts')
    await dispatchOnce(outbox, deps, 10)
    // Otherwise the next dispatcher leaves its deliveries to this one for a moment.
    await outbox.stop?.()
  }
  await sender.sql`
    UPDATE delivery_queue SET kind = ${KIND.owned}, check_at = clock_timestamp() - interval '1 second'
    WHERE delivery_id = ${id}`
  return id
}
const handle = (id: string) => sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1))
const reconcile = () => reconcileOnce(deliveryJobs, sender.sql, sender.temporal.client, () => {})

test('a delivery whose workflow runs is checked again in a minute', async () => {
  const id = await overdue()
  expect(await reconcile()).toBe(1)
  const row = await sender.row(id)
  expect(row).toMatchObject({ status: 'RETRYING', run: 1, kind: KIND.owned })
  expect(row.check_at.getTime() - Date.now()).toBeWithin(55_000, 61_000)
  expect(await reconcile()).toBe(0)
})

test('a delivery whose workflow was terminated becomes FAILED, "stopped in Temporal"', async () => {
  const id = await overdue()
  await handle(id).terminate()
  await reconcile()
  expect(await sender.row(id)).toMatchObject({
    status: 'FAILED',
    error: 'stopped in Temporal',
    kind: null,
    next_attempt_at: null,
  })
})

test('a delivery unknown to Temporal gets a new run with the remaining attempts', async () => {
  const id = await overdue(false)
  await sender.sql`UPDATE deliveries SET attempt_count = 2 WHERE id = ${id}`
  await reconcile()
  const row = await sender.row(id)
  expect(row).toMatchObject({ status: 'RETRYING', run: 2, attempt_count: 2, attempt_limit: 3 })
  expect(row.kind).toBe(KIND.first)
  expect(row.check_at).toBeNull()
})

test('a delivery whose workflow timed out gets a new run', async () => {
  const id = await overdue(false)
  // Its task queue has no worker, so it ends by its time-out.
  await sender.temporal.client.workflow.start('deliverWebhook', {
    workflowId: deliveryWorkflowId(id, 1),
    taskQueue: sender.taskQueue,
    workflowRunTimeout: '1 second',
  })
  await until('it timed out', async () => (await handle(id).describe()).status.name === 'TIMED_OUT')
  await reconcile()
  expect(await sender.row(id)).toMatchObject({ status: 'RETRYING', run: 2, attempt_count: 0 })
})

test('a delivery that became final meanwhile does not change', async () => {
  const id = await overdue()
  await handle(id).terminate()
  await failDelivery(sender.sql, { deliveryId: id, run: 1, reason: 'the webhook was deleted' })
  await reconcile()
  expect(await sender.row(id)).toMatchObject({ status: 'FAILED', error: 'the webhook was deleted' })
})

test('two concurrent reconciliations check each delivery once', async () => {
  for (let n = 0; n < 5; n++) await overdue(false)
  const looked = await Promise.all([reconcile(), reconcile()])
  expect(looked[0] + looked[1]).toBe(5)
})
