import { beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createAccount } from '../../src/accounts/store'
import type { Actor } from '../../src/caller'
import { functions } from '../../src/db/functions'
import { createKey } from '../../src/keys/store'
import { hashValue } from '../../src/keys/value'
import { reportWebhookHealth } from '../../src/webhooks/endpoints/health'
import { useDatabase } from '../support/database'
import { settled } from '../support/settled'
import { createSample } from '../support/webhooks/sample'

/** Rules that SQL and TypeScript both need are defined once: as a parameter, or in one view or function. */

const { sql } = await useDatabase()
beforeEach(async () => {
  await sql`TRUNCATE webhooks, recovered_webhooks, events, deliveries, delivery_queue, workers`
})

const actor: Actor = { type: 'cli', id: 'tests', name: 'tests' }

describe('the database takes from its caller', () => {
  test('how many attempts a delivery has: the column has no default', async () => {
    const sample = await createSample(sql, 'https://one.example/')
    await sample.delivery()
    expect(
      await settled(
        sql`
        INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, created_at)
        SELECT 'dlv_2', account_id, mode, webhook_id, event_id, event_type, status, created_at
        FROM deliveries`.then(() => {}),
      ),
    ).toThrow('attempt_limit')
  })

  test('after how many failures a delivery has failed', async () => {
    const sample = await createSample(sql, 'https://one.example/')
    const id = await sample.delivery()
    await sql`UPDATE deliveries SET attempt_limit = 5`
    const waits: unknown[] = []
    for (let n = 0; n < 5; n++) {
      const outcome = {
        deliveryId: id,
        attemptId: randomUUID(),
        startedAt: new Date().toISOString(),
        durationMs: 1,
        httpStatus: 500,
        error: 'the endpoint responded 500',
        signatures: '',
      }
      const [row] = await sql`
        SELECT status, round(wait_ms / 1000)::int AS wait
        FROM record_attempts(${[id]}::text[], ${JSON.stringify([outcome])}::text::json,
          '{10000,20000,30000,40000}', interval '1 minute', 30000)`
      waits.push(row?.status === 'FAILED' ? 'FAILED' : row?.wait)
    }
    expect(waits).toEqual([10, 20, 30, 40, 'FAILED'])
  })

  test('the window of the rate limit', async () => {
    const account = await sql.begin(tx => createAccount(tx, actor, 'Test'))
    const audit = { accountId: account.id, actor, address: null }
    const { key } = await sql.begin(tx =>
      createKey(tx, audit, { name: 'k', scopes: ['read'], mode: 'live', rate_limit: 1 }),
    )
    const hash = hashValue(key).toString('hex')
    const admit = async (window: string) => {
      const [row] = await sql`
        SELECT accepted, free_in FROM admit(${[hash]}::text[], '{1}'::int[], ${window}::interval)`
      return row
    }
    expect(await admit('100 s')).toEqual({ accepted: 1, free_in: 100 })
    const limited = await admit('1 day')
    expect(limited?.accepted).toBe(0)
    expect(limited?.free_in).toBeWithin(86_300, 86_401)
  })
})

describe('one view defines', () => {
  const states = async () => [
    ...(await sql`SELECT paused, failing_since IS NOT NULL AS failing FROM webhook_states`),
  ]

  test('whether a webhook is paused: by itself, or with all others', async () => {
    await createSample(sql, 'https://one.example/')
    expect(await states()).toEqual([{ paused: false, failing: false }])
    await sql`UPDATE webhooks SET paused_at = now()`
    expect(await states()).toEqual([{ paused: true, failing: false }])
    await sql`UPDATE webhooks SET paused_at = NULL`
    await sql`UPDATE deployment SET paused_at = now()`
    expect(await states()).toEqual([{ paused: true, failing: false }])
    await sql`UPDATE deployment SET paused_at = NULL`
  })

  test('whether a webhook is failing, for sending as well: not while it is noted as recovered', async () => {
    const sample = await createSample(sql, 'https://one.example/')
    await sample.delivery()
    const [{ account_id: accountId }] = await sql<[{ account_id: string }]>`
      SELECT account_id FROM webhooks`
    const failing = async () => {
      const [row] = await sql<[{ failing: boolean }]>`SELECT failing FROM deliveries_to_send`
      const health = await reportWebhookHealth(sql, sample.cipher, { accountId, mode: 'live' })
      expect(health[sample.webhookId]?.failing_since !== null).toBe(row.failing)
      return row.failing
    }
    expect(await failing()).toBe(false)
    await sql`UPDATE webhooks SET failing_since = now()`
    expect(await failing()).toBe(true)
    await sql`INSERT INTO recovered_webhooks SELECT id, failing_since FROM webhooks`
    expect(await failing()).toBe(false)
    await sql`UPDATE webhooks SET failing_since = clock_timestamp()`
    expect(await failing()).toBe(true)
  })
})

test('SQL outside of those does not combine the columns again', async () => {
  const rules = /revoked_at IS|expires_at (<|>)|recovered_webhooks r\b|paused_at IS NULL/
  const allowed = /key_status|webhook_states/
  const found = functions
    .filter(({ name, text }) => !allowed.test(name) && rules.test(text))
    .map(({ name }) => name)
  expect(found).toEqual([])
})
