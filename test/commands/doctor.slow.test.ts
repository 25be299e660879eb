import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { Registry } from 'prom-client'
import { readConfig, settings } from '../../src/config'
import { connect } from '../../src/db/connect'
import { type CheckResult, runChecks } from '../../src/doctor/check'
import { compareClocks } from '../../src/doctor/clock'
import { checkVersion } from '../../src/doctor/database'
import { portChecks, readSettings } from '../../src/doctor/machine'
import { createMetricsApp } from '../../src/metrics/endpoint'
import { createCipher } from '../../src/webhooks/signing/encryption'
import { useArden } from '../support/arden'
import { checkHere as check, failing, one, useDatabases } from '../support/commands/doctor'
import { databaseUrl } from '../support/database'
import { startPooler } from '../support/db/pooler'
import { testEnvironment } from '../support/environment'
import { runArden } from '../support/process'
import { fc } from '../support/property'
import { stopAfterTests } from '../support/stop-after-tests'

const arden = await useArden({ serve: true, worker: true })
const databaseOf = useDatabases()
const pooler = stopAfterTests(startPooler(arden.env.DATABASE_URL ?? ''))

type Env = Record<string, string>

/** The command, as an operator runs it. */
const doctor = async (env: Env) => {
  const { stdout, stderr, code } = await runArden(['doctor', '--json'], { ...arden.env, ...env })
  return { checks: JSON.parse(stdout) as CheckResult[], code, stderr }
}
const checkHere = (env: Env = {}) => check({ ...arden.env, ...env })

test('a system that works is reported in one line for each part, with exit code 0', async () => {
  const { checks, code, stderr } = await doctor({})
  expect(failing(checks)).toEqual([])
  expect([code, stderr]).toEqual([0, ''])
  const text = await runArden(['doctor'], arden.env)
  const lines = text.stdout.trim().split('\n')
  expect(lines.map(line => line.split(/ {2,}/)[1])).toEqual(checks.map(({ name }) => name))
  expect(text.stdout).toMatch(/^ok {4}database {2,}PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\//m)
  expect(text.stdout).toMatch(
    /^ok {4}workers {2,}1 worker is alive, with 2000 attempts at a time\.$/m,
  )
  expect(text.stdout).toMatch(/^ok {4}eager start /m)
})

test('wrong, missing and misspelt settings are all named, and what is right is used all the same', async () => {
  const { checks, code } = await doctor({
    ARDEN_IN_FLIGHT: 'many',
    ARDEN_LLM_MODEL: 'a-model',
    ARDEN_RETENTON_DAYS: '3',
    // Settings of the commands that call the API.
    ARDEN_API_KEY: 'ar_test_1',
    ARDEN_PROFILE: 'default',
    ARDEN_URL: 'http://127.0.0.1:9',
    TEMPORAL_ADDRESS: 'nowhere',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere',
    OTEL_TRACES_SAMPLER: 'some',
  })
  expect(code).toBe(1)
  const settings = checks.filter(({ name }) => name === 'settings').map(({ found }) => found)
  for (const name of [
    'ARDEN_IN_FLIGHT',
    'ARDEN_LLM_BASE_URL',
    'ARDEN_RETENTON_DAYS',
    'TEMPORAL_ADDRESS',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ])
    expect(settings.filter(found => found.startsWith(name))).toHaveLength(1)
  expect(settings.filter(found => found.includes('is not a setting'))).toHaveLength(1)
  expect(one(checks, 'database')?.status).toBe('ok')
  // Not the one at the default address, which is another.
  expect(one(checks, 'temporal')).toMatchObject({
    found: 'Not checked.',
    todo: 'See "settings" above.',
  })
  expect(one(checks, 'namespace')?.todo).toBe('See "temporal" above.')
})

test('no combination of invalid settings stops the check of the others', () => {
  const names = [
    ...Object.keys(settings),
    'ARDEN_LLM_A_API',
    'ARDEN_LLM_A_API_KEY',
    'ARDEN_LLM_A_BASE_URL',
    'ARDEN_LLM_A_MODEL',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
  ]
  const values = ['0', '1', 'a', 'a:b', 'a,b', 'http', 'serpapi', 'dataforseo', 'anthropic']
  const urls = ['http://a.example', 'https://a.example/x', 'smtp://a.example', 'A <a@b.example>']
  const Environment = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values, ...urls)), {
      maxLength: 20,
      selector: ([name]) => name,
    })
    .map(entries => Object.fromEntries(entries))
  fc.assert(
    fc.property(Environment, env => readSettings(env).checks.length > 0),
    {
      numRuns: 5_000,
      examples: [
        [{ ARDEN_SERP_API_KEY: 'k' }],
        [{ ARDEN_SERP_API_KEY: 'k', ARDEN_SERP_PROVIDER: 'x' }],
      ],
    },
  )
  const misspelt = readSettings({ ARDEN_SERP_API_KEY: 'k', ARDEN_SERP_PROVIDER: 'serpapii' })
  expect(
    misspelt.checks.flatMap(({ found }) => (found.includes('SERP') ? [found.split(',')[0]] : [])),
  ).toEqual(['ARDEN_SERP_PROVIDER is "serpapii"'])
})

