import { expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { until } from '../../../test/support/until'
import { useSender } from '../../../test/support/webhooks/sender'
import { noMeter } from '../../metrics/meter'
import { dispatchOnce } from '../../outbox/dispatcher'
import { createReconciler } from '../../outbox/reconciliation'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import { KIND } from '../queue/entry'
import { createBusyAccounts } from './busy-accounts'
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
      eagerStarts: temporal.eagerStarts,
      taskQueue,
      attributeRegistration: { isUsable: () => false, ensure: async () => {} },
      log,
      meter: noMeter,
    }
    const outbox = createDeliveryOutbox(sql, 'attempts', createBusyAccounts())
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
const newReconciler = () =>
  createReconciler(deliveryJobs, sender.sql, sender.temporal.client, () => {})
const reconcile = () => newReconciler()()

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

test('a reconciler that has read all finds a delivery that comes due later', async () => {
  const reconcileBatch = newReconciler()
  expect(await reconcileBatch()).toBe(0)
  await overdue(false)
  expect(await reconcileBatch()).toBe(1)
})

test('while a snapshot is held, a batch does not read again what earlier ones passed', async () => {
  const ENDED = 5_000
  // One connection holds the snapshot; the other does all else, so that it can flush its own statistics.
  const { sql } = await useDatabase({ connections: 2 })
  const reconcileBatch = createReconciler(deliveryJobs, sql, {} as never, () => {})
  const entriesRead = async () => {
    await sql`SELECT pg_stat_force_next_flush()`
    const [index] = await sql<[{ entries: number }]>`
      SELECT idx_tup_read::int AS entries FROM pg_stat_user_indexes WHERE indexrelname = 'delivery_queue_check'`
    return index.entries
  }
  await sql.begin('isolation level repeatable read', async snapshot => {
    await snapshot`SELECT FROM delivery_queue`
    await sql`
      INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id, check_at)
      SELECT 'acc_1', 'wh_1', ${KIND.owned}, 0, 'dlv_' || n, clock_timestamp() - interval '1 hour'
      FROM generate_series(1, ${ENDED}) n`
    await sql`DELETE FROM delivery_queue`
    await sql`SET enable_seqscan = off`
    const before = await entriesRead()
    await reconcileBatch()
    const first = await entriesRead()
    for (let n = 0; n < 10; n++) await reconcileBatch()
    expect([first - before, (await entriesRead()) - first]).toEqual([ENDED, 0])
  })
})
