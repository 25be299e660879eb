import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import { until } from '../../test/support/until'
import { type BatcherOptions, createBatcher } from './batcher'

/** Long enough that no item times out on a busy machine, in ms. */
const TIMEOUT_MS = 30_000

const { sql } = await useDatabase()
await sql`CREATE TABLE numbers (n int PRIMARY KEY)`

/** A batcher that inserts numbers, one call at a time and at most three numbers in it, and its calls. */
const inserting = (options: Partial<BatcherOptions<number>> = {}) => {
  const calls: number[][] = []
  const insert = createBatcher(
    async (numbers: number[]) => {
      calls.push(numbers)
      await sql`INSERT INTO numbers SELECT unnest(${numbers}::int[])`
      return numbers.map(n => n * 10)
    },
    { maxCalls: 1, maxItems: 3, ...options },
  )
  return { insert, calls }
}

/** Blocks all inserts until the function it returns is called. */
const lockNumbers = async () => {
  const holder = await sql.reserve()
  await holder`BEGIN`
  await holder`LOCK TABLE numbers`
  return async () => {
    await holder`COMMIT`
    holder.release()
  }
}

test('items that come while a call is in flight share the next calls, each with at most maxItems', async () => {
  const { insert, calls } = inserting()
  const first = insert(1, TIMEOUT_MS)
  await new Promise(setImmediate)
  const others = [2, 3, 4, 5].map(n => insert(n, TIMEOUT_MS))
  expect(await Promise.all([first, ...others])).toEqual([10, 20, 30, 40, 50])
  expect(calls).toEqual([[1], [2, 3, 4], [5]])
})

test('a call has at most maxWeight, but always one item', async () => {
  const { insert, calls } = inserting({ maxWeight: 100, weightOf: n => n - 200 })
  const numbers = [290, 320, 204, 205]
  expect(await Promise.all(numbers.map(n => insert(n, TIMEOUT_MS)))).toEqual([
    2900, 3200, 2040, 2050,
  ])
  expect(calls).toEqual([[290, 204, 205], [320]])
})

test('items with the same key are in different calls, and each gets its own result', async () => {
  const parity = (n: number) => String(n % 2)
  const { insert, calls } = inserting({ uniqueBy: parity })
  expect(await Promise.all([81, 83, 82].map(n => insert(n, TIMEOUT_MS)))).toEqual([810, 830, 820])
  expect(calls).toEqual([[81, 82], [83]])
})

test('an item that comes alone is sent at once; those soon after it wait for more, until they are enough', async () => {
  const { insert, calls } = inserting({ gatherMs: 60_000, enough: 2 })
  expect(await insert(31, TIMEOUT_MS)).toBe(310)
  const waiting = insert(32, TIMEOUT_MS)
  await new Promise(setImmediate)
  expect(calls).toEqual([[31]])
  expect(await Promise.all([waiting, insert(33, TIMEOUT_MS)])).toEqual([320, 330])
  expect(calls).toEqual([[31], [32, 33]])
})

test('items that wait for more are sent when gatherMs have passed', async () => {
  const { insert, calls } = inserting({ gatherMs: 20, enough: 3 })
  await insert(41, TIMEOUT_MS)
  expect(await Promise.all([insert(42, TIMEOUT_MS), insert(43, TIMEOUT_MS)])).toEqual([420, 430])
  expect(calls).toEqual([[41], [42, 43]])
})

test('an urgent item waits for no others, and is sent together with those that wait', async () => {
  const { insert, calls } = inserting({ gatherMs: 60_000, enough: 3, isUrgent: n => n === 53 })
  await insert(51, TIMEOUT_MS)
  expect(await Promise.all([insert(52, TIMEOUT_MS), insert(53, TIMEOUT_MS)])).toEqual([520, 530])
  expect(await settled(insert(54, 100))).toThrow('did not respond in time')
  expect(calls).toEqual([[51], [52, 53]])
})

test('beside a call in flight, the next is sent with as many items as that one has; without one, at once', async () => {
  const { insert, calls } = inserting({ maxCalls: 2, gatherMs: 60_000, enough: 'as-last-call' })
  const unlock = await lockNumbers()
  const first = [61, 62].map(n => insert(n, TIMEOUT_MS))
  await until('it is sent', () => calls.length === 1)
  const second = [insert(63, TIMEOUT_MS)]
  await new Promise(setImmediate)
  expect(calls).toEqual([[61, 62]])
  second.push(insert(64, TIMEOUT_MS))
  await until('the second is sent', () => calls.length === 2)
  await unlock()
  await Promise.all([...first, ...second])
  expect(await insert(65, TIMEOUT_MS)).toBe(650)
  expect(calls).toEqual([[61, 62], [63, 64], [65]])
})

