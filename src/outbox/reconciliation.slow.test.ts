import { expect, test } from 'bun:test'
import pino from 'pino'
import { useDatabase } from '../../test/support/database'
import { useKillableTemporal } from '../../test/support/operations/killable-temporal'
import { useTemporal } from '../../test/support/temporal'
import { until } from '../../test/support/until'
import { deliveryJobs } from '../webhooks/dispatch/outbox'
import { KIND } from '../webhooks/queue/entry'
import { runReconcile } from './reconciliation'

const { sql } = await useDatabase()
const server = await useKillableTemporal()
const temporal = await useTemporal({ TEMPORAL_ADDRESS: server.address })

test('an outage of Temporal is over in the log when it is, not when no record is left to describe', async () => {
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    VALUES ('wh_1', 'acc_1', 'live', 'https://example.com', '{}', 'v1.01234567.x.y')`
  await sql`
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit, created_at)
    VALUES ('dlv_1', 'acc_1', 'live', 'wh_1', 'evt_1', 'article.created', 'RETRYING', 3, now())`
  await sql`
    INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id, check_at)
    VALUES ('acc_1', 'wh_1', ${KIND.owned}, 0, 'dlv_1', now())`
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(JSON.parse(line).msg) })
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