test('the settings of language models with names are known, those of other names are not', () => {
  const env = {
    ARDEN_LLM_PROVIDERS: 'local, my-ollama',
    ARDEN_LLM_LOCAL_BASE_URL: 'http://127.0.0.1:1/v1',
    ARDEN_LLM_LOCAL_API_KEY: 'none',
    ARDEN_LLM_LOCAL_MODEL: 'm',
    ARDEN_LLM_MY_OLLAMA_BASE_URL: 'http://127.0.0.1:1/v1',
    ARDEN_LLM_MY_OLLAMA_API_KEY: 'none',
    ARDEN_LLM_MY_OLLAMA_MODEL: 'm',
    ARDEN_LLM_MY_OLLAMA_MAX_TOKENS: '1000',
    ARDEN_LLM_MY_OLLAMA_IN_FLIGHT: '5',
  }
  expect(one(readSettings(env).checks, 'settings')?.status).toBe('ok')
  const misspelt = { ...env, ARDEN_LLM_LOCAL_MODLE: 'm', ARDEN_LLM_REMOTE_MAX_TOKEN: '1000' }
  expect(readSettings(misspelt).checks.map(({ found }) => found)).toEqual([
    'ARDEN_LLM_LOCAL_MODLE is not a setting of Arden and has no effect.',
    'ARDEN_LLM_REMOTE_MAX_TOKEN is not a setting of Arden and has no effect.',
  ])
  // It prevents the start, so it has an effect.
  const unnamed = readSettings({ ...env, ARDEN_LLM_REMOTE_MODEL: 'm' }).checks
  expect(unnamed.map(({ status, found }) => [status, found.split(',')[0]])).toEqual([
    ['fail', 'ARDEN_LLM_REMOTE_MODEL is set'],
  ])
})

test('without a database, a missing encryption key is named beside it, and one that is there is not checked', async () => {
  const [neither, keyed] = await Promise.all([
    doctor({ DATABASE_URL: '', ARDEN_ENCRYPTION_KEY: '', ARDEN_DATA_DIR: '/nowhere' }),
    doctor({ DATABASE_URL: '', ARDEN_DATA_DIR: '/nowhere' }),
  ])
  expect(failing(neither.checks)).toEqual(['database', 'encryption key'])
  expect(one(neither.checks, 'encryption key')?.found).toBe('ARDEN_ENCRYPTION_KEY is not set.')
  expect(one(keyed.checks, 'encryption key')?.todo).toBe('See "database" above.')
})

