import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import type { Caller } from '../caller'
import { createChange } from './change'

const { sql } = await useDatabase()
await sql`CREATE TABLE counters AS SELECT id, 0 AS n FROM generate_series(1, 2) id`

const context = () => ({
  caller: {} as Caller,
  topics: [],
  request: new Request('http://localhost/', { method: 'PATCH' }),
  path: '/',
  body: {},
  set: { headers: {} },
})

test('retries a change that deadlocked, so that both are committed once', async () => {
  let commits = 0
  const change = createChange(sql, () => commits++)
  const firsts = [1, 2].map(() => Promise.withResolvers<void>())
  const bothLocked = Promise.all(firsts.map(({ promise }) => promise))
  let runs = 0
  const countBoth = (first: number, second: number) =>
    change(context(), 200, async tx => {
      runs++
      await tx`UPDATE counters SET n = n + 1 WHERE id = ${first}`
      firsts[first - 1]?.resolve()
      await bothLocked
      await tx`UPDATE counters SET n = n + 1 WHERE id = ${second}`
      return first
    })
  expect(await Promise.all([countBoth(1, 2), countBoth(2, 1)])).toEqual([{ data: 1 }, { data: 2 }])
  const rows = await sql<{ n: number }[]>`SELECT n FROM counters`
  expect(rows.map(row => row.n)).toEqual([2, 2])
  expect([runs, commits]).toEqual([3, 2])
})
