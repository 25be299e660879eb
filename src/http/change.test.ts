import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { until } from '../../test/support/until'
import type { Caller } from '../caller'
import { LockTimeout } from '../db/connect'
import { createChange, limitTransactions, madeBefore } from './change'
import { setCaller } from './request/caller'

const { sql } = await useDatabase()
await sql`CREATE TABLE counters AS SELECT id, 0 AS n FROM generate_series(1, 2) id`

const byKey: Omit<Caller, 'accountId'> = {
  mode: 'live',
  actor: { type: 'key', id: 'key_1', name: 'test' },
  scopes: ['write'],
  address: '127.0.0.1',
}
const context = (accountId = 'acc_1') => {
  const caller = { ...byKey, accountId }
  const request = new Request('http://localhost/', { method: 'PATCH' })
  setCaller(request, caller, async () => {})
  return { caller, topics: [], request, path: '/', body: {}, set: { headers: {} } }
}

test('retries a change that deadlocked, so that both are committed once', async () => {
  let commits = 0
  const change = createChange(sql, limitTransactions(), () => commits++)
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

test('a change is made while a migration adds a column to what it reads', async () => {
  const change = createChange(sql, limitTransactions(), () => {})
  const changeAll = () =>
    Promise.all(
      [1, 2, 3].map(n =>
        change(context(`acc_${n}`), 200, async tx => {
          const [before] = await tx`SELECT * FROM counters WHERE id = 1`
          const [after] = await tx`UPDATE counters SET n = n WHERE id = 2 RETURNING *`
          return [before, after].map(row => Object.keys(row ?? {}).length)
        }),
      ),
    )
  // PostgreSQL keeps the plan of a statement, and its columns, from the sixth time on.
  for (let times = 0; times < 10; times++) await changeAll()
  // Its lock is held for longer than statements are prepared again.
  const isLocked = Promise.withResolvers<void>()
  const added = sql.begin(async tx => {
    await tx`ALTER TABLE counters ADD COLUMN added int`
    isLocked.resolve()
    await tx`SELECT pg_sleep(6)`
  })
  await isLocked.promise
  expect(await changeAll()).toEqual(Array(3).fill({ data: [3, 3] }))
  await added
  await sql`ALTER TABLE counters DROP COLUMN added`
}, 30_000)

test('a change whose response cannot be stored for its Idempotency-Key fails, and is not committed', async () => {
  const change = createChange(sql, limitTransactions(), () => {})
  await sql`
    ALTER TABLE idempotent_requests ADD CONSTRAINT no_response CHECK (data IS NULL) NOT VALID`
  const { request, ...rest } = context()
  const post = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'Idempotency-Key': 'k1' },
  })
  setCaller(post, rest.caller, async () => {})
  const create = () =>
    change({ ...rest, request: post }, 201, async tx => {
      await tx`INSERT INTO counters VALUES (3, 0)`
      return 'created'
    })
  expect(await create().catch(String)).toContain('no_response')
  expect(await sql`SELECT FROM counters WHERE id = 3`).toHaveLength(0)
  await sql`ALTER TABLE idempotent_requests DROP CONSTRAINT no_response`
  expect(await create()).toEqual({ data: 'created' })
  expect(await sql`SELECT FROM counters WHERE id = 3`).toHaveLength(1)
})

test('a change whose connection is lost during its commit may be made, and says so; before, it is not', async () => {
  const change = createChange(sql, limitTransactions(), () => {})
  await sql`
    CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$`
  await sql`
    CREATE CONSTRAINT TRIGGER slow_commit AFTER UPDATE ON counters
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commit_slowly()`
  const endConnection = (query: string) =>
    until('its connection is ended', async () => {
      const ended = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query ILIKE ${query} AND wait_event = 'PgSleep'`
      return ended.length > 0
    })
  const committing = change(context(), 200, tx => tx`UPDATE counters SET n = 9 WHERE id = 1`).catch(
    String,
  )
  await endConnection('commit%')
  expect(await committing).toContain(
    'The connection to PostgreSQL ended before it had confirmed the change, which may be made. Read the record before you send the change again',
  )
  const running = change(context(), 200, tx => tx`SELECT pg_sleep(60)`).catch(String)
  await endConnection('select pg_sleep(60)%')
  expect(await running).not.toContain('may be made')
  await sql`DROP FUNCTION commit_slowly CASCADE`
})

test('a change that was made in batches responds with its result, also where that cannot be stored', async () => {
  let turns = 0
  const change = createChange(
    sql,
    async work => {
      if (++turns > 1) throw new LockTimeout()
      return work()
    },
    () => {},
  )
  const inBatches = (context: Parameters<typeof change>[0]) =>
    change(context, 202, madeBefore<number>, {
      before: transact =>
        transact(async tx => {
          await tx`UPDATE counters SET n = n + 1 WHERE id = 1`
          return 1
        }),
    })
  const { request: _, ...rest } = context()
  const post = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'Idempotency-Key': 'batches' },
  })
  setCaller(post, rest.caller, async () => {})
  expect(await inBatches({ ...rest, request: post })).toEqual({ data: 1 })
  expect(turns).toBe(2)
  turns = 0
  expect(await inBatches(context())).toEqual({ data: 1 })
  expect(turns).toBe(1)
})

test('changes of many accounts leave connections for other queries, and the change of another account ends with a 503 in words', async () => {
  const change = createChange(sql, limitTransactions(), () => {})
  const { promise, resolve } = Promise.withResolvers<void>()
  let running = 0
  const slow = Array.from({ length: 12 }, (_, n) =>
    change(context(`acc_${n % 4}`), 200, async () => {
      running++
      await promise
      return n
    }),
  )
  // From the start: four of them are rejected, maybe before `other` is.
  const ended = Promise.allSettled(slow)
  const other = change(context('acc_other'), 200, async () => 0).then(String, String)
  await until('eight run', () => running === 8)
  expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }] as never)
  expect(await other).toBe(
    'DomainError: The change was not started: PostgreSQL was busy with changes of other accounts for 10 s. Nothing was changed. Try again later.',
  )
  expect(running).toBe(8)
  resolve()
  await ended
  expect(await change(context('acc_other'), 200, async () => 'result')).toEqual({ data: 'result' })
}, 60_000)
