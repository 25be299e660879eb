import { expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { startPostgres } from '../../src/local/postgres/server'
import { checkHere, one } from '../support/commands/doctor'
import { testEnvironment } from '../support/environment'
import { stopAfterTests } from '../support/stop-after-tests'

/** A PostgreSQL whose commits wait for a standby that is gone. */

const root = await mkdtemp(join(tmpdir(), 'arden-standby-'))
// The database server does not run as root, and its own user must reach the folder.
await chmod(root, 0o755)
stopAfterTests({ stop: () => rm(root, { recursive: true, force: true }) })
const server = stopAfterTests(await startPostgres({ dir: join(root, 'primary'), durable: false }))

test('doctor names the standby that commits wait for, instead of workers that cannot report', async () => {
  const sql = connect(server.url, { name: 'test', max: 1 })
  await migrate(sql)
  const superuser = connect(server.adminUrl, { name: 'test', max: 1 })
  const setNames = async (names: string) => {
    await superuser.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await superuser`SELECT pg_reload_conf()`
  }
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
  await Promise.all([sql.end(), superuser.end()])
})
