import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config'
import { migrate } from '../../src/db/migrate'
import { createLog } from '../../src/log'
import { connectTemporal } from '../../src/temporal/connection'
import { KIND } from '../../src/webhooks/queue/entry'
import { useArden } from '../support/arden'
import { checkHere as check, failing, one, useDatabases } from '../support/commands/doctor'
import { pollAs } from '../support/operations/poll-as'
import { settled } from '../support/settled'

const arden = await useArden({})
afterEach(() => {
  setSystemTime()
})
const databaseOf = useDatabases()
const checkHere = (env: Record<string, string>) => check({ ...arden.env, ...env })

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
    'busy pollers',
    'generation pollers',
  ])
  expect(one(checks, 'outbox')).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/^1 delivery waits, the oldest for 30\d s\.$/),
  })
  // As while Temporal is away: a worker claims it again and again.
  await sql`UPDATE delivery_queue SET claimer = ${crypto.randomUUID()}`
  expect(one(await checkHere(env), 'outbox')?.found).toBe('0 deliveries wait, and 1 with workers.')
  await sql`UPDATE delivery_queue SET claimer = NULL`
  // Those of a paused webhook wait for its resume, whether everything is paused or not.
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret, paused_at)
    VALUES ('wh_2', 'acc_1', 'live', 'https://example.com', '{}', 'v1.01234567.x.y', now())`
  await sql`
    INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id, due_at)
    VALUES ('acc_1', 'wh_2', ${KIND.first}, 0, 'dlv_3', now())`
  expect(one(await checkHere(env), 'outbox')?.found).toMatch(
    /^1 delivery waits, the oldest for 3\d\d s; 1 more for paused webhooks\.$/,
  )
  await sql`UPDATE deployment SET paused_at = now()`
  // Also those of a workflow, which can be lost.
  await sql`
    INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
    VALUES ('acc_1', 'wh_1', ${KIND.owned}, 0, 'dlv_2')`
  expect(one(await checkHere(env), 'outbox')).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(
      /; 1 delivery waits, and 1 are with a worker or a workflow, or wait for their order; 1 more for paused webhooks\.$/,
    ),
    todo: 'Resume with: arden resume',
  })
})

test('a database of another application is named, and not migrated', async () => {
  const { url, sql } = await databaseOf({ unmigrated: true })
  await sql`CREATE TABLE orders (id int)`
  // As of Laravel and TypeORM.
  await sql`CREATE TABLE migrations (id int, name text, batch int)`
  expect(one(await checkHere({ DATABASE_URL: url }), 'migrations')).toMatchObject({
    status: 'fail',
    found: 'The database has tables (migrations, orders), and no record that Arden created them.',
    todo: expect.stringContaining('DATABASE_URL'),
  })
  expect(await settled(migrate(sql))).toThrow('has tables (migrations, orders)')
  const tables = await sql`SELECT FROM pg_tables WHERE schemaname = 'public'`
  expect(tables).toHaveLength(2)

  // A schema of its own is one, whatever its name is.
  await sql`CREATE SCHEMA "my-arden"`
  await sql`SET search_path = "my-arden"`
  expect(await migrate(sql)).not.toEqual([])
})

test('the polls of workers of another database are reported, and those of killed workers set no clock', async () => {
  const { url, sql } = await databaseOf()
  const name = 'clock'
  const config = readConfig({ ...arden.env })
  const temporal = await connectTemporal(
    config,
    createLog({ logLevel: 'fatal', logFormat: 'json' }),
  )
  await pollAs(temporal, name, 'killed')
  const pollers = async () =>
    one(await checkHere({ DATABASE_URL: url, ARDEN_TASK_QUEUE: name }), 'workflow pollers')
  expect(await pollers()).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(
      /^The task queue clock is polled by killed, and no such worker reports to this database\./,
    ),
    todo: expect.stringContaining('TEMPORAL_NAMESPACE'),
  })
  await sql`INSERT INTO workers (id, slots, seen_at) VALUES ('killed', 1, now() - interval '1 minute')`
  const clock = async () =>
    one(await checkHere({ DATABASE_URL: url, ARDEN_TASK_QUEUE: name }), 'temporal clock')?.found
  // Temporal still lists its polls.
  expect(await pollers()).toMatchObject({
    status: 'fail',
    found: 'No worker polls the task queue clock for workflow tasks.',
  })
  expect(await clock()).toBe('No running worker polls, so there is no time of Temporal to compare.')
  await sql`UPDATE workers SET seen_at = clock_timestamp()`
  expect((await pollers())?.found).toBe('1 worker polls the task queue clock.')
  expect(await clock()).toBe("Temporal's clock agrees with this machine's.")
  // A clock of this machine that is ahead makes no poll an old one.
  setSystemTime(new Date(Date.now() + 90_000))
  expect((await pollers())?.found).toBe('1 worker polls the task queue clock.')
  expect(await clock()).toMatch(/^Temporal's clock is up to \d+\.\d s behind this machine's\.$/)
  await temporal.connection.close()
})

test('rank tracking that is late, ended early, failed, is missing or was missing is reported', async () => {
  const { url, sql } = await databaseOf()
  const look = async (row?: Record<string, unknown>) => {
    await sql`DELETE FROM rank_runs`
    if (row !== undefined) await sql`INSERT INTO rank_runs ${sql({ keywords: 10, ...row })}`
    const { status, found } = one(await checkHere({ DATABASE_URL: url }), 'rank tracking') ?? {}
    return [status, found]
  }
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  expect(await look()).toEqual([
    'ok',
    'No scheduled run has begun yet. Those that users request are on the pages of their projects.',
  ])
  expect(await look({ started_at: hoursAgo(2) })).toEqual([
    'ok',
    expect.stringContaining('is checking 10 keywords'),
  ])
  const ended = { started_at: hoursAgo(5), finished_at: hoursAgo(4), ranked: 9, failed: 1 }
  expect(await look(ended)).toEqual([
    'ok',
    expect.stringContaining('ranked 9 of 10 keywords; 1 got no usable result'),
  ])
  expect(await look({ ...ended, ranked: 4, failed: 6 })).toEqual([
    'warn',
    expect.stringContaining('got no usable result of the SERP provider for 6 of 10 keywords'),
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
  const of = { account_id: 'acc_1', mode: 'live' }
  const project = { id: 'prj_1', ...of, name: 'p', language: 'en', domain: 'acme.com' }
  const keyword = { id: 'kw_1', ...of, project_id: 'prj_1', keyword: 'k', folded: 'k' }
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  await sql`INSERT INTO projects ${sql({ ...project, rank_due_at: hoursAgo(5.5) })}`
  expect(await look(ended)).toEqual(['ok', expect.stringContaining('ranked 9')])
  await sql`
    INSERT INTO keywords ${sql({ ...keyword, tracked: true, country: 'US', device: 'desktop' })}`
  expect(await look(ended)).toEqual([
    'warn',
    'The keywords of a project have been due for 5 hours, and no run has begun.',
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
  await sql`UPDATE generations SET check_at = now() + interval '1 minute' WHERE id = 'gen_1'`
  // As it is until Temporal has it, and while Temporal is away.
  await sql`UPDATE generations SET due_at = now() WHERE id = 'gen_2'`
  expect(await look()).toMatchObject({
    status: 'ok',
    found: '1 generations are being written, 1 wait.',
  })
  await sql`UPDATE generations SET queued_at = now() - interval '20 minutes'`
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
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: (5 * 86_400) as never },
  })
  await temporal.connection.close()
  const checks = await checkHere({ TEMPORAL_NAMESPACE: namespace, ARDEN_RETENTION_DAYS: '2' })
  expect(one(checks, 'workflow retention')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('for 5 days'),
    todo: `Run: temporal operator namespace update -n ${namespace} --retention 2d`,
  })
  expect(one(checks, 'search attributes')).toMatchObject({ status: 'warn' })
})
