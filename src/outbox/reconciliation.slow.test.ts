import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { createLogLines } from '../../test/support/log-lines'
import { useKillableTemporal } from '../../test/support/operations/killable-temporal'
import { useTemporal } from '../../test/support/temporal'
import { until } from '../../test/support/until'
import { createSample } from '../../test/support/webhooks/sample'
import { deliveryJobs } from '../webhooks/dispatch/outbox'
import { KIND } from '../webhooks/queue/entry'
import { runReconcile } from './reconciliation'

const { sql } = await useDatabase()
const server = await useKillableTemporal()
const temporal = await useTemporal({ TEMPORAL_ADDRESS: server.address })

test('an outage of Temporal is over in the log when it is, not when no record is left to describe', async () => {
  await (await createSample(sql, 'https://example.com')).delivery()
  await sql`UPDATE delivery_queue SET kind = ${KIND.owned}, check_at = clock_timestamp()`
  const { log, lines } = createLogLines()
  let batches = 0
  const jobs: typeof deliveryJobs = {
    ...deliveryJobs,
    claimOverdue: async (...batch) => {
      const claimed = await deliveryJobs.claimOverdue(...batch)
      batches++
      return claimed
    },
  }
  const stopping = new AbortController()
  await server.kill()
  const running = runReconcile(jobs, sql, temporal, () => {}, log, stopping.signal)
  // The first one fails, and the third begins after the second, which is empty, was reported.
  await until('two batches have ended', async () => batches >= 3, 60)
  expect(lines).toEqual([expect.stringMatching(/^Reconciling deliveries: .* It is tried again\.$/)])
  await server.start('first')
  await until('it is over', async () => lines.length > 1)
  expect(lines[1]).toBe('Reconciling deliveries: available again.')
  stopping.abort()
  await running
}, 120_000)
