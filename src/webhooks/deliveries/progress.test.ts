import { beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { useStoredDeliveries } from '../../../test/support/webhooks/stored-deliveries'
import { setAllPaused, setPaused } from '../endpoints/pause'
import { deleteWebhook, updateWebhook } from '../endpoints/store'
import { KIND } from '../queue/entry'
import { RECONCILE_AFTER_MS, RECONCILE_MARGIN_MS } from '../retry-schedule'
import { createCipher } from '../signing/encryption'
import { findDelivery } from './store'

/** Contract 5.3: what a delivery that is not final does now. */

const { sql, cipher, given, inTransaction, articleDeleted, sendTest, list } =
  await useStoredDeliveries()

let id = ''
beforeEach(async () => {
  await articleDeleted()
  id = (await list())[0]?.id ?? ''
  await sql`
    INSERT INTO workers (id, slots) VALUES ('here', 10)
    ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`
})
const progress = async () => (await findDelivery(sql, cipher, given.caller, id)).progress

test('a delivery that is due waits for its turn, or for that of its slow webhook', async () => {
  expect(await progress()).toBe('turn')
  await sql`INSERT INTO slow_webhooks (webhook_id) VALUES (${given.webhookId})`
  expect(await progress()).toBe('slow_webhook')
})

test('a time that has not come is scheduled', async () => {
  await sql`UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = ${id}`
  expect(await progress()).toBe('scheduled')
})

test('a pause comes before the missing worker, that of all before that of the webhook', async () => {
  await sql`DELETE FROM workers`
  expect(await progress()).toBe('no_worker')
  await inTransaction(tx => setPaused(tx, given.caller, given.webhookId, true))
  expect(await progress()).toBe('paused')
  await setAllPaused(sql, { type: 'system', id: 'arden', name: 'Arden' }, true)
  expect(await progress()).toBe('all_paused')
  await setAllPaused(sql, { type: 'system', id: 'arden', name: 'Arden' }, false)
})

test('nothing is under way while Temporal responds to no worker; first attempts that do not need it are', async () => {
  const state = async (kind: number, away: string | null) => {
    await sql`UPDATE workers SET temporal_away = ${away}`
    await sql`UPDATE delivery_queue SET kind = ${kind} WHERE delivery_id = ${id}`
    return progress()
  }
  expect(await state(KIND.owned, 'all')).toBe('temporal_away')
  expect(await state(KIND.owned, 'retries')).toBe('temporal_away')
  expect(await state(KIND.workflow, 'retries')).toBe('temporal_away')
  expect(await state(KIND.first, 'all')).toBe('temporal_away')
  expect(await state(KIND.first, 'retries')).toBe('turn')
  await sql`UPDATE delivery_queue SET claimer = ${crypto.randomUUID()} WHERE delivery_id = ${id}`
  expect(await state(KIND.first, 'all')).toBe('temporal_away')
  expect(await state(KIND.first, 'retries')).toBe('under_way')
  await sql`INSERT INTO workers (id, slots) VALUES ('there', 10)`
  expect(await state(KIND.owned, null)).toBe('under_way')
  await sql`UPDATE workers SET temporal_away = 'all' WHERE id = 'there'`
  expect(await progress()).toBe('under_way')
  await sql`DELETE FROM workers WHERE id = 'there'`
})

test('an attempt that its workflow should have recorded is late', async () => {
  await sql`UPDATE workers SET temporal_away = NULL`
  const checkedIn = (seconds: number) => sql`
    UPDATE delivery_queue
    SET kind = ${KIND.owned}, check_at = clock_timestamp() + make_interval(secs => ${seconds})
    WHERE delivery_id = ${id}`
  await checkedIn(RECONCILE_AFTER_MS / 1000)
  expect(await progress()).toBe('under_way')
  await checkedIn(RECONCILE_MARGIN_MS / 1000)
  expect(await progress()).toBe('late')
  // A retry stays late when reconciliation finds that its workflow still runs.
  await checkedIn(RECONCILE_AFTER_MS / 1000)
  await sql`
    UPDATE deliveries SET attempt_count = 1, next_attempt_at = clock_timestamp() - interval '41 s'
    WHERE id = ${id}`
  expect(await progress()).toBe('late')
})

test('a delivery whose webhook has lost its secret is not under way, also while a worker tries to sign it', async () => {
  await sql`UPDATE delivery_queue SET claimer = ${crypto.randomUUID()} WHERE delivery_id = ${id}`
  expect(await progress()).toBe('under_way')
  const another = createCipher(randomBytes(32))
  const seen = async () => (await findDelivery(sql, another, given.caller, id)).progress
  expect(await seen()).toBe('secret')
  await inTransaction(tx => setPaused(tx, given.caller, given.webhookId, true))
  expect(await seen()).toBe('paused')
})

test('a delivery of a disabled webhook fails instead of its next attempt, whatever it waits for', async () => {
  const enable = (enabled: boolean) =>
    inTransaction(tx => updateWebhook(tx, cipher, given.caller, given.webhookId, { enabled }))
  const test = await sendTest()
  await enable(false)
  expect(await progress()).toBe('disabled')
  await inTransaction(tx => setPaused(tx, given.caller, given.webhookId, true))
  expect(await progress()).toBe('disabled')
  // Contract 4.11: a test is sent all the same.
  expect((await findDelivery(sql, cipher, given.caller, test.id)).progress).toBe('paused')
  await enable(true)
  expect(await progress()).toBe('paused')
  await inTransaction(tx => deleteWebhook(tx, given.caller, given.webhookId))
  expect(await progress()).toBe('disabled')
  expect((await findDelivery(sql, cipher, given.caller, test.id)).progress).toBe('disabled')
})

test('is null for a final delivery', async () => {
  await sql`UPDATE deliveries SET status = 'DELIVERED', delivered_at = now() WHERE id = ${id}`
  expect(await progress()).toBeNull()
})
