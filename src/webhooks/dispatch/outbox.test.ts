import { describe, expect, test } from 'bun:test'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import pino from 'pino'
import { testEnvironment } from '../../../test/support/environment'
import { startProxy } from '../../../test/support/network/proxy'
import { until } from '../../../test/support/until'
import { dispatcherDeps } from '../../../test/support/webhooks/dispatcher-deps'
import { useSender } from '../../../test/support/webhooks/sender'
import { connect } from '../../db/connect'
import { createWaker } from '../../notifications/wake'
import { type DispatcherDeps, dispatchOnce, runDispatcher } from '../../outbox/dispatcher'
import { busyTaskQueue } from '../../temporal/task-queues'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import { KIND } from '../queue/entry'
import { createBusyAccounts } from './busy-accounts'
import { createDeliveryOutbox } from './outbox'

const sender = await useSender('https://hooks.example.com/in?token=t')
const deps = dispatcherDeps(sender)

const outbox = createDeliveryOutbox(sender.sql, 'attempts', createBusyAccounts())

const describeRun = (id: string, run = 1) =>
  sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, run)).describe()

/** As if nothing had been handed over. */
const makeDue = (id: string) => sender.sql`
  UPDATE delivery_queue SET kind = ${KIND.first}, check_at = NULL, xid = pg_current_xact_id()
  WHERE delivery_id = ${id}`

test('two dispatchers start one workflow for each due delivery', async () => {
  const other = createDeliveryOutbox(sender.sql, 'attempts', createBusyAccounts())
  const ids = await sender.deliveries(40)
  const dispatched = await Promise.all([
    dispatchOnce(outbox, deps, 30),
    dispatchOnce(other, deps, 30),
  ])
  let started = dispatched.map(one => one.started).reduce((a, b) => a + b)
  // What one is preferred for, the other takes later.
  await until('all are started', async () => {
    started += (await dispatchOnce(other, deps, 30)).started
    started += (await dispatchOnce(outbox, deps, 30)).started
    return started >= 40
  })
  expect(started).toBe(40)
  await other.stop?.()
  expect(await dispatchOnce(outbox, deps, 30)).toMatchObject({ claimed: 0 })
  for (const id of ids) {
    expect((await describeRun(id)).status.name).toBe('RUNNING')
    const { kind, check_at } = await sender.row(id)
    expect(kind).toBe(KIND.owned)
    expect(check_at).toBeInstanceOf(Date)
  }
})

test('records are claimed in the order of their turns: one account is not behind all of another', async () => {
  const other = await sender.otherAccount('https://other.example/')
  const busy = await sender.deliveries(8)
  const [one = ''] = await other.deliveries(1)
  const claimed = await outbox.claim(sender.sql, 10)
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([...busy, one]))
  expect(claimed.slice(0, 2).map(({ id }) => id)).toContain(one)
  await outbox.release(sender.sql, claimed)
  expect(await dispatchOnce(outbox, deps, 10)).toMatchObject({ started: 9 })
})

test('a workflow has a summary with event and host, a link to the dashboard, no URL, and search attributes', async () => {
  const [id = ''] = await sender.deliveries(1)
  await dispatchOnce(outbox, deps, 10)
  const execution = await describeRun(id)
  expect(await execution.staticSummary()).toBe('article.published to hooks.example.com')
  const { account_id, event_id } = await sender.row(id)
  expect(execution.raw.workflowExecutionInfo?.priority?.fairnessKey).toBe(account_id)
  expect(execution.searchAttributes).toMatchObject({
    ArdenAccount: [account_id],
    ArdenWebhook: [sender.webhookId],
    ArdenEvent: ['article.published'],
    ArdenEventId: [event_id],
  })
  expect(await execution.staticDetails()).toBe(
    `[${id} in Arden](https://arden.example.com/dashboard/live/deliveries/${id})`,
  )
  const history = await sender.temporal.client.workflow
    .getHandle(deliveryWorkflowId(id, 1))
    .fetchHistory()
  const text = JSON.stringify(history, (name, value) =>
    name === 'data' ? Buffer.from(value, 'base64').toString() : value,
  )
  expect(text).toContain('hooks.example.com')
  expect(text).not.toContain('token')
})

test('workflows of an account that starts many at once are on a task queue of their own, and those of others are not', async () => {
  const fresh = createDeliveryOutbox(
    sender.sql,
    'attempts',
    createBusyAccounts(() => 0),
  )
  const other = await sender.otherAccount('https://other.example/')
  const ids = await sender.deliveries(25)
  const [one = ''] = await other.deliveries(1)
  let started = 0
  await until('all are started', async () => {
    started += (await dispatchOnce(fresh, deps, 30)).started
    return started === 26
  })
  await fresh.stop?.()
  const queueOf = async (id: string) =>
    (await describeRun(id)).raw.executionConfig?.taskQueue?.name ?? ''
  const queues = await Promise.all(ids.map(queueOf))
  expect(new Set(queues)).toEqual(new Set([deps.taskQueue, busyTaskQueue(deps.taskQueue)]))
  expect(await queueOf(one)).toBe(deps.taskQueue)
})

