import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { capturePostgresLog } from '../../test/support/operations/postgres-log'
import { until } from '../../test/support/until'
import { createOutageLog } from './database-outage'

const { sql } = await useDatabase({ connections: 1 })

const failed = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

test('each reason is logged once for any number of failed requests, the recovery once, and the next outage again', async () => {
  const { log, warnings, infos } = capturePostgresLog()
  const outages = createOutageLog(sql, log)
  outages.report(new Error('not of the connection'))
  expect(warnings).toEqual([])
  for (let n = 0; n < 100; n++) {
    outages.report(failed('ECONNREFUSED'))
    outages.report(failed('28000'))
  }
  expect(warnings.splice(0)).toEqual(
    ['ECONNREFUSED', '28000'].map(
      code => `Postgres: connect ${code}. Requests get a 503 until it is available.`,
    ),
  )
  await until('the recovery is logged', () => infos.length > 0)
  expect(infos).toEqual(['Postgres: available again.'])
  outages.report(failed('ECONNREFUSED'))
  expect(warnings).toHaveLength(1)
  outages.stop()
})
