import { readConfig } from '../../../src/config'
import { connect, type Sql } from '../../../src/db/connect'
import { createLog } from '../../../src/log'
import { noMeter } from '../../../src/metrics/meter'
import { createWaker, type Waker } from '../../../src/notifications/wake'
import { connectTemporal, type Temporal } from '../../../src/temporal/connection'
import { startWorker } from '../../../src/worker'
import { createDatabase } from '../database'
import { testEnvironment } from '../environment'
import { stopAfterTests } from '../stop-after-tests'
import { createTaskQueue } from '../task-queue'
import { until } from '../until'
import { deliveryRow, type Row } from './delivery-row'
import { createOtherSample, createSample, type Sample } from './sample'

/** The sending side alone: a database, a webhook for `url`, and the task queue of a worker. */
export type Sender = Sample & {
  sql: Sql
  databaseUrl: string
  temporal: Temporal
  taskQueue: string
  waker: Waker
  /** Another account with a webhook for `url`, of which no other test changes anything. */
  otherAccount: (url: string) => Promise<Sample>
  /** Starts a worker, with other `workflows` than today's if given; the sender's `stop` stops it. */
  work: (changed?: { workflows: string }) => Promise<{ stop(): Promise<void> }>
  /** The delivery's row, when `look` says that it is as it should be. */
  reaches: (id: string, what: string, look: (row: Row) => boolean, seconds?: number) => Promise<Row>
  row: (id: string) => Promise<Row>
  stop: () => Promise<void>
}

/** `startSender`, stopped after the tests of the file or `describe`. */
export const useSender = async (...options: Parameters<typeof startSender>) =>
  stopAfterTests(await startSender(...options))

/** `settings` are those of Arden, beyond what a test needs anyway. */
export const startSender = async (
  url: string,
  settings: Record<string, string> = {},
): Promise<Sender> => {
  const { temporalAddress, workflowBundle: todaysWorkflows } = testEnvironment()
  const database = await createDatabase()
  const { taskQueue, clear } = createTaskQueue()
  const config = readConfig({
    TEMPORAL_ADDRESS: temporalAddress,
    ARDEN_TASK_QUEUE: taskQueue,
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LOG_LEVEL: 'fatal',
    ...settings,
  })
  const log = createLog(config)
  const sql = connect(database.url, { name: 'test', max: 10 })
  const sample = await createSample(sql, url)
  const temporal = await connectTemporal(config, log)
  const waker = createWaker(database.url)
  const workers: { stop(): Promise<void> }[] = []

  const row = (id: string) => deliveryRow(sql, id)
  const withWakeUps = (one: Sample): Sample => {
    const deliveries = async (count: number) => {
      const ids = await one.deliveries(count)
      waker.wake()
      return ids
    }
    return { ...one, deliveries, delivery: async () => (await deliveries(1))[0] ?? '' }
  }
  return {
    ...withWakeUps(sample),
    otherAccount: async other => withWakeUps(await createOtherSample(sql, sample.cipher, other)),
    sql,
    databaseUrl: database.url,
    temporal,
    taskQueue,
    waker,
    work: async ({ workflows } = { workflows: todaysWorkflows }) => {
      const worker = startWorker({
        config,
        sql,
        cipher: sample.cipher,
        log,
        meter: noMeter,
        waker,
        workflows,
      })
      workers.push(worker)
      await worker.ready
      return worker
    },
    row,
    reaches: (id, what, look, seconds) =>
      until(
        `${id} ${what}`,
        async () => {
          const found = await row(id)
          return look(found) ? found : undefined
        },
        seconds,
      ),
    stop: async () => {
      for (const worker of workers) await worker.stop()
      await clear()
      await temporal.connection.close()
      await waker.stop()
      await sql.end()
      await database.drop()
    },
  }
}
