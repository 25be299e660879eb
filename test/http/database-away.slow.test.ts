import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { start } from '../../src/start'
import { useArden } from '../support/arden'
import { client, send } from '../support/client'
import { useDatabase } from '../support/database'
import { startProxy } from '../support/network/proxy'
import { scrape } from '../support/operations/metrics'
import { capturePostgresLog } from '../support/operations/postgres-log'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

describe('a database that is away', () => {
  test('503 UNAVAILABLE with Retry-After and never a wrong 401; it heals by itself', async () => {
    const proxy = startProxy(arden.env.DATABASE_URL ?? '')
    const env = { ...arden.env, DATABASE_URL: proxy.url, ARDEN_METRICS_PORT: '0' }
    const config = readConfig(env)
    const { log, warnings, infos } = capturePostgresLog()
    const behind = await start(config, { serve: true }, log)
    const someone = client(behind.url, (await arden.key()).key)
    expect((await someone.get('/articles')).status).toBe(200)

    const unlogged = async () =>
      (await scrape(behind.metricsUrl)).value('arden_unlogged_requests_total', { reason: 'caller' })
    expect(await unlogged()).toBe(0)
    proxy.cut()
    const ready = send(`${behind.url}/readyz`)
    for (const response of await Promise.all([
      someone.get('/articles'),
      someone.post('/projects', { name: 'p' }),
    ])) {
      expect([response.status, response.body.error]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await ready).status).toBe(503)
    // Their account is not known, so they are in no request log.
    expect(await unlogged()).toBe(2)
    expect(warnings[0]).toEndWith('. Requests get a 503 until it is available.')
    expect((await send(`${behind.url}/healthz`)).status).toBe(200)

    proxy.restore()
    await until('it heals', async () => (await someone.get('/articles')).status === 200)
    expect((await send(`${behind.url}/readyz`)).status).toBe(200)
    await until('the recovery is logged', () => infos.length > 0)
    expect(infos).toEqual(['Postgres: available again.'])
    await behind.stop()
    proxy.stop()
  })

  test('a database that becomes read-only is not ready, and the log says why', async () => {
    const { url, sql } = await useDatabase()
    const config = readConfig({ ...arden.env, DATABASE_URL: url })
    const { log, warnings } = capturePostgresLog()
    const behind = await start(config, { serve: true }, log)
    expect((await send(`${behind.url}/readyz`)).status).toBe(200)
    const name = new URL(url).pathname.slice(1)
    await sql`ALTER DATABASE ${sql(name)} SET default_transaction_read_only = on`
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = ${name} AND pid <> pg_backend_pid()`
    await until('it is logged', async () => {
      expect((await send(`${behind.url}/readyz`)).status).toBe(503)
      return warnings.includes(
        'Postgres: the database is read-only. Requests get a 503 until it is available.',
      )
    })
    await behind.stop()
  })

  // A disk that is full, a standby, and a role that may not sign in: errors of PostgreSQL itself that pass.
  test.each(['disk_full', 'read_only_sql_transaction', 'invalid_authorization_specification'])(
    '503 UNAVAILABLE while PostgreSQL reports %s',
    async condition => {
      const someone = await arden.client()
      await arden.sql.unsafe(`
        CREATE FUNCTION fail_insert() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION '${condition}' USING ERRCODE = '${condition}'; END $$;
        CREATE TRIGGER fail_insert BEFORE INSERT ON projects
          FOR EACH STATEMENT EXECUTE FUNCTION fail_insert()`)
      const { status, headers, body } = await someone.post('/projects', { name: 'p' })
      await arden.sql`DROP FUNCTION fail_insert CASCADE`
      expect([status, body.error]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    },
  )
})
