import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { connect, type Sql } from '../../src/db/connect'
import { startPostgres } from '../../src/local/postgres/server'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { type CheckedLoad, startCheckedLoad } from '../faults/checked-load'
import { createRandom } from '../faults/random'
import { type Receivers, startReceivers } from '../faults/receivers'
import { type Client as Api, client } from '../support/client'
import { builtArden } from '../support/operations/binary'
import { commandOf, environmentOf } from '../support/operations/compose'
import { noTemporalServer, startTemporalServer } from '../support/operations/temporal-server'
import { runArden, spawnArden } from '../support/process'
import { until } from '../support/until'

/**
 * The main job as operators run it: the binary, `serve` and two workers, PostgreSQL, and a real Temporal
 * server on PostgreSQL, by the commands of docker-compose.yml.
 */

/** Building the server takes minutes, once for a machine. */
const BUILD_MS = 30 * 60_000
/** Time limits of a test, and for everything to become final, on a busy machine. */
const LONGEST_MS = 240_000
const FINAL_S = 150
/** The load, for a machine with two cores. */
const [CALLERS, EVENTS_PER_SECOND, GENERATION_EVERY_MS] = [4, 8, 1_500]
/** Between two workers that are replaced, in ms. */
const BETWEEN_MS = 1_000
const ROUNDS = 2

setDefaultTimeout(LONGEST_MS)

type Worker = Awaited<ReturnType<typeof spawnArden>>

const stops: (() => unknown)[] = []
const workers: Worker[] = []
let program: string[]
let sql: Sql
let server: Awaited<ReturnType<typeof startTemporalServer>>
let receivers: Receivers
let env: {
  migrate: Record<string, string>
  serve: Record<string, string>
  worker: Record<string, string>
}
let serve: Worker
let key: string

if (noTemporalServer !== undefined)
  process.stderr.write(`test/dispatch/rolling.slow.test.ts: ${noTemporalServer}\n`)
const onRealServer = noTemporalServer === undefined ? test : test.skip

/** One of `docker compose exec serve arden ...`. */
const command = async (...args: string[]) => {
  const { stdout, stderr, code } = await runArden(args, env.serve, program)
  expect(code, stderr).toBe(0)
  return stdout
}

const startWorker = () => spawnArden(role('worker'), env.worker, { program })

/** The word that the compose file gives to the binary. */
const role = <T extends string>(name: T): T => {
  expect(commandOf(name, {})).toEqual([name])
  return name
}

beforeAll(async () => {
  if (noTemporalServer !== undefined) return
  const dir = await mkdtemp(join(tmpdir(), 'rolling-'))
  chmodSync(dir, 0o711)
  const postgres = await startPostgres({ dir: join(dir, 'postgres') })
  stops.push(postgres.stop)
  server = await startTemporalServer(join(dir, 'temporal'), postgres.adminUrl)
  stops.push(server.stop)
  program = [await builtArden()]

  const { password } = new URL(postgres.url)
  const variables = { POSTGRES_ARDEN_PASSWORD: password, ARDEN_ENCRYPTION_KEY: 'ab'.repeat(32) }
  const here = {
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: server.address,
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
  }
  const listening = { HOST: '127.0.0.1', ARDEN_METRICS_PORT: '0' }
  env = {
    migrate: { ...environmentOf('migrate', variables), ...here },
    serve: { ...environmentOf('serve', variables), ...here, ...listening, PORT: '0' },
    worker: { ...environmentOf('worker', variables), ...here, ...listening },
  }
  const migrated = await runArden(commandOf('migrate', variables), env.migrate, program)
  expect(migrated.stdout, migrated.stderr).toContain('The search attributes are registered')

  serve = await spawnArden(role('serve'), env.serve, { program })
  stops.push(() => serve.kill('SIGTERM'))
  for (let n = 0; n < 2; n++) workers.push(await startWorker())
  stops.push(() => Promise.all(workers.map(worker => worker.kill('SIGTERM'))))
  const account = JSON.parse(await command('accounts', 'create', '--name', 'Acme', '--json'))
  // On a busy machine the load goes on for minutes.
  await command('accounts', 'set-plan', account.id, '--monthly-generations', '10000')
  const created = ['--name', 'first', '--mode', 'live', '--rate-limit', '100000', '--json']
  key = JSON.parse(await command('keys', 'create', ...created)).key
  sql = connect(postgres.url, { name: 'test', max: 2 })
  stops.push(() => sql.end())
  receivers = startReceivers(createRandom(1), ['fast', 'slow', 'recovers'])
  stops.push(receivers.stop)
}, BUILD_MS)

afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

/** Replaces each worker by a new one, while the other goes on. */
const roll = async ({ load, disturbances }: CheckedLoad) => {
  for (const [n, old] of workers.entries()) {
    const before = load.expected.length
    const at = performance.now()
    expect(await old.kill('SIGTERM')).toBe(0)
    workers[n] = await startWorker()
    // A retry may be late. Nothing may be sent twice.
    const repeatsUntil = Number.NEGATIVE_INFINITY
    disturbances.push({ name: 'rolled', at, until: performance.now(), repeatsUntil })
    await Bun.sleep(BETWEEN_MS)
    expect(load.expected.length).toBeGreaterThan(before)
  }
}

/** Starts generations until `signal` aborts. Returns their ids. */
const generate = async (api: Api, signal: AbortSignal): Promise<string[]> => {
  const { id: project } = (await api.post('/projects', { name: 'Blog' })).body.data
  const keyword = (await api.post(`/projects/${project}/keywords`, { keyword: 'cold brew' })).body
  const ids: string[] = []
  while (!signal.aborted) {
    const { status, body } = await api.post('/generations', { keyword_id: keyword.data.id })
    expect(status).toBe(202)
    ids.push(body.data.id)
    await Bun.sleep(GENERATION_EVERY_MS)
  }
  return ids
}

onRealServer(
  'workers of the binary are rolled one by one under load, on a real Temporal server: nothing is lost, nothing sent twice',
  async () => {
    const api = client(serve.url, key)
    const running = await startCheckedLoad({
      url: serve.url,
      key,
      receivers,
      random: createRandom(2),
      callers: CALLERS,
      perSecond: EVENTS_PER_SECOND,
    })
    const { load } = running
    const rolled = new AbortController()
    const generating = generate(api, rolled.signal)
    for (let round = 0; round < ROUNDS; round++) await roll(running)
    rolled.abort()
    running.stop()
    for (const id of await generating) {
      const done = await until(
        `${id} is final`,
        async () => {
          const { data } = (await api.get(`/generations/${id}`)).body
          return /^(QUEUED|RUNNING)$/.test(data.status) ? undefined : data
        },
        FINAL_S,
      )
      expect(done.status).toBe('COMPLETED')
      load.expected.push(
        { article: done.article_id, type: 'article.created' },
        { article: done.article_id, type: 'generation.completed' },
      )
    }
    const { verdicts, history } = await running.finish(() => {})
    expect(verdicts.flatMap(one => one.broken)).toEqual([])
    expect(load.uncertain).toBe(0)
    expect(history.deliveries.filter(one => one.status !== 'DELIVERED')).toEqual([])
  },
)

onRealServer(
  'deliveries start eagerly there, and are found by their search attributes',
  async () => {
    const connection = await Connection.connect({ address: server.address })
    const temporal = new Client({ connection })
    const [{ id, webhook_id, run, count }] = await sql<
      [{ id: string; webhook_id: string; run: number; count: number }]
    >`
    SELECT id, webhook_id, run, count(*) OVER (PARTITION BY webhook_id)::int AS count
    FROM deliveries WHERE status = 'DELIVERED' ORDER BY id LIMIT 1`
    const { events } = await temporal.workflow.getHandle(deliveryWorkflowId(id, run)).fetchHistory()
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted).toBe(true)
    await until('all deliveries of a webhook are found', async () => {
      const found = await temporal.workflow.count(`ArdenWebhook = '${webhook_id}'`)
      return found.count === count
    })
    await connection.close()
  },
)

onRealServer('arden doctor finds nothing wrong there', async () => {
  const { port } = new URL(serve.url)
  const { stdout, code } = await runArden(['doctor'], { ...env.serve, PORT: port }, program)
  expect(code, stdout).toBe(0)
})

onRealServer('the health checks of the image say what is well', async () => {
  const { port } = new URL(serve.url)
  const check = (of: 'serve' | 'worker') =>
    runArden(['health', of], { ...env[of], PORT: port }, program)
  expect(await check('serve')).toMatchObject({ code: 0 })
  expect(await check('worker')).toMatchObject({ code: 0 })
  for (const worker of workers) expect(await worker.kill('SIGTERM')).toBe(0)
  expect(await serve.kill('SIGTERM')).toBe(0)
  expect(await check('worker')).toMatchObject({ code: 1, stderr: expect.stringContaining('log') })
  expect(await check('serve')).toMatchObject({ code: 1, stderr: expect.stringContaining('arden') })
})

onRealServer('the schema can be set up again, as the next start does', () => server.setUpSchema())
