import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { startProxy } from '../../../test/support/network/proxy'
import { settled } from '../../../test/support/settled'
import { until } from '../../../test/support/until'
import { createOtherSample, createSample, type Sample } from '../../../test/support/webhooks/sample'
import { connect, type Sql, type Tx } from '../../db/connect'
import { recordTestEvent } from '../events/record'
import { laneCapacity } from './capacity'
import { announceWebhook } from './changes'
import { type Claimer, createClaimer } from './claimer'
import { type Entry, KIND } from './entry'
import { RENEW_MS } from './lease'
import { claimDeliveries, readQueuedWebhooks, releaseClaimer } from './statements'

const { sql, url } = await useDatabase()
const sample = await createSample(sql, 'https://one.example/')

beforeEach(async () => {
  await sql`TRUNCATE delivery_queue, claimers, deliveries, events, attempts`
})

const newLane = (db: Sql = sql) =>
  createClaimer(db, { work: 'attempts', capacity: laneCapacity(2_000), onFound: () => {} })

const accountOf = async ({ webhookId }: Sample) => {
  const [webhook] = await sql<[{ account_id: string }]>`
    SELECT account_id FROM webhooks WHERE id = ${webhookId}`
  return webhook.account_id
}

describe('a claimer', () => {
  test('finds what a transaction commits that began before others', async () => {
    const lane = newLane()
    expect(await lane.claim(10)).toEqual([])
    const tenant = { accountId: await accountOf(sample), mode: 'live' } as const
    await sql.begin(async tx => {
      const late = await recordTestEvent(tx, tenant, sample.webhookId)
      const [early = ''] = await sample.deliveries(1)
      expect((await lane.claim(10)).map(({ id }) => id)).toEqual([early])
      expect(await lane.claim(10)).toEqual([])
      await tx`SELECT ${late}`
    })
    expect(await lane.claim(10)).toHaveLength(1)
  })

  test('finds what was committed before it started, and all of a large transaction', async () => {
    await sample.deliveries(10)
    const lane = newLane()
    expect(await lane.claim(300)).toHaveLength(10)
    const [some] = await sample.deliveries(1)
    // 2,500 copies of a delivery: more than a page of the log.
    await sql`
      INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit, created_at)
      SELECT 'dlv_' || lpad(n::text, 26, '0'), account_id, mode, webhook_id, event_id, event_type, status, 3, now()
      FROM deliveries, generate_series(1, 2500) n WHERE id = ${some ?? ''}`
    await sql`
      INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
      SELECT account_id, webhook_id, ${KIND.first}, 0, id FROM deliveries WHERE id LIKE 'dlv_000%'`
    const claimed = new Set<string>()
    await until('all are claimed', async () => {
      for (const entry of await lane.claim(500)) {
        claimed.add(entry.id)
        lane.finish(entry)
      }
      return claimed.size === 2_501
    })
  })

  test('that is frozen and does not read its result delays no other claim', async () => {
    const proxy = startProxy(url)
    const frozenSql = connect(proxy.url, { name: 'frozen', max: 1 })
    const frozen = newLane(frozenSql)
    await frozen.claim(0)
    // The driver prepares the statement, which needs a response.
    await claimDeliveries(frozenSql, idOf(frozen), [])
    await sample.deliveries(300)
    const rows = await sql<Entry[]>`
      SELECT account_id AS "accountId", webhook_id AS "webhookId", kind, sequence, delivery_id AS id
      FROM delivery_queue`
    await frozen.renew()
    proxy.hang('responses')
    const claiming = claimDeliveries(
      frozenSql,
      idOf(frozen),
      rows.map(row => ({ ...row, floor: 0 })),
    ).catch(() => {})
    await until('its claim is committed', async () => {
      const claimed = await sql`SELECT FROM delivery_queue WHERE claimer = ${idOf(frozen)}`
      return claimed.length === 300
    })
    const more = await sample.deliveries(10)
    const other = newLane()
    const claimed: string[] = []
    await until('another one has claimed the others', async () => {
      claimed.push(...(await other.claim(400)).map(({ id }) => id))
      return claimed.length >= 10
    })
    expect(claimed.sort()).toEqual(more.sort())
    proxy.stop()
    await claiming
    await frozenSql.end({ timeout: 0 })
  })

  test('that lost the result of a claim releases what it does not know of, and keeps what is in progress', async () => {
    const proxy = startProxy(url)
    const sqlOfLane = connect(proxy.url, { name: 'lane', max: 1 })
    const lane = newLane(sqlOfLane)
    const ids = await sample.deliveries(5)
    const [kept] = await lane.claim(1)
    const old = idOf(lane)
    await sql.begin(async tx => {
      await tx`SELECT FROM claimers WHERE id = ${old} FOR UPDATE`
      const claiming = lane.claim(2)
      await until('its claim waits', async () => {
        const waiting = await sql`
          SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%claim_deliveries%'`
        return waiting.length > 0
      })
      proxy.cut()
      expect(await settled(claiming)).toThrow()
    })
    await until('its claim is committed', async () => {
      const claimed = await sql`SELECT FROM delivery_queue WHERE claimer = ${old}`
      return claimed.length === 3
    })
    proxy.restore()
    const others: string[] = []
    await until('it claims the others', async () => {
      const entries = await lane.claim(5).catch(() => [])
      others.push(...entries.map(({ id }) => id))
      return others.length === 4
    })
    expect(others.sort()).toEqual(ids.filter(id => id !== kept?.id).sort())
    const [row] =
      await sql`SELECT claimer FROM delivery_queue WHERE delivery_id = ${kept?.id ?? ''}`
    expect(row?.claimer).toBe(idOf(lane))
    await sqlOfLane.end({ timeout: 1 })
    proxy.stop()
  })

  test('that could not read the rest of a webhook reads only that again', async () => {
    const ids = await sample.deliveries(3)
    const lane = newLane()
    await lane.claim(1)
    const old = idOf(lane)
    await sql`ALTER FUNCTION queued_deliveries RENAME TO away`
    try {
      expect(await settled(lane.claim(1))).toThrow('queued_deliveries')
    } finally {
      await sql`ALTER FUNCTION away RENAME TO queued_deliveries`
    }
    const claimed: string[] = []
    for (let n = 0; n < 2; n++) claimed.push(...(await lane.claim(1)).map(({ id }) => id))
    expect(claimed).toEqual(ids.slice(1))
    expect(idOf(lane)).toBe(old)
  })

  test('that starts leaves paused webhooks until they are resumed', async () => {
    const other = await createOtherSample(sql, sample.cipher, 'https://paused.example/')
    const ids = await other.deliveries(3)
    await sql`UPDATE webhooks SET paused_at = now() WHERE id = ${other.webhookId}`
    const paused = await readQueuedWebhooks(sql, { accountId: '', webhookId: '', kind: 0 }, 10)
    expect(paused).toMatchObject([{ webhookId: other.webhookId, isPaused: true }])
    const lane = newLane()
    await sample.deliveries(1)
    expect(await lane.claim(10)).toHaveLength(1)
    await sql.begin(async tx => {
      await tx`UPDATE webhooks SET paused_at = NULL WHERE id = ${other.webhookId}`
      const accountId = await accountOf(other)
      await announceWebhook(tx as Tx, { accountId, webhookId: other.webhookId })
    })
    expect((await lane.claim(10)).map(({ id }) => id)).toEqual(ids)
  })

  test('that cannot release all rows of another one does not read the queue for it each second', async () => {
    await sql`INSERT INTO claimers VALUES (gen_random_uuid(), 'attempts', '-infinity')`
    await sql`ALTER FUNCTION release_claimer RENAME TO away`
    await sql`CREATE SEQUENCE releases`
    await sql`
      CREATE FUNCTION release_claimer(uuid, uuid, text[]) RETURNS void LANGUAGE sql AS $$
        SELECT nextval('releases'), pg_sleep(0.5)
      $$`
    try {
      const lane = newLane()
      const until = performance.now() + 3_500
      while (performance.now() < until) {
        await lane.claim(0)
        await Bun.sleep(100)
      }
      const [releases] = await sql`SELECT last_value::int AS count FROM releases`
      expect(releases).toEqual({ count: 1 })
    } finally {
      await sql`DROP FUNCTION release_claimer`
      await sql`DROP SEQUENCE releases`
      await sql`ALTER FUNCTION away RENAME TO release_claimer`
    }
  })

  test('whose lease has ended with all others, as after an outage, keeps its rows when it renews it', async () => {
    const [lane, other] = [newLane(), newLane()]
    await other.claim(0)
    await sample.deliveries(1)
    await lane.claim(1)
    const wait = () => Bun.sleep(RENEW_MS + 50)
    await wait()
    await sql`UPDATE claimers SET until = '-infinity'`
    await other.renew()
    await lane.renew()
    await wait()
    await other.renew()
    await wait()
    expect(await sql`SELECT claimer FROM delivery_queue`).toMatchObject([{ claimer: idOf(lane) }])
    // Of one that does not, they are claimed by others.
    await sql`UPDATE claimers SET until = '-infinity' WHERE id = ${idOf(lane)}`
    await until('the other one has claimed it', async () => (await other.claim(1)).length === 1)
  })

  test('that is released while a claim of it is not committed leaves no row to a claimer that does not exist', async () => {
    const dead = newLane()
    await dead.claim(0)
    await sample.deliveries(1)
    const [row] = await sql<[Entry]>`
      SELECT account_id AS "accountId", webhook_id AS "webhookId", kind, sequence, delivery_id AS id
      FROM delivery_queue`
    await sql.begin(async transaction => {
      const tx = transaction as unknown as Sql
      expect(await claimDeliveries(tx, idOf(dead), [{ ...row, floor: 0 }])).toEqual(['claimed'])
      await releaseClaimer(sql, idOf(dead))
    })
    await releaseClaimer(sql, idOf(dead))
    expect(await sql`SELECT claimer FROM delivery_queue`).toMatchObject([{ claimer: null }])
    expect(await sql`SELECT FROM claimers WHERE id = ${idOf(dead)}`).toHaveLength(0)
  })

  test('that continues under another id can still release what it claimed before', async () => {
    const lane = newLane()
    await sample.deliveries(1)
    const [entry] = await lane.claim(1)
    if (entry === undefined) throw new Error('nothing was claimed')
    const old = idOf(lane)
    lane.giveUp([])
    await sql.begin(async tx => {
      // The release of the old id takes long.
      await tx`SELECT FROM claimers WHERE id = ${old} FOR UPDATE`
      await lane.claim(0)
      expect(idOf(lane)).not.toBe(old)
      await lane.release([entry])
    })
    await until('it is claimed again', async () => (await lane.claim(1)).length === 1)
  })

  test('finds the rows of one that does not exist', async () => {
    await sample.deliveries(1)
    await sql`UPDATE delivery_queue SET claimer = gen_random_uuid()`
    const lane = newLane()
    await until('it is claimed', async () => (await lane.claim(1)).length === 1)
  })

  test('finds such a row that was locked when it looked first', async () => {
    await sample.deliveries(1)
    await sql`UPDATE delivery_queue SET claimer = gen_random_uuid()`
    const lane = newLane()
    await sql.begin(async tx => {
      const [{ now }] = await tx<
        [{ now: Date }]
      >`SELECT now() FROM delivery_queue FOR NO KEY UPDATE`
      expect(await lane.claim(1)).toEqual([])
      await until('it has released what it could', async () => {
        const released = await sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
            AND query LIKE '%release_claimer%' AND query_start > ${now}`
        return released.length > 0
      })
    })
    await until('it is claimed', async () => (await lane.claim(1)).length === 1)
  })

  test('takes a webhook that another one is preferred for when that claims nothing for half a second', async () => {
    const [lane, idle] = [newLane(), newLane()]
    await Promise.all([lane.claim(1), idle.claim(1)])
    const others = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        createOtherSample(sql, sample.cipher, `https://other-${n}.example/`),
      ),
    )
    for (const other of others) await other.deliveries(1)
    const first = await lane.claim(100)
    const claimed = [...first]
    await until('it has claimed all', async () => {
      claimed.push(...(await lane.claim(100)))
      return claimed.length === 10
    })
  })
})

const idOf = (claimer: Claimer): string => claimer.ids()[0] ?? ''