test('an encryption key or a mail server of the wrong form is named once, not as missing', async () => {
  const { checks } = await doctor({
    ARDEN_ENCRYPTION_KEY: 'short',
    ARDEN_SMTP_URL: 'mail.acme.com',
    ARDEN_MAIL_FROM: 'arden@acme.com',
  })
  const named = (setting: string) => checks.filter(({ found }) => found.includes(setting))
  expect(named('ARDEN_ENCRYPTION_KEY')).toHaveLength(1)
  expect(named('ARDEN_SMTP_URL')).toHaveLength(1)
  for (const name of ['encryption key', 'email'])
    expect(one(checks, name)?.todo).toBe('See "settings" above.')
})

test('a database without a connection left names the limit to raise', async () => {
  const { url, sql } = await databaseOf({ unmigrated: true })
  await sql.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} CONNECTION LIMIT 0`)
  const { checks } = await doctor({ DATABASE_URL: url })
  const list = await runArden(['accounts', 'list'], { ...arden.env, DATABASE_URL: url })
  expect(one(checks, 'database')?.todo).toStartWith('Raise its CONNECTION LIMIT')
  expect(list.stderr).toContain('Raise its CONNECTION LIMIT')
})

test('where no dev runs and nothing is set, that is the one failure: how to start dev, and what production needs', async () => {
  const unset = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', ARDEN_ENCRYPTION_KEY: '' }
  const { checks, code } = await doctor({ ...unset, ARDEN_DATA_DIR: '/nowhere' })
  expect([code, failing(checks)]).toEqual([1, ['database']])
  const database = one(checks, 'database')
  expect(database?.found).toBe('DATABASE_URL is not set, and no `arden dev` runs on /nowhere.')
  for (const todo of ['Start `arden dev`', 'ARDEN_DATA_DIR', ...Object.keys(unset)])
    expect(database?.todo).toContain(todo)
})

test('a database that runs, and refuses the sign-in, is not said to be away', async () => {
  const url = new URL(arden.env.DATABASE_URL ?? '')
  url.pathname = '/not-created'
  const found = one(await checkHere({ DATABASE_URL: url.href }), 'database')
  expect(found?.found).toContain('database "not-created" does not exist')
  expect(found?.todo).toStartWith('It is running. Correct ')
})

test('what hangs and what is away hides nothing else, and no password is shown', async () => {
  const hanging = createServer(() => {}).listen(0, '127.0.0.1')
  const address = hanging.address()
  const port = typeof address === 'object' ? address?.port : 0
  const [hung, away] = await Promise.all([
    doctor({
      DATABASE_URL: `postgres://arden:hush@127.0.0.1:${port}/arden`,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    }),
    doctor({
      DATABASE_URL: 'postgres://arden:hush@127.0.0.1:1/arden',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    }),
  ])
  hanging.close()
  expect(one(hung.checks, 'database')?.found).toEndWith(
    ' cannot be used: the database did not respond in time.',
  )
  expect(one(hung.checks, 'temporal')?.found).toBe('Not checked: no response within 8 s.')
  for (const { checks, code, stderr } of [hung, away]) {
    expect([code, stderr]).toEqual([1, ''])
    expect(failing(checks)).toContain('database')
    expect(failing(checks)).toContain('temporal')
    expect(one(checks, 'database')?.found).toMatch(
      /^The database at 127\.0\.0\.1:\d+\/arden cannot be used: /,
    )
    expect(one(checks, 'outbox')?.todo).toBe('See "database" above.')
    expect(one(checks, 'namespace')?.todo).toBe('See "temporal" above.')
    const all = JSON.stringify(checks)
    expect(all).not.toContain('hush')
    expect(all).not.toContain(arden.env.ARDEN_ENCRYPTION_KEY)
  }
  const seen = await checkHere({ TEMPORAL_ADDRESS: '127.0.0.1:1' })
  expect(one(seen, 'outbox')?.status).toBe('ok')
})

