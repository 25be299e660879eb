import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Caller } from '../../../src/caller'
import { newId } from '../../../src/ids'
import { createWebhook } from '../../../src/webhooks/endpoints/store'
import { enqueue } from '../../../src/webhooks/queue/changes'
import { MAX_ATTEMPTS } from '../../../src/webhooks/retry-schedule'
import { type Lane, settingsOf } from '../lanes'
import { type Receiver, startReceiver } from '../receiver'
import { until } from '../until'
import { type Sender, startSender } from './sender'

const ENDPOINTS = 200
const BACKLOG = 5_000
const EVENTS = 100
/** Long enough for the first time-outs, after 30 s, and for the retries that follow them. */
const OVER_MS = 45_000
/**
 * Requests to the others between the commit of an event and its arrival: with turns, at most those of the two claims
 * of a lane, of 500 each, that can be under way; without, the first event would wait for all 5,000. Counted, because how long it takes is a matter
 * of the machine: alone on two cores 0.4 s, beside the other tests 2 to 13 s.
 */
const OVERTAKEN = 1_000

/** Receivers that do not respond: docs/architecture.md, "Tenant isolation". */
export const testFairness = (lane: Lane): void => {
  let healthy: Receiver
  let silent: Receiver
  let sender: Sender
  beforeAll(async () => {
    healthy = startReceiver()
    silent = startReceiver(() => new Promise(() => {}))
    sender = await startSender(healthy.url, settingsOf(lane))
  })
  afterAll(async () => {
    // First: attempts that wait for a response would delay the worker.
    silent.stop()
    await sender.stop()
    healthy.stop()
  })

  /** Another account with many endpoints, and as many deliveries for each as make up the backlog. */
  const createBacklog = async () => {
    const { sql, cipher } = sender
    const accountId = newId('acc')
    await sql`INSERT INTO accounts (id, name) VALUES (${accountId}, 'other')`
    const caller: Caller = {
      accountId,
      mode: 'live',
      actor: { type: 'key', id: newId('key'), name: 'tests' },
      scopes: ['write'],
      address: '127.0.0.1',
    }
    await sql.begin(async tx => {
      for (let n = 0; n < ENDPOINTS; n++)
        await createWebhook(tx, cipher, caller, { url: silent.url, events: ['article.created'] })
    })
    const eventId = newId('evt')
    await sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    VALUES (${eventId}, ${accountId}, 'live', 'article.created', '{}', now())`
    await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type,
      status, attempt_limit, next_attempt_at, created_at)
    SELECT 'dlv_' || substr(${eventId}, 5, 14) || substr(md5(w.id || n), 1, 12), ${accountId}, 'live',
      w.id, ${eventId}, 'article.created', 'RETRYING', ${MAX_ATTEMPTS}::int, now(), now()
    FROM webhooks w CROSS JOIN generate_series(1, ${BACKLOG / ENDPOINTS}) AS n
    WHERE w.account_id = ${accountId}`
    await sql`${enqueue(sql, sql`deliveries WHERE event_id = ${eventId}`)}`
  }

  test(
    '200 endpoints that never respond, with 5,000 deliveries, delay no other endpoint',
    async () => {
      await createBacklog()
      await sender.work()
      await until('the silent endpoints have requests', () => silent.received.length > 0)
      const sentAt = new Map<string, number>()
      for (let n = 0; n < EVENTS; n++) {
        const began = performance.now()
        const [id = ''] = await sender.deliveries(1)
        sentAt.set(id, began)
        await Bun.sleep(Math.max(0, began + OVER_MS / EVENTS - performance.now()))
      }
      await until('all arrived', () => healthy.received.length >= EVENTS)
      const waits = healthy.received.map(({ at, headers }) => {
        const committed = sentAt.get(headers['x-webhook-delivery-id'] ?? '') ?? 0
        return {
          ms: Math.round(at - committed),
          overtaken: silent.received.filter(other => other.at > committed && other.at < at).length,
        }
      })
      const [ms, overtaken] = (['ms', 'overtaken'] as const).map(what =>
        Math.max(...waits.map(wait => wait[what])),
      )
      process.stderr.write(
        `A healthy endpoint beside ${ENDPOINTS} that never respond, with a workflow ${lane}: longest ${ms} ms, at most ${overtaken} requests to the others meanwhile, of ${silent.received.length}\n`,
      )
      expect(waits.length).toBe(EVENTS)
      expect(overtaken).toBeLessThanOrEqual(OVERTAKEN)
      // They do get on: each has its first request, and those that timed out are tried again.
      expect(silent.received.length).toBeGreaterThan(ENDPOINTS)
    },
    OVER_MS + 120_000,
  )
}
