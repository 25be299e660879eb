import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createDatabase } from '../../test/support/database'
import { createBatch } from './batch'
import { connect, type Sql } from './connect'

let sql: Sql
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await createDatabase()
  drop = database.drop
  sql = connect(database.url, { name: 'test', max: 4 })
  await sql`CREATE TABLE numbers (n int PRIMARY KEY)`
})
afterAll(async () => {
  await sql.end()
  await drop()
})

/** A batch that inserts numbers, one statement at a time, and what it asked. */
const inserting = (
  gathering: { gatherMs?: number; enough?: number; isUrgent?: (n: number) => boolean } = {},
) => {
  const asked: number[][] = []
  const insert = createBatch(
    async (numbers: number[]) => {
      asked.push(numbers)
      const rows = await sql<{ n: number }[]>`
        INSERT INTO numbers SELECT unnest(${numbers}::int[]) RETURNING n`
      return new Map(rows.map(({ n }) => [String(n), n]))
    },
    { calls: 1, most: 3, key: String, ...gathering },
  )
  return { insert, asked }
}

test('questions that come while one is under way are asked together, up to the most of them', async () => {
  const { insert, asked } = inserting()
  const first = insert(1, 5_000)
  await new Promise(setImmediate)
  const others = [2, 3, 4, 5].map(n => insert(n, 5_000))
  expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4, 5])
  expect(asked).toEqual([[1], [2, 3, 4], [5]])
})

test('one that comes alone goes out at once, what comes soon after waits for others, or until they are enough', async () => {
  const { insert, asked } = inserting({ gatherMs: 60_000, enough: 2 })
  expect(await insert(31, 5_000)).toBe(31)
  const waiting = insert(32, 5_000)
  await new Promise(setImmediate)
  expect(asked).toEqual([[31]])
  expect(await Promise.all([waiting, insert(33, 5_000)])).toEqual([32, 33])
  expect(asked).toEqual([[31], [32, 33]])
})

test('what waits for others goes out when the time for that is over', async () => {
  const { insert, asked } = inserting({ gatherMs: 20, enough: 3 })
  await insert(41, 5_000)
  expect(await Promise.all([insert(42, 5_000), insert(43, 5_000)])).toEqual([42, 43])
  expect(asked).toEqual([[41], [42, 43]])
})

test('one that is urgent waits for no others, and takes along what does', async () => {
  const { insert, asked } = inserting({ gatherMs: 60_000, enough: 3, isUrgent: n => n === 53 })
  await insert(51, 5_000)
  expect(await Promise.all([insert(52, 5_000), insert(53, 5_000)])).toEqual([52, 53])
  await expect(insert(54, 100)).rejects.toThrow('does not answer')
  expect(asked).toEqual([[51], [52, 53]])
})

test('one that Postgres cannot take fails nobody else: each is asked alone then', async () => {
  const { insert } = inserting()
  const [one, bad, other] = await Promise.allSettled([11, 1, 12].map(n => insert(n, 5_000)))
  expect([one, other].map(result => result?.status)).toEqual(['fulfilled', 'fulfilled'])
  expect(bad).toMatchObject({ status: 'rejected', reason: { constraint_name: 'numbers_pkey' } })
})

test('while Postgres does not answer, what is given up is never asked, however often it is put again', async () => {
  const { insert, asked } = inserting()
  const holder = await sql.reserve()
  await holder`BEGIN`
  await holder`LOCK TABLE numbers`
  const first = insert(21, 5_000)
  await new Promise(setImmediate)
  for (let n = 0; n < 5; n++) await expect(insert(22, 20)).rejects.toThrow('does not answer')
  await holder`COMMIT`
  holder.release()
  expect(await first).toBe(21)
  expect(await insert(22, 5_000)).toBe(22)
  expect(asked).toEqual([[21], [22]])
})
