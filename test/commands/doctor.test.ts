import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { readConfig } from '../../src/config'
import { connect } from '../../src/db/connect'
import { type CheckResult, runChecks } from '../../src/doctor/check'
import { compareClocks } from '../../src/doctor/clock'
import { checkVersion } from '../../src/doctor/database'
import { portChecks } from '../../src/doctor/machine'
import { checkSystem } from '../../src/doctor/run'
import { createLog } from '../../src/log'
import { connectTemporal } from '../../src/temporal/connection'
import { KIND } from '../../src/webhooks/queue/entry'
import { useArden } from '../support/arden'
import { createDatabase } from '../support/database'
import { startPooler } from '../support/db/pooler'
import { runArden } from '../support/process'

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})
const arden = await useArden({ serve: true, worker: true })

type Env = Record<string, string>

/** The command, as an operator runs it. */
const doctor = async (env: Env) => {
  const { stdout, stderr, code } = await runArden(['doctor', '--json'], { ...arden.env, ...env })
  return { checks: JSON.parse(stdout) as CheckResult[], code, stderr }
}
/** The same checks in this process, which starts sooner. */
const checkHere = async (env: Env = {}): Promise<CheckResult[]> => {
  const config = readConfig({ ...arden.env, ...env })
  const sql = connect(config.databaseUrl ?? '', { name: 'test', max: 4 })
  const temporal = connectTemporal(config, createLog({ logLevel: 'fatal', logFormat: 'json' }))
  const close = temporal.then(
    ({ connection }) =>
      () =>
        connection.close(),
    () => async () => {}, // A check reports the reason.
  )
  const checks = await checkSystem({ config, sql, temporal: () => temporal })
  await sql.end({ timeout: 1 })
  await (await close)()
  return checks
}
const one = (checks: CheckResult[], name: string) => checks.find(check => check.name === name)
const failing = (checks: CheckResult[]) =>
  checks.filter(({ status }) => status === 'fail').map(({ name }) => name)
const databaseOf = async (options?: { unmigrated: boolean }) => {
  const { url, drop } = await createDatabase(options)
  const sql = connect(url, { name: 'test', max: 2 })
  ends.push(drop, () => sql.end())
  return { url, sql }
}

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
  expect(one(checks, 'database')?.status).toBe('ok')
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

test('what hangs and what is away hides nothing else, and no password is shown', async () => {
  const hanging = createServer(() => {}).listen(0, '127.0.0.1')
  ends.push(() => hanging.close())
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
  await sql`INSERT INTO migrations (version, name, checksum) VALUES (1, '001_baseline', 'x')`
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
  expect(lost).toMatchObject({ status: 'fail', found: expect.stringContaining('of 1 webhooks') })
})

test('a transaction pooler is found, and a direct connection is not taken for one', async () => {
  const pooler = startPooler(arden.env.DATABASE_URL ?? '')
  ends.push(pooler.stop)
  const checks = await checkHere({ DATABASE_URL: pooler.url })
  expect(failing(checks)).toEqual(['pooler'])
  expect(one(await checkHere(), 'pooler')?.status).toBe('ok')
})

