import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/store'
import { readConfig } from '../../src/config'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { createKey } from '../../src/keys/store'
import { startPostgres } from '../../src/local/postgres/server'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { client } from '../support/client'
import { checkHere, one } from '../support/commands/doctor'
import { testEnvironment } from '../support/environment'
import { stopAfterTests } from '../support/stop-after-tests'
import { until } from '../support/until'

/** A PostgreSQL whose commits wait for a standby that is gone. */

const root = await mkdtemp(join(tmpdir(), 'arden-standby-'))
// The database server does not run as root, and its own user must reach the folder.
await chmod(root, 0o755)
stopAfterTests({ stop: () => rm(root, { recursive: true, force: true }) })
const server = stopAfterTests(await startPostgres({ dir: join(root, 'primary'), durable: false }))

const superuser = connect(server.adminUrl, { name: 'test', max: 1 })
stopAfterTests({ stop: () => superuser.end() })
const setNames = async (names: string) => {
  await superuser.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
  await superuser`SELECT pg_reload_conf()`
}

test('doctor names the standby that commits wait for, instead of workers that cannot report', async () => {
  const sql = connect(server.url, { name: 'test', max: 1 })
  await migrate(sql)
  const check = async () => {
    const checks = await checkHere({ ...testEnvironment(), DATABASE_URL: server.url })
    return [one(checks, 'database'), one(checks, 'workers')]
  }
  expect(await check()).toMatchObject([
    { status: 'ok' },
    { status: 'fail', found: expect.stringContaining('No worker has been seen') },
  ])
  await setNames('ANY 1 (*)')
  expect(await check()).toMatchObject([
    {
      status: 'fail',
      found: expect.stringContaining(
        'Changes wait for a standby, and none is connected (synchronous_standby_names is "ANY 1 (*)")',
      ),
      todo: expect.stringContaining('ALTER SYSTEM RESET synchronous_standby_names'),
    },
    { status: 'fail', todo: 'See "database" above.' },
  ])
  await setNames('')
  await sql.end()
})

test('a change whose commit waits for it gets a 503, and so do those that wait for its connection', async () => {
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: server.url,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'fatal',
  })
  const arden = stopAfterTests(await start(config, { serve: true }, createLog(config)))
  const sql = connect(server.url, { name: 'test', max: 1 })
  const actor = { type: 'cli', id: 'tests', name: 'tests' } as const
  const { key } = await sql.begin(async tx => {
    const { id: accountId } = await createAccount(tx, actor, 'Acme')
    return createKey(
      tx,
      { accountId, actor, address: null },
      { name: 'test', scopes: ['read', 'write'], mode: 'live' },
    )
  })
  const live = client(arden.url, key)
  const blog = (await live.post('/projects', { name: 'Blog' })).body.data
  await setNames('ANY 1 (*)')
  const article = live.post('/articles', { project_id: blog.id, title: 'Unconfirmed' })
  const created = await Promise.all(
    Array.from({ length: 5 }, (_, n) => live.post('/projects', { name: `Project ${n}` })),
  )
  expect(created.map(({ status }) => status)).toEqual(Array(5).fill(503))
  const unconfirmed = created.find(({ body }) => body.message.includes('may still make it'))
  for (const response of [unconfirmed, await article]) {
    expect(response?.body.message).toContain('may still make it')
    // A client that waits for it would repeat what may be made.
    expect(response?.headers.get('retry-after')).toBeNull()
  }
  await setNames('')
  await until('they are committed', async () => {
    const { data } = (await live.get('/projects')).body
    return data.length > 0
  })
  await sql.end()
}, 120_000)
