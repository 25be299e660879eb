import { expect, test } from 'bun:test'
import { useArden } from '../../test/support/arden'
import { createLogLines } from '../../test/support/log-lines'
import { pollAs } from '../../test/support/operations/poll-as'
import { useTemporal } from '../../test/support/temporal'
import { readConfig } from '../config'
import { createForeignWorkerCheck } from './foreign-workers'

const arden = await useArden({ worker: true })
const temporal = await useTemporal(arden.env)
const config = readConfig(arden.env)

test('a worker of another installation on the task queue is logged once, when it is no poll of one that has stopped', async () => {
  const { log, lines } = createLogLines()
  const check = createForeignWorkerCheck({ sql: arden.sql, temporal, config, log })
  await check(0)
  await pollAs(temporal, config.taskQueue, 'staging:1')
  await check(60_000)
  await check(130_000)
  expect(lines).toEqual([])
  await check(140_000)
  await check(200_000)
  expect(lines).toEqual([
    `The task queue ${config.taskQueue} is polled by staging:1, and no such worker reports to this database. A worker of another installation takes deliveries of this one, which are sent late then, and replaces its schedules. Give each installation its own TEMPORAL_NAMESPACE. A worker of this one that has stopped within the last minute, or has not reached PostgreSQL for two minutes, is listed as well.`,
  ])
  await arden.sql`INSERT INTO workers (id, slots) VALUES ('staging:1', 1)`
  await pollAs(temporal, config.taskQueue, 'staging:2')
  await check(260_000)
  await check(360_000)
  expect(lines).toHaveLength(1)
  await arden.sql`INSERT INTO workers (id, slots) VALUES ('staging:2', 1)`
  await check(420_000)
  expect(lines.slice(1)).toEqual([
    `The task queue ${config.taskQueue} is polled by workers of this database only.`,
  ])
})
