/**
 * A connection that ends within a transaction, with the driver as it is patched (docs/decisions/database.md, "Connections").
 */
import { beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Tx } from '../../src/db/connect'
import { useDatabase } from '../support/database'
import { startProxy } from '../support/network/proxy'
import { stopAfterTests } from '../support/stop-after-tests'
import { until } from '../support/until'

const { url, sql } = await useDatabase()
const proxy = stopAfterTests(startProxy(url))
// One connection: each query after the loss uses it.
const client = connect(proxy.url, { name: 'lost', max: 1 })
stopAfterTests({ stop: () => client.end({ timeout: 0 }) })
await sql`CREATE TABLE written (by_transaction text)`

const lose = (how: 'end' | 'reset') => {
  if (how === 'end') proxy.cut()
  else proxy.reset()
  proxy.restore()
}
const write = (db: Tx | typeof client, by: string) =>
  db`INSERT INTO written (by_transaction) VALUES (${by})`
const written = async () => {
  const rows = await sql<{ by: string }[]>`SELECT by_transaction AS by FROM written`
  return rows.map(({ by }) => by)
}
const isRunning = async () => {
  const [{ running }] = await sql<[{ running: boolean }]>`
    SELECT EXISTS (SELECT FROM pg_stat_activity
      WHERE application_name = 'lost' AND state = 'active' AND query LIKE '%pg_sleep%') AS running`
  return running
}

beforeEach(async () => {
  // PostgreSQL does not notice at once that the client of a running query is gone.
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'lost' AND query LIKE '%pg_sleep%'`
  await sql`TRUNCATE written`
})

describe.each(['end', 'reset'] as const)('a connection is lost (%s)', how => {
  test('during a query of a transaction: it rejects, and the pool goes on', async () => {
    const lost = client.begin(async tx => {
      await write(tx, 'lost')
      await tx`SELECT pg_sleep(60)`
    })
    await until('the query runs', isRunning)
    lose(how)
    expect(String(await lost.catch(error => error.code))).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
    await write(client, 'next')
    expect(await written()).toEqual(['next'])
  })

  test('between two queries of a transaction: nothing of it is written on the next connection', async () => {
    const began = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const lost = client.begin(async tx => {
      await write(tx, 'lost')
      began.resolve()
      await goOn.promise
      await write(tx, 'late').then(late.resolve, late.reject)
    })
    lost.catch(() => {})
    await began.promise
    lose(how)
    expect(await lost.catch(error => error.code)).toBe('CONNECTION_CLOSED')
    const next = client.begin(async tx => {
      await write(tx, 'next')
      goOn.resolve()
      await late.promise.catch(() => {})
      await write(tx, 'next')
    })
    await next
    expect(await late.promise.catch(error => error.code)).toBe('CONNECTION_CLOSED')
    expect(await written()).toEqual(['next', 'next'])
  })
})
