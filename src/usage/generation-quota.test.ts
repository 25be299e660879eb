import { beforeEach, describe, expect, test } from 'bun:test'
import { createCaller } from '../../test/support/caller'
import { passMonths } from '../../test/support/content/usage'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import type { Caller, Tenant } from '../caller'
import type { Tx } from '../db/connect'
import { countTokens, getUsage, returnToQuota, takeFromQuota } from './store'

let live: Caller
let testCaller: Caller

const { sql } = await useDatabase({ connections: 20 })
beforeEach(async () => {
  live = await createCaller(sql)
  testCaller = await createCaller(sql, 'test', live.accountId)
})

const setQuota = (quota: number) =>
  sql`UPDATE accounts SET monthly_generations = ${quota} WHERE id = ${live.accountId}`
const begin = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
const take = (tenant: Tenant = live) => begin(tx => takeFromQuota(tx, tenant))
const returnGeneration = (at = new Date(), tenant: Tenant = live) =>
  begin(tx => returnToQuota(tx, tenant, [at]))
const generations = async () => (await getUsage(sql, live.accountId)).generations
const pass = (months: number) => passMonths(sql, live.accountId, months)
const lastMonth = () => {
  const day = new Date()
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 0, 12))
}

/** How many of `count` concurrent generations are accepted; all others must be refused for the quota. */
const takeAtOnce = async (count: number, between = async (_: Tx) => {}) => {
  const results = await Promise.allSettled(
    Array.from({ length: count }, () =>
      begin(async tx => {
        await takeFromQuota(tx, live)
        await between(tx)
      }),
    ),
  )
  for (const result of results)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'PLAN_LIMIT_REACHED' })
  return results.filter(result => result.status === 'fulfilled').length
}

test('200,000 tokens belong to each generation of the quota, also of generations that were returned', async () => {
  await setQuota(2)
  const use = (inputTokens: number, tenant: Tenant = live) =>
    begin(tx => countTokens(tx, tenant, { inputTokens, outputTokens: 1_000 }))
  await take()
  await use(398_999)
  await returnGeneration()
  await take()
  await returnGeneration()
  await use(0)
  expect(await settled(take())).toThrow(
    'The plan allows 400000 tokens of language models a month, those of failed and cancelled generations included, and 400999 were used.',
  )
  expect(await generations()).toBe(0)
  await take(testCaller)
  await pass(1)
  await take()
})

describe('the quota of generations', () => {
  test('of 50 concurrent generations and a quota of 10, exactly 10 are accepted', async () => {
    await setQuota(10)
    expect(await takeAtOnce(50)).toBe(10)
    expect(await generations()).toBe(10)
  })

  test('it stays exact while others are returned: as many are accepted as were free', async () => {
    await setQuota(10)
    await takeAtOnce(10)
    const [taken] = await Promise.all([
      takeAtOnce(40, tx => tx`SELECT pg_sleep(0.002)`.then(() => {})),
      ...Array.from({ length: 5 }, () => returnGeneration()),
    ])
    expect(taken).toBeLessThanOrEqual(5)
    expect(await generations()).toBe(5 + taken)
    expect(await takeAtOnce(40)).toBe(5 - taken)
    expect(await generations()).toBe(10)
  })

  test('a transaction that is rolled back takes nothing from the quota', async () => {
    await setQuota(1)
    const undone = begin(async tx => {
      await takeFromQuota(tx, live)
      throw new Error('undone')
    })
    expect(await settled(undone)).toThrow('undone')
    await take()
    expect(await generations()).toBe(1)
  })

  test('the refusal contains the quota and the day on which the next month begins', async () => {
    await setQuota(0)
    const now = new Date()
    const renews = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
    const error = await take().catch(thrown => thrown)
    expect(error.code).toBe('PLAN_LIMIT_REACHED')
    expect(error.message).toContain('allows 0 live generations a month')
    expect(error.message).toContain(`begins on ${renews.toISOString().slice(0, 10)} (UTC)`)
  })

  test('a raised or lowered quota applies to the next generation', async () => {
    await setQuota(1)
    await take()
    expect(await settled(take())).toThrow('allows 1 live')
    await setQuota(2)
    await take()
    await setQuota(1)
    await returnGeneration()
    expect(await settled(take())).toThrow('allows 1 live')
  })

  test('a new month begins with the full quota, and earlier generations are returned to their month', async () => {
    await setQuota(2)
    await takeAtOnce(2)
    await pass(1)
    expect(await generations()).toBe(0)
    expect(await takeAtOnce(3)).toBe(2)
    await returnGeneration(lastMonth())
    expect(await settled(take())).toThrow('allows 2 live')
    expect(await generations()).toBe(2)
    const [before] = await sql`
      SELECT sum(generations)::int AS taken FROM monthly_usage
      WHERE account_id = ${live.accountId} AND month < usage_month(now())`
    expect(before?.taken).toBe(1)
  })

  test('several generations are returned in one call, each to its month', async () => {
    await setQuota(3)
    await takeAtOnce(3)
    await pass(1)
    await takeAtOnce(3)
    const takenAt = [lastMonth(), lastMonth(), new Date()]
    await begin(tx => returnToQuota(tx, live, takenAt))
    expect(await generations()).toBe(2)
    const [before] = await sql`
      SELECT sum(generations)::int AS taken FROM monthly_usage
      WHERE account_id = ${live.accountId} AND month < usage_month(now())`
    expect(before?.taken).toBe(1)
  })

  test('months are UTC months, to the last millisecond', async () => {
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

  test('test mode takes nothing, returns nothing and is never refused', async () => {
    await setQuota(0)
    await take(testCaller)
    await returnGeneration(new Date(), testCaller)
    expect(await generations()).toBe(0)
  })

  test('each account has its own quota', async () => {
    await setQuota(1)
    await take()
    const other = await createCaller(sql)
    await take(other)
    expect((await getUsage(sql, other.accountId)).generations).toBe(1)
  })
})