test('no worker, no poller and a backlog are each reported', async () => {
  const { url, sql } = await databaseOf()
  await sql`INSERT INTO workers (id, slots, seen_at) VALUES ('killed', 1, now() - interval '1 minute')`
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    VALUES ('wh_1', 'acc_1', 'live', 'https://example.com', '{}', 'v1.01234567.x.y')`
  await sql`
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit, created_at)
    VALUES ('dlv_1', 'acc_1', 'live', 'wh_1', 'evt_1', 'article.created', 'RETRYING', 3, now())`
  await sql`
    INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id, due_at)
    VALUES ('acc_1', 'wh_1', ${KIND.first}, 0, 'dlv_1', now() - interval '5 minutes')`
  const env = { DATABASE_URL: url, ARDEN_TASK_QUEUE: 'nobody' }
  const checks = await checkHere(env)
  expect(failing(checks)).toEqual([
    'encryption key',
    'workers',
    'workflow pollers',
    'activity pollers',
    'generation pollers',
  ])
  expect(one(checks, 'outbox')).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/^1 deliveries are waiting, the oldest for 30\d s\.$/),
  })
  await sql`UPDATE deployment SET paused_at = now()`
  expect(one(await checkHere(env), 'outbox')).toMatchObject({
    status: 'warn',
    todo: 'Resume with: arden resume',
  })
})

test('rank tracking that is late, ended early, is missing or was missing is reported', async () => {
  const { url, sql } = await databaseOf()
  const look = async (row?: Record<string, unknown>) => {
    await sql`DELETE FROM rank_runs`
    if (row !== undefined) await sql`INSERT INTO rank_runs ${sql({ keywords: 10, ...row })}`
    const { status, found } = one(await checkHere({ DATABASE_URL: url }), 'rank tracking') ?? {}
    return [status, found]
  }
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  expect(await look()).toEqual(['ok', 'No rankings have been tracked yet.'])
  expect(await look({ started_at: hoursAgo(2) })).toEqual([
    'ok',
    expect.stringContaining('is checking 10 keywords'),
  ])
  const ended = { started_at: hoursAgo(5), finished_at: hoursAgo(4), ranked: 9, failed: 1 }
  expect(await look(ended)).toEqual([
    'ok',
    expect.stringContaining('ranked 9 of 10 keywords; 1 got no usable result'),
  ])
  expect(await look({ ...ended, missed_days: 2 })).toEqual([
    'warn',
    expect.stringContaining('There was no run for 2 days before'),
  ])
  expect(await look({ ...ended, unranked: 4, problem: 'Refused.' })).toEqual([
    'warn',
    expect.stringContaining('ended early, and 4 of 10 keywords have no new ranking. Refused.'),
  ])
  expect(await look({ started_at: hoursAgo(26), unranked: 3 })).toEqual([
    'warn',
    expect.stringContaining('has taken 26 hours; after a day, 3 of 10 keywords'),
  ])
  expect(await look({ ...ended, started_at: hoursAgo(50) })).toEqual([
    'warn',
    expect.stringContaining('is the last one, 50 hours ago'),
  ])
})

test('generations that wait for a worker are reported', async () => {
  const { url, sql } = await databaseOf()
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  const of = { account_id: 'acc_1', mode: 'live' }
  await sql`INSERT INTO projects ${sql({ id: 'prj_1', ...of, name: 'Blog', language: 'en' })}`
  const look = async () => one(await checkHere({ DATABASE_URL: url }), 'generations')
  await sql`
    INSERT INTO generations ${sql([
      { id: 'gen_1', ...of, project_id: 'prj_1', keyword: 'k', status: 'RUNNING' },
      { id: 'gen_2', ...of, project_id: 'prj_1', keyword: 'k', status: 'QUEUED' },
    ])}`
  await sql`UPDATE generations SET check_at = now() + interval '1 minute'`
  expect(await look()).toMatchObject({
    status: 'ok',
    found: '1 generations are being written, 1 wait.',
  })
  await sql`UPDATE generations SET created_at = now() - interval '20 minutes'`
  expect(await look()).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/^1 generations wait for a worker, the oldest for 120\d s\.$/),
    todo: expect.stringContaining('ARDEN_GENERATIONS_IN_FLIGHT'),
  })
})

test('a namespace that is missing, keeps too long or lacks the search attributes is reported', async () => {
  const missing = await checkHere({ TEMPORAL_NAMESPACE: 'nowhere' })
  expect(one(missing, 'temporal')?.status).toBe('ok')
  expect(one(missing, 'namespace')).toMatchObject({
    status: 'fail',
    todo: expect.stringContaining('temporal operator namespace create -n nowhere'),
  })
  for (const name of ['eager start', 'workflow retention', 'search attributes', 'activity pollers'])
    expect(one(missing, name)?.todo, name).toBe('See "namespace" above.')

  const namespace = `other-${randomBytes(4).toString('hex')}`
  const config = readConfig(arden.env)
  const temporal = await connectTemporal(config, createLog(config))
  ends.push(() => temporal.connection.close())
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: (5 * 86_400) as never },
  })
  const checks = await checkHere({ TEMPORAL_NAMESPACE: namespace, ARDEN_RETENTION_DAYS: '2' })
  expect(one(checks, 'workflow retention')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('for 5 days'),
    todo: `Run: temporal operator namespace update -n ${namespace} --retention 2d`,
  })
  expect(one(checks, 'search attributes')).toMatchObject({ status: 'warn' })
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
  other.close()
  expect(await look(taken)).toEqual(['ok', `Port ${taken} is free.`])
})
