import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { until } from '../../test/support/until'
import { isWorkerAlive, readModelProviders, readProviders, reportWorker } from './heartbeat'
import { foreignWorkers } from './pollers'

const { sql } = await useDatabase()

test('the providers of all workers that run are known, and unknown without one', async () => {
  expect(await readProviders(sql)).toBeUndefined()
  await sql`
    INSERT INTO workers (id, slots, providers, seen_at) VALUES
      ('a', 1, '{live}', now()), ('b', 1, '{live,serp}', now()), ('old version', 1, NULL, now()),
      ('killed', 1, '{test}', now() - interval '20 s')`
  expect((await readProviders(sql))?.sort()).toEqual(['live', 'serp'])
  await sql`DELETE FROM workers`
})

test('a worker is alive while it runs, and deletes rows of workers that ended an hour ago', async () => {
  await sql`
    INSERT INTO workers (id, slots, seen_at) VALUES
      ('killed', 1, now() - interval '61 minutes'), ('just killed', 1, now() - interval '59 minutes')`
  const ids = async () => (await sql`SELECT id FROM workers ORDER BY id`).map(({ id }) => id)
  const stopping = new AbortController()
  const report = {
    id: 'this',
    slots: 7,
    providers: ['live' as const],
    languageModels: [],
    encryptionKeys: ['0a1b2c3d'],
    temporalAway: () => null,
  }
  const reporting = reportWorker(sql, report, stopping.signal)
  await until('it reports', async () => (await ids()).includes('this'))
  expect(await ids()).toEqual(['just killed', 'this'])
  const alive = async () =>
    (await sql`SELECT id FROM workers WHERE ${isWorkerAlive(sql)}`).map(({ id }) => id)
  expect(await alive()).toEqual(['this'])
  stopping.abort()
  await reporting
  expect(await alive()).toEqual([])
  // Temporal lists its polls for a while: they are of no other installation.
  const polls = (at: number) =>
    foreignWorkers(sql, [
      { identity: 'this', at },
      { identity: 'other', at },
    ])
  expect(await polls(Date.now())).toEqual(['other'])
  // In a copy of the database it reports no more.
  expect(await polls(Date.now() + 150_000)).toEqual(['this', 'other'])

  // A worker that was suspended for that long does not delete its own row.
  await sql`UPDATE workers SET seen_at = now() - interval '2 hours', slots = 1, encryption_keys = '{}' WHERE id = 'this'`
  const waking = new AbortController()
  const again = reportWorker(sql, report, waking.signal)
  await until('it reports again', async () => {
    const [row] = await sql`SELECT slots, encryption_keys FROM workers WHERE id = 'this'`
    return row?.slots === 7 && row.encryption_keys[0] === '0a1b2c3d'
  })
  waking.abort()
  await again
})

test('the language models are those of the worker that reported last, then those of others, in their order', async () => {
  expect(await readModelProviders(sql)).toBeUndefined()
  const provider = (name: string, model = 'm') => ({
    name,
    api: 'openai' as const,
    host: 'llm.example.com',
    models: [{ name: model, price: { input: 3, output: 15 } }],
  })
  const now = [provider('z'), provider('a')]
  const before = [provider('b'), provider('z', 'old')]
  await sql`
    INSERT INTO workers (id, slots, language_models, seen_at) VALUES
      ('now', 1, ${sql.json(now)}, now()), ('before', 1, ${sql.json(before)}, now() - interval '5 s'),
      ('killed', 1, ${sql.json([provider('c')])}, now() - interval '20 s')`
  expect(await readModelProviders(sql)).toEqual([...now, provider('b')])
})
