import { beforeEach, expect, test } from 'bun:test'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { createClaims } from '../../../test/support/webhooks/claims'
import { createOtherSample, createSample } from '../../../test/support/webhooks/sample'
import type { Tx } from '../../db/connect'
import { redeliverFailed } from '../deliveries/bulk-redelivery'
import { recordAttempts } from '../dispatch/store'

const { sql } = await useDatabase()
const sample = await createSample(sql, 'https://one.example/')

beforeEach(async () => {
  await sql`TRUNCATE delivery_queue, claimers, deliveries, events, attempts`
})

test('retries take turns by account: one does not wait for 500 of another', async () => {
  const failing = await createOtherSample(sql, sample.cipher, 'https://failing.example/')
  const healthy = await createOtherSample(sql, sample.cipher, 'https://healthy.example/')
  const fail = (ids: string[]) =>
    recordAttempts(
      sql,
      ids.map(deliveryId => ({
        deliveryId,
        outcome: {
          attemptId: crypto.randomUUID(),
          startedAt: new Date().toISOString(),
          durationMs: 1,
          httpStatus: 500,
          responseBody: null,
          error: 'the endpoint responded with 500',
          requestUrl: 'https://failing.example/',
          signatures: '',
        },
      })),
      { inWorkflow: false },
    )
  await fail(await failing.deliveries(500))
  const dispatcher = createClaims(sql, 'workflows')
  expect(await dispatcher.claim(20)).toHaveLength(20)
  const [retry = ''] = await healthy.deliveries(1)
  await fail([retry])
  expect((await dispatcher.claim(2)).map(({ id }) => id)).toContain(retry)
})

test('events of a webhook come before redeliveries in bulk that were requested before', async () => {
  const ids = await sample.deliveries(50)
  const [{ accountId }] = await sql<[{ accountId: string }]>`
    SELECT account_id AS "accountId" FROM webhooks WHERE id = ${sample.webhookId}`
  await sql`UPDATE deliveries SET status = 'FAILED', error = 'refused'`
  await sql`DELETE FROM delivery_queue`
  await redeliverFailed(
    change => sql.begin(tx => change(tx as Tx)) as never,
    await createCaller(sql, 'live', accountId),
    sample.webhookId,
    undefined,
  )
  const [fresh = ''] = await sample.deliveries(1)
  const claimed = await createClaims(sql).claim(10)
  expect(claimed).toHaveLength(10)
  expect(claimed[0]?.id).toBe(fresh)
  expect(ids).toContain(claimed[1]?.id ?? '')
})
