import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../test/support/caller'
import { createDatabase } from '../../test/support/database'
import type { Caller, Tenant } from '../caller'
import { connect, type Sql, type Tx } from '../db/connect'
import { createAdmit } from '../keys/admit'
import { createKey } from '../keys/store'
import { createCipher } from '../webhooks/encryption'
import { recordEvent, recordTestEvent } from '../webhooks/events'
import { createWebhook, deleteWebhook, updateWebhook } from '../webhooks/store'
import { getUsage, giveBackGenerations, takeGeneration } from './usage'

const cipher = createCipher(randomBytes(32))
let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let live: Caller
let tester: Caller

beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, { name: 'test', max: 20 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  live = await createCaller(sql)
  tester = await createCaller(sql, 'test', live.accountId)
})

const setQuota = (quota: number) =>
  sql`UPDATE accounts SET monthly_generations = ${quota} WHERE id = ${live.accountId}`
const begin = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
const take = (tenant: Tenant = live) => begin(tx => takeGeneration(tx, tenant))
const giveBack = (at = new Date(), tenant: Tenant = live) =>
  begin(tx => giveBackGenerations(tx, tenant, [at]))
const usage = () => getUsage(sql, live.accountId)
const usageRows = () => sql`SELECT FROM monthly_usage WHERE account_id = ${live.accountId}`
const generations = async () => (await usage()).generations

/** Lets months pass: what was counted so far, was counted `months` earlier. */
const pass = async (months: number) => {
  const by = `${months} months`
  await sql`UPDATE monthly_usage SET month = month - ${by}::interval WHERE account_id = ${live.accountId}`
  await sql`
    UPDATE api_key_windows SET month_end = month_end - ${by}::interval
    WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${live.accountId})`
}
const lastMonth = () => {
  const day = new Date()
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 0, 12))
}

/** How many of `count` at once are let through; all others must be refused for the quota. */
const takeAtOnce = async (count: number, between = async (_: Tx) => {}) => {
  const results = await Promise.allSettled(
    Array.from({ length: count }, () =>
      begin(async tx => {
        await takeGeneration(tx, live)
        await between(tx)
      }),
    ),
  )
  for (const result of results)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'PLAN_LIMIT_REACHED' })
  return results.filter(result => result.status === 'fulfilled').length
}

describe('the quota of generations', () => {
  test('of 50 at once against a quota of 10, exactly 10 are taken', async () => {
    await setQuota(10)
    expect(await takeAtOnce(50)).toBe(10)
    expect(await generations()).toBe(10)
  })

  test('it stays exact while others are given back: as many pass as there were places', async () => {
    await setQuota(10)
    await takeAtOnce(10)
    const [taken] = await Promise.all([
      takeAtOnce(40, tx => tx`SELECT pg_sleep(0.002)`.then(() => {})),
      ...Array.from({ length: 5 }, () => giveBack()),
    ])
    expect(taken).toBeLessThanOrEqual(5)
    expect(await generations()).toBe(5 + taken)
    expect(await takeAtOnce(40)).toBe(5 - taken)
    expect(await generations()).toBe(10)
  })

  test('a transaction that is rolled back takes nothing', async () => {
    await setQuota(1)
    const undone = begin(async tx => {
      await takeGeneration(tx, live)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await take()
    expect(await generations()).toBe(1)
  })

  test('the refusal names the quota, and the day it begins anew', async () => {
    await setQuota(0)
    const now = new Date()
    const renews = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
    const error = await take().catch(thrown => thrown)
    expect(error.code).toBe('PLAN_LIMIT_REACHED')
    expect(error.message).toContain('allows 0 live generations a month')
    expect(error.message).toContain(`begins on ${renews.toISOString().slice(0, 10)} (UTC)`)
  })

  test('a raised or lowered quota holds for the next one', async () => {
    await setQuota(1)
    await take()
    await expect(take()).rejects.toThrow('allows 1 live')
    await setQuota(2)
    await take()
    await setQuota(1)
    await giveBack()
    await expect(take()).rejects.toThrow('allows 1 live')
  })

  test('a new month begins with all of it, and what was taken before is given back to its own', async () => {
    await setQuota(2)
    await takeAtOnce(2)
    await pass(1)
    expect(await generations()).toBe(0)
    expect(await takeAtOnce(3)).toBe(2)
    await giveBack(lastMonth())
    await expect(take()).rejects.toThrow('allows 2 live')
    expect(await generations()).toBe(2)
    const [before] = await sql`
      SELECT sum(generations)::int AS taken FROM monthly_usage
      WHERE account_id = ${live.accountId} AND month < usage_month(now())`
    expect(before?.taken).toBe(1)
  })

  test('several are given back at once, each to its month', async () => {
    await setQuota(3)
    await takeAtOnce(3)
    await pass(1)
    await takeAtOnce(3)
    const takenAt = [lastMonth(), lastMonth(), new Date()]
    await begin(tx => giveBackGenerations(tx, live, takenAt))
    expect(await generations()).toBe(2)
    const [before] = await sql`
      SELECT sum(generations)::int AS taken FROM monthly_usage
      WHERE account_id = ${live.accountId} AND month < usage_month(now())`
    expect(before?.taken).toBe(1)
  })

  test('months are those of UTC, to the last millisecond', async () => {
    const months = await sql`
      SELECT usage_month(at)::text AS month FROM unnest(${[
        '2026-01-31T23:59:59.999Z',
        '2026-02-01T00:00:00.000Z',
        '2026-02-01T00:30:00.000+01:00',
        '2026-12-31T23:59:59.999-01:00',
      ]}::timestamptz[]) AS at`
    expect(months.map(row => row.month)).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-01-01',
      '2027-01-01',
    ])
  })

  test('test mode takes nothing, gives nothing back and is never refused', async () => {
    await setQuota(0)
    await take(tester)
    await giveBack(new Date(), tester)
    expect(await generations()).toBe(0)
  })

  test("another account's quota is its own", async () => {
    await setQuota(1)
    await take()
    const stranger = await createCaller(sql)
    await take(stranger)
    expect((await getUsage(sql, stranger.accountId)).generations).toBe(1)
  })
})