test('reports whether a schema is empty, older, newer or made of another text', async () => {
  const unmigrated = await databaseOf({ unmigrated: true })
  expect(one(await checkHere({ DATABASE_URL: unmigrated.url }), 'migrations')).toMatchObject({
    status: 'fail',
    todo: 'Run: arden migrate',
  })
  const { url, sql } = await databaseOf()
  const look = async () => one(await checkHere({ DATABASE_URL: url }), 'migrations')
  await sql`DELETE FROM migrations WHERE version = (SELECT max(version) FROM migrations)`
  expect(await look()).toMatchObject({ status: 'fail', todo: 'Run: arden migrate' })
  await sql`INSERT INTO migrations (version, name, checksum) VALUES (900, 'later', 'x')`
  expect(await look()).toMatchObject({ status: 'warn', todo: expect.stringContaining('upgrade') })
  await sql`UPDATE migrations SET checksum = 'x' WHERE version = 1`
  expect(await look()).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('001_baseline'),
  })
  await sql`UPDATE migrations SET name = '001_init' WHERE version = 1`
  expect(await look()).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('before the first release'),
  })
})

test('a disk that is full is a failure of the database, and a role that cannot find out is a warning', async () => {
  const { url, sql } = await databaseOf()
  const name = new URL(url).pathname.slice(1)
  const look = async () => one(await checkHere({ DATABASE_URL: url }), 'database')
  expect((await look())?.status).toBe('ok')
  await sql`REVOKE TEMPORARY ON DATABASE ${sql(name)} FROM PUBLIC, arden`
  expect(await look()).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('permission denied to create temporary tables'),
  })
  // As PostgreSQL refuses it on a file system without 1 MiB of room.
  const superuser = connect(databaseUrl(testEnvironment().databaseAdminUrl, name), {
    name: 'test',
    max: 1,
  })
  await superuser.unsafe(`
    CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()`)
  await superuser.end()
  expect(await look()).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('is full (could not extend file): requests get a 503.'),
  })
})

test('reports whether functions are not applied, or newer', async () => {
  const { url, sql } = await databaseOf()
  const look = async () => one(await checkHere({ DATABASE_URL: url }), 'migrations')
  await sql`UPDATE applied_functions SET checksum = 'x' WHERE name = 'admit'`
  expect(await look()).toMatchObject({ status: 'fail', found: 'Not applied yet: admit.' })
  await sql`UPDATE applied_functions SET generation = 900`
  expect(await look()).toMatchObject({ status: 'warn', todo: expect.stringContaining('upgrade') })
})

test('PostgreSQL is good from 15 on', () => {
  expect(checkVersion(140_020, 'PostgreSQL 14.20')).toMatchObject({ status: 'fail' })
  expect(checkVersion(150_000, 'PostgreSQL 15.0')).toMatchObject({ status: 'ok' })
})

