import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../../../test/support/database'
import { lockWebhooks } from '../../../test/support/db/locks'
import { recordAttempt } from '../../../test/support/webhooks/attempt'
import { createSample, type Sample } from '../../../test/support/webhooks/sample'
import { disableIfFailing } from './auto-disable'
import { reportWebhookHealth } from './health'

// `failing_since` while the webhook is locked. Without a lock: test/webhooks/failing-webhook.test.ts.

let sample: Sample
const { sql } = await useDatabase()
beforeEach(async () => {
  sample = await createSample(sql, 'https://hooks.example.com/in')
})

const DAYS = 5

/** Deliveries with one attempt. */
const deliveries = async (count: number) => {
  const ids = await sample.deliveries(count)
  await sql`UPDATE deliveries SET attempt_limit = 1 WHERE id IN ${sql(ids)}`
  return ids
}
const ends = async (httpStatus: 200 | 500, id?: string) => {
  const [made = ''] = id === undefined ? await deliveries(1) : [id]
  const recorded = await recordAttempt(sql, made, {
    attemptId: randomUUID(),
    startedAt: new Date().toISOString(),
    durationMs: 12,
    httpStatus,
    responseBody: '',
    error: httpStatus === 200 ? null : `the endpoint responded with ${httpStatus}`,
    requestUrl: 'https://hooks.example.com/in',
    signatures: '',
  })
  expect(recorded?.status).toBe(httpStatus === 200 ? 'DELIVERED' : 'FAILED')
}
const holding = async (during: () => Promise<unknown>) => {
  const release = await lockWebhooks(sql, sample.webhookId)
  try {
    await during()
  } finally {
    await release()
  }
}
const webhook = async () => {
  const [row] = await sql<[{ account_id: string; enabled: boolean }]>`
    SELECT account_id, enabled FROM webhooks WHERE id = ${sample.webhookId}`
  const health = await reportWebhookHealth(sql, sample.cipher, {
    accountId: row.account_id,
    mode: 'live',
  })
  return { enabled: row.enabled, failingSince: health[sample.webhookId]?.failing_since }
}
const daysPass = () => sql`
  UPDATE webhooks SET failing_since = failing_since - make_interval(days => ${DAYS})
  WHERE id = ${sample.webhookId}`
const disable = () => disableIfFailing(sql, sample.webhookId, { afterDays: DAYS, sendsMail: false })

test('a success while the webhook is locked resets the count, so the webhook is never disabled', async () => {
  await ends(500)
  await daysPass()
  for (let n = 0; n < 2; n++) await holding(() => ends(200))
  await disable()
  expect(await webhook()).toEqual({ enabled: true, failingSince: null })
  // Not even while it fails again, which could not be written.
  await holding(() => ends(500))
  await disable()
  expect(await webhook()).toEqual({ enabled: true, failingSince: null })
  await ends(500)
  await disable()
  expect(await webhook()).toEqual({ enabled: true, failingSince: expect.any(String) })
  await daysPass()
  await disable()
  expect((await webhook()).enabled).toBe(false)
})

test('a recovery during a lock is written with the next success', async () => {
  const written = async () =>
    (await sql`SELECT failing_since FROM webhooks WHERE id = ${sample.webhookId}`)[0]?.failing_since
  await ends(500)
  await holding(() => ends(200))
  expect(await written()).not.toBeNull()
  await ends(200)
  expect(await written()).toBeNull()
})

test('a first failure during a lock is written with the next failure', async () => {
  await holding(() => ends(500))
  expect((await webhook()).failingSince).toBeNull()
  await ends(500)
  const { failingSince } = await webhook()
  expect(failingSince).not.toBeNull()
  await ends(500)
  expect(await webhook()).toEqual({ enabled: true, failingSince })
})

test('a locked webhook is disabled at a later failure, without waiting for the lock', async () => {
  await ends(500)
  await daysPass()
  await holding(disable)
  expect((await webhook()).enabled).toBe(true)
  await disable()
  expect((await webhook()).enabled).toBe(false)
})

test('one success among many concurrent failures keeps the webhook enabled', async () => {
  for (let round = 0; round < 5; round++) {
    await ends(500)
    await daysPass()
    const [arriving, failing, last, ...ids] = await deliveries(9)
    await Promise.all([
      ...ids.map((id, n) => ends(n % 2 === 0 ? 500 : 200, id)),
      holding(() => ends(200, arriving)),
      holding(() => ends(500, failing)),
    ])
    await Promise.all([disable(), ends(500, last).then(disable), holding(disable)])
    expect((await webhook()).enabled).toBe(true)
  }
})