const created = (tx: Tx, tenant: Tenant) =>
  recordEvent(tx, tenant, 'article.created', {
    article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
    project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
    keyword_id: null,
    title: 't',
    status: 'DRAFT',
  })
const deleted = (tx: Tx, tenant: Tenant) =>
  recordEvent(tx, tenant, 'article.deleted', {
    article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
    project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
  })
const webhook = (by: Caller) =>
  begin(tx =>
    createWebhook(tx, cipher, by, {
      url: 'https://hooks.example/',
      events: ['article.created', 'article.deleted'],
    }),
  )

describe('articles and deliveries', () => {
  test('each article and each delivery that will be sent counts once', async () => {
    await webhook(live)
    await webhook(live)
    const disabled = await webhook(live)
    await begin(tx => updateWebhook(tx, live, disabled.id, { enabled: false }))
    const gone = await webhook(live)
    await begin(tx => deleteWebhook(tx, live, gone.id))
    await begin(tx => created(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 2 })
    await begin(tx => deleted(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 4 })
  })

  test('test mode, test deliveries and what is rolled back count nowhere', async () => {
    const { id } = await webhook(live)
    await webhook(tester)
    await begin(tx => created(tx, tester))
    await begin(tx => recordTestEvent(tx, live, id))
    const undone = begin(async tx => {
      await created(tx, live)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await usage()).toMatchObject({ articles: 0, deliveries: 0 })
    expect((await usageRows()).length).toBe(0)
  })

  test('they do not follow from rows: what is deleted stays counted', async () => {
    await webhook(live)
    await begin(tx => created(tx, live))
    await sql`DELETE FROM deliveries WHERE account_id = ${live.accountId}`
    await sql`DELETE FROM events WHERE account_id = ${live.accountId}`
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 1 })
  })

  test('writers of one account never wait for each other, and lose nothing', async () => {
    await webhook(live)
    const open = Promise.withResolvers<void>()
    let counted = 0
    // Each stays open until the last has counted: one that waited for another would hang here.
    const writers = Array.from({ length: 12 }, () =>
      begin(async tx => {
        await created(tx, live)
        await deleted(tx, live)
        await giveBackGenerations(tx, live, [new Date()])
        if (++counted === 12) open.resolve()
        await open.promise
      }),
    )
    await Promise.all(writers)
    expect(await usage()).toMatchObject({ articles: 12, deliveries: 24, generations: -12 })
    const before = (await usageRows()).length
    for (let i = 0; i < 50; i++) await begin(tx => created(tx, live))
    expect((await usageRows()).length).toBe(before)
  })

  test('a new month begins at nothing', async () => {
    await webhook(live)
    await begin(tx => created(tx, live))
    await pass(1)
    expect(await usage()).toMatchObject({ articles: 0, deliveries: 0 })
    await begin(tx => created(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 1 })
  })
})

describe('requests', () => {
  const admit = (value: string) => createAdmit(sql)(value)
  const newKey = (by: Caller, rate_limit = 100) => {
    const actor = { type: 'cli', id: 'tests', name: 'tests' } as const
    return begin(tx =>
      createKey(
        tx,
        { accountId: by.accountId, actor, address: null },
        { name: 'k', scopes: ['read'], mode: by.mode, rate_limit },
      ),
    )
  }
  const requests = async () => (await usage()).requests

  test('accepted requests of all live keys of the account count, refused ones and test keys do not', async () => {
    const [one, two] = [await newKey(live, 3), await newKey(live)]
    const test = await newKey(tester)
    expect(await requests()).toBe(0)
    for (let i = 0; i < 5; i++) await Promise.all([one, two, test].map(({ key }) => admit(key)))
    expect(await requests()).toBe(3 + 5)
  })

  test('they are those of this month, also of a key that was idle over its end', async () => {
    const [busy, idle] = [await newKey(live), await newKey(live)]
    for (let i = 0; i < 4; i++) await Promise.all([admit(busy.key), admit(idle.key)])
    expect(await requests()).toBe(8)
    await pass(1)
    expect(await requests()).toBe(0)
    await Promise.all([admit(busy.key), admit(busy.key)])
    expect(await requests()).toBe(2)
    await pass(1)
    await pass(1)
    await admit(idle.key)
    await admit(busy.key)
    await admit(busy.key)
    expect(await requests()).toBe(3)
  })

  test('a revoked key stays counted', async () => {
    const { id, key } = await newKey(live)
    await admit(key)
    await sql`UPDATE api_keys SET revoked_at = clock_timestamp() WHERE id = ${id}`
    await admit(key)
    expect(await requests()).toBe(1)
  })
})
