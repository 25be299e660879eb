import { afterAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { useArden } from '../support/arden'
import { client, send } from '../support/client'
import { metricsOf, queries } from '../support/operations/deploy-queries'
import { scrape } from '../support/operations/metrics'
import { runArden, spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { LATE_MS, until } from '../support/until'

/** The metrics of a `serve` and a `worker`, each in a process of its own, after some work. */

const BASE = '/api/public/v1'

afterAll(() => Promise.all([serve.kill('SIGTERM'), worker.kill('SIGTERM')]))
const receiver = useReceiver(
  ({ path }) => new Response('x', { status: path === '/refuses' ? 500 : 200 }),
)
const arden = await useArden({})
const env = { ...arden.env, ARDEN_METRICS_PORT: '0' }
const both = await Promise.all([spawnArden('serve', env), spawnArden('worker', env)])
const serve = both[0]
const worker = both[1]
const live = client(serve.url, (await arden.key()).key)
const events = ['article.created']
for (const path of ['takes', 'refuses'])
  await live.post('/webhooks', { url: `${receiver.url}/${path}`, events })
await live.post('/webhooks', { url: 'http://127.0.0.1:1/', events })
const project_id = (await live.post('/projects', { name: 'p' })).body.data.id
await live.post('/articles', { project_id, title: 't' })
const { id } = (await live.post(`/projects/${project_id}/keywords`, { keyword: 'k' })).body.data

const fromServe = () => scrape(serve.metricsUrl)
const fromWorker = () => scrape(worker.metricsUrl)

describe('serve', () => {
  test('counts and times requests by method, route and status, and never by path', async () => {
    await live.get('/articles/art_nobody')
    await send(`${serve.url}/nowhere/at/all`, { method: 'PROPFIND' })
    const { value } = await fromServe()
    const requests = (method: string, route: string, status: string) =>
      value('arden_http_requests_total', { method, route, status })
    expect(requests('POST', `${BASE}/articles`, '201')).toBe(1)
    expect(requests('POST', `${BASE}/webhooks`, '201')).toBe(3)
    expect(requests('GET', `${BASE}/articles/:id`, '404')).toBe(1)
    expect(requests('other', 'none', '404')).toBe(1)
    const route = { route: `${BASE}/webhooks` }
    expect(value('arden_http_request_duration_seconds_count', route)).toBe(3)
    expect(value('arden_http_request_duration_seconds_sum', route)).toBeGreaterThan(0)
  })

  test('counts the dashboard by route, too: all its pages as one, and all its files', async () => {
    const { body } = await send(`${serve.url}/dashboard/live/articles/art_1`)
    const files = body.match(/\/dashboard\/assets\/[\w.-]+/g) ?? []
    for (const path of [...files, '/dashboard/api/v1/articles/art_1', '/dashboard/api/nowhere'])
      await send(serve.url + path)
    const { value } = await fromServe()
    const requests = (route: string, status: string) =>
      value('arden_http_requests_total', { method: 'GET', route, status })
    expect(requests('/dashboard/*', '200')).toBe(1)
    expect(requests('/dashboard/assets/:file', '200')).toBe(files.length)
    expect(requests('/dashboard/api/v1/articles/:id', '401')).toBe(1)
    expect(requests('/dashboard/*', '401')).toBe(1)
  })

  test('counts what was decided of a request by its key', async () => {
    const before = await fromServe()
    const tight = client(serve.url, (await arden.key({ rate_limit: 1 })).key)
    await tight.get('/usage')
    expect((await tight.get('/usage')).status).toBe(429)
    await send(`${serve.url}${BASE}/usage`)
    await send(`${serve.url}${BASE}/usage`, { headers: { authorization: 'Bearer ar_live_x' } })
    const after = await fromServe()
    const more = (outcome: string) =>
      (after.value('arden_limit_decisions_total', { outcome }) ?? 0) -
      (before.value('arden_limit_decisions_total', { outcome }) ?? 0)
    expect(['accepted', 'limited', 'missing', 'malformed'].map(more)).toEqual([1, 1, 1, 1])
  })

  test('exports nothing of the outbox, which workers do', async () => {
    expect((await fromServe()).names).not.toContain('arden_outbox_due')
  })

  test('has only GET /metrics at that port', async () => {
    const { origin } = new URL(serve.metricsUrl ?? '')
    expect((await send(`${origin}/`)).status).toBe(404)
    expect((await send(`${origin}/metrics`, { method: 'POST' })).status).toBe(404)
    expect((await send(`${origin}/metrics`, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('worker', () => {
  test('counts attempts by response, and times them', async () => {
    const { value } = await until('all three were tried', async () => {
      const found = await fromWorker()
      return (found.value('arden_attempt_duration_seconds_count') ?? 0) >= 3 && found
    })
    const attempts = (result: string, response: string) =>
      value('arden_attempts_total', { result, response })
    expect(attempts('delivered', '2xx')).toBe(1)
    expect(attempts('failed', '5xx')).toBe(1)
    expect(attempts('failed', 'none')).toBe(1)
    expect(attempts('infrastructure_error', 'none')).toBe(0)
    expect(value('arden_deliveries_total', { outcome: 'delivered' })).toBe(1)
    expect(value('arden_deliveries_total', { outcome: 'failed' })).toBe(0)
  })

  test('counts a delivery that ends FAILED', async () => {
    const [webhook] = (await live.get('/webhooks')).body.data
    await live.patch(`/webhooks/${webhook.id}`, { enabled: false })
    const failed = () =>
      fromWorker().then(it => it.value('arden_deliveries_total', { outcome: 'failed' }))
    await until('it is counted', async () => (await failed()) === 1)
  })

  test('counts what it handed to Temporal, and how long after the commit', async () => {
    // Not before: its article is delivered, too, and would count in the tests above.
    await live.post('/generations', { keyword_id: id })
    const { value } = await until('the generation is done', async () => {
      const found = await fromWorker()
      return found.value('arden_generations_total', { outcome: 'completed' }) === 1 && found
    })
    const hands = (table: string, result: string) =>
      value('arden_hand_overs_total', { table, result })
    // Of the article, and of that which the generation made.
    expect(hands('deliveries', 'ok')).toBeGreaterThanOrEqual(3)
    expect(hands('generations', 'ok')).toBe(1)
    expect(hands('deliveries', 'failed')).toBe(0)
    const lag = (part: string) =>
      value(`arden_dispatch_lag_seconds_${part}`, { table: 'generations' })
    expect(lag('count')).toBe(1)
    expect(lag('sum')).toBeWithin(0, 10 + LATE_MS / 1000)
  })

  test('makes attempts within workflow tasks, and polls for none', async () => {
    const { value } = await fromWorker()
    const of = { activity_type: 'sendWebhook' }
    const attempts = value('temporal_local_activity_execution_latency_seconds_count', of)
    expect(attempts).toBeGreaterThanOrEqual(3)
    expect(value('temporal_activity_task_received_total', of)).toBeUndefined()
  })

  test('exports the metrics of the Temporal SDK with its own', async () => {
    const { value } = await fromWorker()
    expect(value('temporal_activity_execution_latency_seconds_count')).toBeGreaterThan(0)
    expect(value('temporal_worker_task_slots_available')).toBeGreaterThan(0)
  })

  test('exports a pause, and the deliveries that wait for its end, which do not count as old', async () => {
    await runArden(['pause'], arden.env)
    const [project] = (await live.get('/projects')).body.data
    await live.post('/articles', { project_id: project.id, title: 'waits' })
    const { value } = await until('it waits', async () => {
      const found = await fromWorker()
      const due = found.value('arden_outbox_due', { table: 'deliveries' }) ?? 0
      return found.value('arden_paused') === 1 && due >= 2 && found
    })
    const age = value('arden_outbox_oldest_due_age_seconds', { table: 'deliveries' })
    await runArden(['resume'], arden.env)
    expect(age).toBe(0)
    expect(value('arden_workers')).toBe(1)
  })

  test('times how late retries begin', async () => {
    const { value } = await until('a retry began', async () => {
      const found = await fromWorker()
      return (found.value('arden_retry_lag_seconds_count') ?? 0) >= 1 && found
    })
    expect(value('arden_retry_lag_seconds_sum')).toBeWithin(0, LATE_MS / 1000)
  })

  test('exports the age of the oldest snapshot, as long as it is held', async () => {
    const age = async () =>
      (await fromWorker()).value('arden_postgres_oldest_snapshot_seconds') ?? Number.NaN
    await arden.sql.begin('isolation level repeatable read', async dump => {
      await dump`SELECT FROM events`
      await until('it is two seconds old', async () => (await age()) >= 2)
    })
    await until('it is gone', async () => (await age()) < 2)
  })
})

test('no label of Arden contains an id, a URL or a host', async () => {
  for (const { samples } of [await fromServe(), await fromWorker()]) {
    const ours = samples.filter(({ name }) => name.startsWith('arden_'))
    expect(ours.length).toBeGreaterThan(20)
    for (const { name, labels } of ours)
      for (const [label, value] of Object.entries(labels))
        if (label !== 'le')
          expect([name, value]).toEqual([name, expect.stringMatching(/^[\w/:.*-]+$/)])
    const values = ours.flatMap(({ labels }) => Object.values(labels)).join(' ')
    expect(values).not.toMatch(/[a-z]{2,3}_[0-9a-z]{26}|127\.0\.0\.1|http:/)
  }
})

test('without ARDEN_METRICS_PORT nothing is exported', async () => {
  const config = readConfig(arden.env)
  const quiet = await start(config, { serve: true }, createLog(config))
  expect(quiet.metricsUrl).toBeUndefined()
  await quiet.stop()
})

test('a port that another Arden has stops the start with one line that names its setting', async () => {
  for (const [name, url] of [
    ['PORT', serve.url],
    ['ARDEN_METRICS_PORT', serve.metricsUrl],
  ] as const) {
    const { port } = new URL(url ?? '')
    const { stderr, code } = await runArden(['serve'], { ...arden.env, [name]: port })
    expect(stderr).toBe(
      `arden: Port ${port} is in use. Stop the program that uses it, or set ${name} to another port.\n`,
    )
    expect(code).toBe(1)
  }
})

describe('deploy/', () => {
  test('every metric and label that the dashboard and the alerts query is exported by a process', async () => {
    const { rules, drawn } = await queries()
    const exported = [await fromServe(), await fromWorker()]
    const names = new Set(exported.flatMap(({ names }) => [...names]))
    const labels = new Set(
      exported.flatMap(({ samples }) =>
        samples.flatMap(({ name, labels }) => Object.keys(labels).map(label => `${name} ${label}`)),
      ),
    )
    const all = [...drawn, ...rules.map(rule => rule.expr)]
    const found = all.flatMap(metricsOf)
    expect(found.length).toBeGreaterThan(40)
    for (const [, name = '', matchers = ''] of found) {
      expect(names).toContain(name)
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=|!=|=~|!~)\s*"/g))
        expect(labels).toContain(`${name} ${label}`)
    }
    // Every other query names one of Prometheus itself (`up`), or of an exporter of the machine or of probes.
    const others = all.filter(query => metricsOf(query).length === 0)
    expect(others.filter(query => !/\b(node_filesystem|probe)_/.test(query))).toEqual([
      'absent(up{job="arden-serve"} == 1)',
      'up{job=~"arden-.+"} == 0',
    ])
  })
})
