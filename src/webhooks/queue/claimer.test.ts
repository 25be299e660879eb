import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { startProxy } from '../../../test/support/network/proxy'
import { until } from '../../../test/support/until'
import { createClaims } from '../../../test/support/webhooks/claims'
import { createOtherSample, createSample, type Sample } from '../../../test/support/webhooks/sample'
import { connect, type Sql, type Tx } from '../../db/connect'
import { redeliverFailed } from '../deliveries/bulk-redelivery'
import { recordAttempts } from '../dispatch/store'
import { recordTestEvent } from '../events/record'
import { laneCapacity } from './capacity'
import { type Claimer, createClaimer } from './claimer'
import { type Entry, KIND } from './entry'
import { claimDeliveries, releaseClaimer } from './statements'

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
    expect((await other.claim(400)).map(({ id }) => id).sort()).toEqual(more.sort())
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
    // As if the result of a claim of two more had not arrived.
    await sql`
      UPDATE delivery_queue SET claimer = ${idOf(lane)} WHERE delivery_id = ANY (${ids.slice(3)})`
    proxy.cut()
    await expect(lane.claim(5)).rejects.toThrow()
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
          requestHeaders: {},
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
  const accountId = await accountOf(sample)
  await sql`UPDATE deliveries SET status = 'FAILED'`
  await sql`DELETE FROM delivery_queue`
  await redeliverFailed(
    change => sql.begin(tx => change(tx as Tx)) as never,
    { accountId, mode: 'live' },
    sample.webhookId,
    undefined,
  )
  const [fresh = ''] = await sample.deliveries(1)
  const claimed = await newLane().claim(10)
  expect(claimed).toHaveLength(10)
  expect(claimed[0]?.id).toBe(fresh)
  expect(ids).toContain(claimed[1]?.id ?? '')
})

const idOf = (claimer: Claimer): string => claimer.ids()[0] ?? ''
