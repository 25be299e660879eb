import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { useArden } from '../support/arden'
import { client, send } from '../support/client'
import { startProxy } from '../support/network/proxy'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

describe('a database that is away', () => {
  test('503 UNAVAILABLE with Retry-After and never a wrong 401; it heals by itself', async () => {
    const proxy = startProxy(arden.env.DATABASE_URL ?? '')
    const config = readConfig({ ...arden.env, DATABASE_URL: proxy.url })
    const behind = await start(config, { serve: true }, createLog(config))
    const someone = client(behind.url, (await arden.key()).key)
    expect((await someone.get('/articles')).status).toBe(200)

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
    expect((await send(`${behind.url}/healthz`)).status).toBe(200)

    proxy.restore()
    await until('it heals', async () => (await someone.get('/articles')).status === 200)
    expect((await send(`${behind.url}/readyz`)).status).toBe(200)
    await behind.stop()
    proxy.stop()
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