test('another encryption key is found, with secrets that no key opens, and nothing is written', async () => {
  const other = randomBytes(32).toString('hex')
  const wrong = one(await checkHere({ ARDEN_ENCRYPTION_KEY: other }), 'encryption key')
  expect(wrong).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('this database needs'),
  })

  const { url, sql } = await databaseOf()
  const fresh = one(await checkHere({ DATABASE_URL: url }), 'encryption key')
  expect(fresh).toMatchObject({ status: 'ok', found: expect.stringContaining('first start') })
  const [row] = await sql`SELECT encryption_canary FROM deployment`
  expect(row?.encryption_canary).toBeNull()
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    VALUES ('wh_1', 'acc_1', 'live', 'https://example.com', '{}', 'v1.01234567.x.y')`
  const lost = one(await checkHere({ DATABASE_URL: url }), 'encryption key')
  expect(lost).toMatchObject({ status: 'fail', found: expect.stringContaining('of 1 webhook,') })
})

test('a worker that was not restarted during a change of the encryption key is named', async () => {
  const { url, sql } = await databaseOf()
  const given = String(arden.env.ARDEN_ENCRYPTION_KEY)
  const old = randomBytes(32).toString('hex')
  const keyId = (key: string) => createCipher(Buffer.from(key, 'hex')).keyId
  const check = async () =>
    one(
      await checkHere({ DATABASE_URL: url, ARDEN_ENCRYPTION_KEY: `${given},${old}` }),
      'encryption key',
    )
  const report = (id: string, ...keys: string[]) => sql`
    INSERT INTO workers (id, slots, encryption_keys) VALUES (${id}, 1, ${keys.map(keyId)})
    ON CONFLICT (id) DO UPDATE SET encryption_keys = EXCLUDED.encryption_keys`
  await report('one:1', old, given)
  await sql`INSERT INTO workers (id, slots) VALUES ('version before:1', 1)`
  expect(await check()).toMatchObject({ status: 'ok' })
  await report('other:1', old)
  expect(await check()).toMatchObject({
    status: 'warn',
    found: `The worker other:1 does not have the key ${keyId(given)} of ARDEN_ENCRYPTION_KEY: deliveries of webhooks whose secrets are encrypted with it wait there.`,
    todo: expect.stringContaining('Restart it'),
  })
  await sql`UPDATE workers SET seen_at = now() - interval '20 s' WHERE id = 'other:1'`
  expect(await check()).toMatchObject({ status: 'ok' })
})

test('a transaction pooler is found, and a direct connection is not taken for one', async () => {
  const checks = await checkHere({ DATABASE_URL: pooler.url })
  expect(failing(checks)).toEqual(['pooler'])
  expect(one(await checkHere(), 'pooler')?.status).toBe('ok')
})

test('clocks that differ by more than can be measured are a warning, and by a minute a failure', () => {
  expect(compareClocks('Its', 1_500, 10).status).toBe('ok')
  expect(compareClocks('Its', 2_500, 1_000).status).toBe('ok')
  expect(compareClocks('Its', -2_500, 10)).toMatchObject({
    status: 'warn',
    found: "Its clock is 2.5 s behind this machine's.",
  })
  expect(compareClocks('Its', 61_000, 10).status).toBe('fail')
})

test('the port of serve is free, an Arden, or in the way', async () => {
  const other = createServer(socket => socket.end()).listen(0, '127.0.0.1')
  const address = other.address()
  const taken = String(typeof address === 'object' ? address?.port : 0)
  const look = async (PORT: string) => {
    const check = one(await runChecks(portChecks(readConfig({ ...arden.env, PORT }))), 'port')
    return [check?.status, check?.found]
  }
  expect(await look(taken)).toEqual(['fail', expect.stringContaining('Another program uses')])
  // No proxy listens at this address: checks of this machine must not use one.
  const { checks } = await doctor({
    PORT: new URL(arden.url).port,
    HTTP_PROXY: 'http://127.0.0.1:1',
  })
  expect(one(checks, 'port')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('An Arden'),
  })
  const metrics = portChecks(readConfig({ ...arden.env, PORT: '0', ARDEN_METRICS_PORT: taken }))
  expect(one(await runChecks(metrics), 'metrics port')).toMatchObject({
    status: 'fail',
    todo: expect.stringContaining('ARDEN_METRICS_PORT'),
  })
  const own = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: createMetricsApp(new Registry(), []).fetch,
  })
  const running = portChecks(readConfig({ ...arden.env, ARDEN_METRICS_PORT: String(own.port) }))
  expect(one(await runChecks(running), 'metrics port')).toMatchObject({ status: 'ok' })
  await own.stop(true)
  other.close()
  expect(await look(taken)).toEqual(['ok', `Port ${taken} is free.`])
})

test('a HOST that is not of this machine, and one port for two purposes, are failures', async () => {
  for (const HOST of ['10.99.99.99', 'no.such.host.invalid'])
    expect(
      one(await runChecks(portChecks(readConfig({ ...arden.env, HOST }))), 'port'),
    ).toMatchObject({
      status: 'fail',
      found: `HOST is ${HOST}, which is not an address of this machine.`,
    })
  const { checks } = readSettings({ ...arden.env, PORT: '3000', ARDEN_METRICS_PORT: '3000' })
  expect(checks[0]?.found).toStartWith('ARDEN_METRICS_PORT is 3000, which is PORT as well.')
})
