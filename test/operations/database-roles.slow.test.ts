import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '../../src/db/connect'
import { startPostgres } from '../../src/local/postgres/server'
import { rolePrivileges } from '../support/db/role'
import { testEnvironment } from '../support/environment'
import { runPsqlScript } from '../support/operations/psql-script'
import { runArden, spawnArden } from '../support/process'
import { settled } from '../support/settled'
import { until } from '../support/until'

/** The roles of an installation, from deploy/postgres, and Arden's processes with its role. */

const ROOT = join(import.meta.dir, '../..')
const SCRIPTS = ['deploy/postgres/arden.sql', 'deploy/postgres/temporal.sql']
const PASSWORDS = {
  POSTGRES_ARDEN_PASSWORD: randomBytes(32).toString('hex'),
  POSTGRES_TEMPORAL_PASSWORD: "with a 'quote'",
}
setDefaultTimeout(120_000)

let folder: string
let postgres: Awaited<ReturnType<typeof startPostgres>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arden-roles-'))
  await chmod(folder, 0o711)
  postgres = await startPostgres({ dir: join(folder, 'postgres'), durable: false })
  await asAdmin(async sql => {
    await sql`DROP DATABASE arden`
    await sql`DROP ROLE arden`
  })
})
afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

const asAdmin = async <T>(work: (sql: Sql) => Promise<T>) => using(postgres.adminUrl, work)

const using = async <T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connect(url, { name: 'test', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const urlOf = (user: 'arden' | 'temporal', database: string): string => {
  const url = new URL(postgres.adminUrl)
  url.username = user
  url.password =
    user === 'arden' ? PASSWORDS.POSTGRES_ARDEN_PASSWORD : PASSWORDS.POSTGRES_TEMPORAL_PASSWORD
  url.pathname = `/${database}`
  return url.href
}

/** Rejects for a database that the user may not connect to. */
const privilegesIn = (user: 'arden' | 'temporal', database: string) =>
  using(urlOf(user, database), rolePrivileges)

/** `memberOf`: the roles that Arden's may have been given. */
const expectRolesApart = async (memberOf: string[]) => {
  expect(await privilegesIn('arden', 'arden')).toEqual({
    attributes: [],
    owns: ['arden'],
    memberOf,
  })
  expect(await privilegesIn('temporal', 'temporal')).toEqual({
    attributes: [],
    owns: ['temporal', 'temporal_visibility'],
    memberOf: [],
  })
  expect(await settled(privilegesIn('arden', 'temporal'))).toThrow('permission denied')
  expect(await settled(privilegesIn('arden', 'temporal_visibility'))).toThrow('permission denied')
  expect(await settled(privilegesIn('temporal', 'arden'))).toThrow('permission denied')
}

const psql = Bun.which('psql')
if (psql === null)
  process.stderr.write(
    'test/operations/database-roles.slow.test.ts: Not run: the roles by psql, which is not installed.\n',
  )
test.skipIf(psql === null)(
  'psql creates the roles, also as an administrator who is no superuser',
  async () => {
    await asAdmin(sql => sql`CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD 'secret'`)
    const url = Object.assign(new URL(postgres.adminUrl), {
      username: 'manager',
      password: 'secret',
    })
    const run = (files: string[], passwords: Partial<typeof PASSWORDS>) =>
      Bun.spawnSync(
        [
          ...['psql', url.href, '--no-psqlrc', '--set=ON_ERROR_STOP=1'],
          ...files.map(file => `--file=${file}`),
        ],
        {
          cwd: ROOT,
          env: {
            PATH: process.env.PATH ?? '',
            PGOPTIONS: '-c createrole_self_grant=set,inherit',
            ...passwords,
          },
        },
      )
    for (const [n, name] of ['POSTGRES_ARDEN_PASSWORD', 'POSTGRES_TEMPORAL_PASSWORD'].entries()) {
      const without = run(SCRIPTS.slice(n, n + 1), {})
      expect(without.exitCode).toBe(3)
      expect(without.stderr.toString()).toContain(`${name} is not set. Export it first`)
    }
    const { stderr, exitCode } = run(SCRIPTS, PASSWORDS)
    expect(exitCode, stderr.toString()).toBe(0)
    expect(stderr.toString().trim().split('\n')).toEqual([
      expect.stringContaining('NOTICE:  arden does not see the sessions of other roles'),
    ])
    await expectRolesApart([])
    await asAdmin(async sql => {
      for (const name of ['arden', 'temporal', 'temporal_visibility'])
        await sql`DROP DATABASE ${sql(name)}`
      for (const name of ['arden', 'temporal', 'manager']) {
        await sql`DROP OWNED BY ${sql(name)}`
        await sql`DROP ROLE ${sql(name)}`
      }
    })
  },
)

test('neither role is a superuser, each owns its own databases and cannot enter those of the other', async () => {
  for (const file of SCRIPTS) await runPsqlScript(postgres.adminUrl, file, PASSWORDS)
  await expectRolesApart(['pg_read_all_stats'])
  // Temporal's visibility schema creates it.
  await using(urlOf('temporal', 'temporal_visibility'), sql => sql`CREATE EXTENSION btree_gin`)
})

test('migrate, serve, worker and doctor work with the role of Arden', async () => {
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: urlOf('arden', 'arden'),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    ARDEN_WORKFLOW_BUNDLE: testEnvironment().workflowBundle,
    ARDEN_TASK_QUEUE: `roles-${randomBytes(6).toString('hex')}`,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  }
  const migrated = await runArden(['migrate'], env)
  expect(migrated.stdout, migrated.stderr).toContain('Applied 001_baseline')
  const serve = await spawnArden('serve', env)
  const worker = await spawnArden('worker', env)
  expect((await fetch(`${serve.url}/readyz`)).status).toBe(200)
  await until('the worker listens for wake-ups', () =>
    asAdmin(async sql => {
      const [row] = await sql`
        SELECT 1 FROM pg_stat_activity WHERE usename = 'arden' AND query ILIKE 'listen %'`
      return row !== undefined
    }),
  )
  const { stdout } = await runArden(['doctor', '--json'], env)
  const checks: { name: string; status: string; found: string }[] = JSON.parse(stdout)
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
  expect(await serve.kill('SIGTERM')).toBe(0)
  expect(await worker.kill('SIGTERM')).toBe(0)
  expect([...serve.lines, ...worker.lines].filter(line => line.includes('permission'))).toEqual([])
})
