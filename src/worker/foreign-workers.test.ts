import { expect, test } from 'bun:test'
import pino from 'pino'
import { useArden } from '../../test/support/arden'
import { pollAs } from '../../test/support/operations/poll-as'
import { useTemporal } from '../../test/support/temporal'
import { until } from '../../test/support/until'
import { readConfig } from '../config'
import { watchForeignWorkers } from './foreign-workers'

const arden = await useArden({ worker: true })
const temporal = await useTemporal(arden.env)
const { taskQueue } = readConfig(arden.env)

test('a worker of another installation on the task queue is logged, an own one is not', async () => {
  await pollAs(temporal, taskQueue, 'staging:1')
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(JSON.parse(line).msg) })
  const stopping = new AbortController()
  const watching = watchForeignWorkers(arden.sql, temporal, taskQueue, log, stopping.signal)
  await until('it is logged', async () => lines.length > 0)
  expect(lines).toEqual([
    `The task queue ${taskQueue} is also polled by staging:1, which is no worker of this database. It takes deliveries that this database then sends late, and its schedules are the same. Give each installation its own TEMPORAL_NAMESPACE, or its own ARDEN_TASK_QUEUE.`,
  ])
  stopping.abort()
  await watching
})
