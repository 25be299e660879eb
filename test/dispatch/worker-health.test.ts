import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { noMeter } from '../../src/metrics/meter'
import { startWorker } from '../../src/worker'
import { testEnvironment } from '../support/environment'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import { useSender } from '../support/webhooks/sender'

const receiver = useReceiver()
const sender = await useSender(receiver.url)

test('with ARDEN_WORKFLOWS=on-retry a worker delivers and reports its heartbeat while Temporal is unavailable', async () => {
  const config = readConfig({
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    ARDEN_WORKFLOWS: 'on-retry',
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LOG_LEVEL: 'fatal',
  })
  const ids = await sender.deliveries(1)
  const worker = startWorker({
    config,
    sql: sender.sql,
    cipher: sender.cipher,
    log: createLog(config),
    meter: noMeter,
    waker: sender.waker,
    workflows: testEnvironment().workflowBundle,
  })
  for (const id of ids) await sender.reaches(id, 'is delivered', row => row.status === 'DELIVERED')
  const workers = await until('it reports a heartbeat', async () => {
    const rows = await sender.sql`SELECT id FROM workers`
    return rows.length > 0 && rows
  })
  expect(workers.map(({ id }) => id)).toEqual([config.identity])
  await worker.stop()
})