test('beside a call that takes longer than gatherMs, the next is sent with fewer items', async () => {
  const { insert, calls } = inserting({ maxCalls: 2, gatherMs: 20, enough: 'as-last-call' })
  const unlock = await lockNumbers()
  const first = [71, 72].map(n => insert(n, TIMEOUT_MS))
  await until('it is sent', () => calls.length === 1)
  const second = insert(73, TIMEOUT_MS)
  await until('the second is sent', () => calls.length === 2)
  await unlock()
  expect(await Promise.all([...first, second])).toEqual([710, 720, 730])
  expect(calls).toEqual([[71, 72], [73]])
})

test('an item that PostgreSQL rejects does not fail the others: each is run again in a call of its own', async () => {
  const { insert } = inserting()
  const [one, bad, other] = await Promise.allSettled([11, 1, 12].map(n => insert(n, TIMEOUT_MS)))
  expect([one, other].map(result => result?.status)).toEqual(['fulfilled', 'fulfilled'])
  expect(bad).toMatchObject({ status: 'rejected', reason: { constraint_name: 'numbers_pkey' } })
})

test('when the database goes away, no item of the call is run again', async () => {
  const { insert, calls } = inserting()
  const unlock = await lockNumbers()
  const both = Promise.allSettled([91, 92].map(n => insert(n, TIMEOUT_MS)))
  await until('the call waits for the lock', async () => {
    const [row] = await sql`
      SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT%'`
    return row?.ended === true
  })
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await unlock()
  expect(calls).toEqual([[91, 92]])
})

test('while PostgreSQL does not respond, an item that timed out is never sent, however often it is tried again', async () => {
  const { insert, calls } = inserting()
  const unlock = await lockNumbers()
  const first = insert(21, TIMEOUT_MS)
  await new Promise(setImmediate)
  for (let n = 0; n < 5; n++)
    expect(await settled(insert(22, 20))).toThrow('did not respond in time')
  await unlock()
  expect(await first).toBe(210)
  expect(await insert(22, TIMEOUT_MS)).toBe(220)
  expect(calls).toEqual([[21], [22]])
})

test('with rerunAlone false, a call that fails rejects all its items, and nothing is repeated', async () => {
  await sql`INSERT INTO numbers VALUES (901)`
  const { insert, calls } = inserting({ rerunAlone: false })
  const results = await Promise.allSettled([900, 901, 902].map(n => insert(n, TIMEOUT_MS)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(calls).toEqual([[900, 901, 902]])
})

const thousands = (n: number) => String(Math.floor(n / 1000))

test('keys take turns: one with many items fills no call while items of another wait, and whole calls when alone', async () => {
  const turns = { by: thousands, maxItems: 2, maxCalls: 1 }
  const { insert, calls } = inserting({ maxItems: 4, turns })
  const numbers = [1001, 1002, 1003, 1004, 1005, 1006, 1007, 2001]
  await Promise.all(numbers.map(n => insert(n, TIMEOUT_MS)))
  expect(calls).toEqual([[1001, 2001, 1002], [1003, 1004, 1005, 1006], [1007]])
})

test('the next call begins with the key whose turn it is', async () => {
  const turns = { by: thousands, maxItems: 2, maxCalls: 1 }
  const { insert, calls } = inserting({ turns })
  const numbers = [3001, 3002, 3003, 4001, 4002, 4003]
  await Promise.all(numbers.map(n => insert(n, TIMEOUT_MS)))
  expect(calls).toEqual([
    [3001, 4001, 3002],
    [4002, 3003, 4003],
  ])
})

test('a key with its share of the calls in flight waits; items of another are sent beside them', async () => {
  const turns = { by: thousands, maxItems: 3, maxCalls: 2 }
  const { insert, calls } = inserting({ maxCalls: 3, turns })
  const unlock = await lockNumbers()
  const burst = [6001, 6002, 6003].map(n => insert(n, TIMEOUT_MS))
  await until('the first is sent', () => calls.length === 1)
  burst.push(...[6004, 6005, 6006, 6007].map(n => insert(n, TIMEOUT_MS)))
  await until('the second is sent', () => calls.length === 2)
  expect(await settled(insert(6008, 20))).toThrow('did not respond in time')
  const other = insert(7001, TIMEOUT_MS)
  await until('the third is sent', () => calls.length === 3)
  await unlock()
  expect(await Promise.all([...burst, other])).toHaveLength(8)
  expect(calls).toEqual([[6001, 6002, 6003], [6004, 6005, 6006], [7001], [6007]])
})