test('a workflow that exists already counts as started', async () => {
  const [id = ''] = await sender.deliveries(1)
  await dispatchOnce(outbox, deps, 10)
  await makeDue(id)
  expect(await dispatchOnce(outbox, deps, 10)).toMatchObject({
    claimed: 1,
    started: 1,
    error: undefined,
  })
  expect((await sender.row(id)).kind).toBe(KIND.owned)
})

test('a new run is a new workflow with the run in its id', async () => {
  const [id = ''] = await sender.deliveries(1)
  await dispatchOnce(outbox, deps, 10)
  await sender.sql`UPDATE deliveries SET run = 2 WHERE id = ${id}`
  await makeDue(id)
  await dispatchOnce(outbox, deps, 10)
  expect((await describeRun(id, 2)).workflowId).toBe(`delivery:${id}:2`)
})

describe('a running dispatcher', () => {
  const dispatching = async (use: DispatcherDeps, during: () => Promise<void>) => {
    const stop = new AbortController()
    const run = runDispatcher(
      createDeliveryOutbox(use.sql, 'attempts', createBusyAccounts()),
      use,
      stop.signal,
    )
    try {
      await during()
    } finally {
      stop.abort()
      await run
    }
  }
  const started = (id: string, seconds?: number) =>
    sender.reaches(id, 'is started', row => row.kind === KIND.owned, seconds)

  test('starts committed deliveries, with or without a wake-up', async () => {
    await dispatching(deps, async () => {
      const [woken = ''] = await sender.deliveries(1)
      await started(woken, 5)
      await started(await sender.delivery(), 5) // Without a wake-up: the next claim finds it.
    })
  })

  test('releases its claims at once while Temporal is unavailable, and continues afterwards', async () => {
    const proxy = startProxy(`temporal://${testEnvironment().temporalAddress}`)
    const connection = await NativeConnection.connect({ address: new URL(proxy.url).host })
    const client = new Client({ connection })
    await dispatching({ ...deps, client }, async () => {
      await started((await sender.deliveries(1))[0] ?? '')
      proxy.cut()
      const ids = await sender.deliveries(60)
      await until('all 60 are due, none is leased', async () => {
        const [row] = await sender.sql<[{ n: number }]>`
          SELECT count(*)::int AS n FROM delivery_queue
          WHERE delivery_id = ANY (${ids}) AND kind = ${KIND.first} AND claimer IS NULL`
        return row.n === 60
      })
      proxy.restore()
      for (const id of ids) await started(id, 15)
    })
    await connection.close()
    proxy.stop()
  })

  test('continues after an outage of PostgreSQL, and still stops', async () => {
    const proxy = startProxy(sender.databaseUrl)
    const sql = connect(proxy.url, { name: 'dispatcher' })
    const said: string[] = []
    const log = pino({ level: 'info' }, { write: line => void said.push(JSON.parse(line).msg) })
    await dispatching({ ...deps, sql, log }, async () => {
      await started((await sender.deliveries(1))[0] ?? '')
      proxy.cut()
      await until('it notices', () => said.some(line => line.startsWith('Postgres: ')))
      proxy.restore()
      await until('it is back', () => said.includes('Postgres: available again.'))
      await started((await sender.deliveries(1))[0] ?? '')
    })
    await sql.end()
    proxy.stop()
  })
})

test('a wake-up reaches listeners of its process at once, and only once', async () => {
  const [waker, other] = [createWaker(sender.databaseUrl), createWaker(sender.databaseUrl)]
  let notified = 0
  const { unlisten: endNotified } = await sender.sql.listen('arden_due', () => void notified++)
  let woken = 0
  const count = () => void woken++
  const unlisten = await waker.listen(sender.sql, count, { log: deps.log, what: 'deliveries' })
  woken = 0
  waker.wake()
  expect(woken).toBe(1)
  await until('its NOTIFY has been sent', () => notified === 1)
  other.wake()
  await until('that of the other process', () => notified === 2 && woken > 1)
  expect(woken).toBe(2)
  await Promise.all([unlisten(), endNotified()])
  waker.wake()
  expect(woken).toBe(2)
  await Promise.all([waker.stop(), other.stop()])
})

test('a wake-up reaches a listener, however many commits there are', async () => {
  const waker = createWaker(sender.databaseUrl)
  let woken = 0
  const { unlisten } = await sender.sql.listen('arden_due', () => void woken++)
  for (let n = 0; n < 1000; n++) waker.wake()
  await until('woken twice: by the first, and by the rest together', () => woken === 2)
  waker.wake()
  await until('woken again', () => woken === 3)
  await unlisten()
  await waker.stop()
})
