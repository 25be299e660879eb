import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { type ApiResponse, type Client, client, send } from '../support/client'
import { streamed } from '../support/content/llm'
import { useCollector } from '../support/operations/collector'
import { scrape } from '../support/operations/metrics'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'

/**
 * After a run of real things, by processes that log all they can, everything they left is searched for
 * what must not be in it: key values, webhook secrets, custom headers, tokens in receivers' URLs, responses of receivers.
 */

const TOKENS = { url: 'tok3n-in-the-url', location: 'tok3n-in-a-location', query: 'tok3n-in-query' }
const BODY = 'response-of-a-receiver'
const HEADER = 'tok3n-in-a-header'
const LLM_KEY = 'sk-of-the-language-model'

let proxied = 0
let llmRequests = 0
const proxy = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => {
    // The language model may be behind the operator's proxy; receivers never are.
    if (request.url.endsWith('/chat/completions')) {
      llmRequests++
      return streamed(['A heading'])
    }
    proxied++
    return new Response('from the proxy')
  },
})
const processes: Awaited<ReturnType<typeof spawnArden>>[] = []
/** Full key values, webhook secrets and values of custom headers. */
const values: string[] = [HEADER]
const errors: ApiResponse[] = []

afterAll(async () => {
  for (const process of processes) await process.kill('SIGKILL')
  proxy.stop(true)
})

const receiver = useReceiver(({ path }) => {
  if (path.includes('refuses')) return new Response(BODY, { status: 500 })
  if (path.includes('redirects'))
    return new Response(BODY, {
      status: 302,
      headers: { location: `https://elsewhere.example/${TOKENS.location}` },
    })
  return new Response(BODY)
})
const arden = await useArden(
  {},
  {
    ARDEN_LLM_BASE_URL: 'http://language-model.test/v1',
    ARDEN_LLM_API_KEY: LLM_KEY,
    ARDEN_LLM_MODEL: 'm',
  },
)
const temporal = await useTemporal(arden.env)
const collector = useCollector()

beforeAll(async () => {
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const env = {
    ...arden.env,
    ARDEN_METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
  }
  for (const role of ['serve', 'worker'] as const)
    processes.push(await spawnArden(role, env, { logLevel: 'trace' }))
  await run()
}, 180_000)

/** Keys, webhooks, deliveries and their failures, a generation, and every kind of error. */
const run = async () => {
  const url = processes[0]?.url ?? ''
  const first = await arden.key()
  const live = client(url, first.key)
  values.push(first.key)
  const keep = (response: ApiResponse) => {
    values.push(...[response.body.data.key, response.body.data.secret].filter(Boolean))
    return response.body.data
  }
  const made = keep(await live.post('/api-keys', { name: 'k', scopes: ['read'] }))
  keep(await live.post(`/api-keys/${made.id}/regenerate`))

  const webhooks: { id: string }[] = []
  for (const path of ['takes', 'refuses', 'redirects']) {
    const target = `${receiver.url}/${path}/${TOKENS.url}?token=${TOKENS.query}`
    const events = ['article.created', 'generation.completed']
    const headers = { 'X-Receiver-Token': HEADER }
    webhooks.push(keep(await live.post('/webhooks', { url: target, events, headers })))
  }
  const gone = `http://127.0.0.1:1/${TOKENS.url}?token=${TOKENS.query}`
  webhooks.push(keep(await live.post('/webhooks', { url: gone, events: ['article.created'] })))
  for (const { id } of webhooks)
    keep(await live.post(`/webhooks/${id}/rotate-secret`, { overlap_seconds: 3600 }))

  const project_id = (await live.post('/projects', { name: 'p' })).body.data.id
  await live.post('/articles', { project_id, title: 't' })
  const keyword = (await live.post(`/projects/${project_id}/keywords`, { keyword: 'k' })).body.data
  await live.post('/generations', { keyword_id: keyword.id })
  await provoke(live, url)

  await untilTried()
  // The waits of the schedule are not the point here: each is tried again now, and ends.
  for (const { id } of webhooks.slice(1)) await live.patch(`/webhooks/${id}`, { enabled: false })
  await until(
    'all deliveries are final',
    async () => {
      const [row] = await arden.sql`
        SELECT count(*) FILTER (WHERE status = 'RETRYING')::int AS open FROM deliveries`
      return row?.open === 0
    },
    120,
  )
}

/** The article's event goes to four webhooks, the two of the generation to four and three. */
const untilTried = () =>
  until('each delivery was tried', async () => {
    const [row] =
      await arden.sql`SELECT count(DISTINCT delivery_id)::int AS tried FROM all_attempts`
    return row?.tried === 11
  })

/** The errors of the API, each with something secret at hand. */
const provoke = async (live: Client, url: string) => {
  const base = `${url}/api/public/v1`
  const secret = `${TOKENS.url}-in-a-wrong-request`
  const json = { 'content-type': 'application/json' }
  // Fewer than 20 wrong keys: the next ones would wait a second each.
  for (const key of values.filter(value => value.startsWith('ar_'))) {
    errors.push(await send(`${base}/nothing`, { headers: { authorization: `Bearer ${key}` } }))
    errors.push(await send(`${base}/webhooks`, { headers: { authorization: `Bearer ${key}x` } }))
    errors.push(await send(`${base}/webhooks`, { headers: { authorization: key } }))
  }
  errors.push(
    await live.post('/webhooks', { url: `https://user:${secret}@a.example/`, events: ['x'] }),
    await live.post('/webhooks', { url: `https://10.0.0.1/${secret}`, events: [] }),
    await live.post('/webhooks', { url: `ftp://a.example/${secret}`, events: ['article.created'] }),
    await live.post('/webhooks', {
      url,
      events: [],
      headers: { Host: HEADER, 'X-Value': `${HEADER}\n` },
    }),
    await live.post('/articles', { project_id: 'prj_x', title: 5 }),
    await live.post('/articles', '{"a": '),
    await send(`${base}/articles`, { method: 'POST', headers: json, body: '{}' }),
  )
  // A fault of ours: the 500 and what is logged of it.
  await arden.sql`ALTER TABLE projects RENAME COLUMN name TO gone`
  errors.push(await live.post('/projects', { name: `a ${secret}` }))
  await arden.sql`ALTER TABLE projects RENAME COLUMN gone TO name`
  expect(errors.at(-1)?.status).toBe(500)
}

/** Which of `secrets` are in `text`, by their first characters. */
const found = (text: string, secrets: string[]) =>
  secrets.filter(secret => text.includes(secret)).map(secret => secret.slice(0, 12))

const forbidden = () => [
  ...values,
  ...Object.values(TOKENS),
  BODY,
  LLM_KEY,
  arden.env.ARDEN_ENCRYPTION_KEY ?? 'none',
]

describe('after a run of real things', () => {
  test('deliveries went out, were refused and redirected, and none through a proxy of the environment', async () => {
    expect(values).toHaveLength(1 + 3 + 4 + 4)
    expect(receiver.received.every(one => one.headers['x-receiver-token'] === HEADER)).toBe(true)
    const errors = await arden.sql<{ error: string }[]>`
      SELECT DISTINCT error FROM all_attempts WHERE error IS NOT NULL ORDER BY error`
    expect(errors.map(row => row.error)).toEqual([
      'connection refused',
      expect.stringContaining('redirects are not followed'),
      'the endpoint responded with 500',
    ])
    // Outline, introduction, one section, and title.
    expect(llmRequests).toBe(4)
    expect(proxied).toBe(0)
  })

  test('no secret, token or receiver body is in any log line', () => {
    const logs = processes.map(({ lines }) => lines.join('\n'))
    expect(logs.every(log => log.includes('"msg":"started"'))).toBe(true)
    for (const known of ['a request failed unexpectedly', 'responded with 302'])
      expect(logs.join('\n')).toContain(known)
    expect(found(logs.join('\n'), forbidden())).toEqual([])
  })

  test('nor in any history of Temporal, its payloads decoded', async () => {
    const query = `TaskQueue = '${arden.env.ARDEN_TASK_QUEUE}'`
    const workflows = await until('all workflows are listed', async () => {
      const listed = await Array.fromAsync(temporal.client.workflow.list({ query }))
      return listed.filter(one => one.type === 'deliverWebhook').length === 11 && listed
    })
    let all = ''
    for (const { workflowId, runId } of workflows) {
      const handle = temporal.client.workflow.getHandle(workflowId, runId)
      const history = decoded([await handle.fetchHistory(), (await handle.describe()).raw])
      expect([workflowId, found(history, forbidden())]).toEqual([workflowId, []])
      all += history
    }
    // What only payloads and failures hold was looked at.
    for (const known of ['generation.completed', '127.0.0.1:1: connection refused'])
      expect(all).toContain(known)
  })

  test('nor in any metric', async () => {
    for (const { metricsUrl } of processes) {
      const { text } = await scrape(metricsUrl)
      expect(text).toContain('arden_http_requests_total')
      expect(found(text, forbidden())).toEqual([])
    }
  })

  test('nor in any span', async () => {
    const names = () => new Set(collector.spans.map(({ name }) => name.split(' ')[0]))
    await until('spans of all kinds have come', () =>
      ['POST', 'transaction', 'attempt'].every(name => names().has(name)),
    )
    expect(found(collector.texts.join('\n'), forbidden())).toEqual([])
  })

  test('nor in any error of the API', () => {
    expect(new Set(errors.map(error => error.status))).toEqual(new Set([400, 401, 404, 422, 500]))
    for (const { status, body, headers } of errors)
      expect([status, found(JSON.stringify([body, [...headers]]), forbidden())]).toEqual([
        status,
        [],
      ])
  })

  test('and the database has neither a key value nor a secret in readable form', async () => {
    const tables = await arden.sql<{ name: string }[]>`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
    expect(tables.length).toBeGreaterThan(10)
    const secrets = [...values, LLM_KEY, arden.env.ARDEN_ENCRYPTION_KEY ?? 'none']
    const inHex = values.map(value => Buffer.from(value).toString('hex'))
    for (const { name } of tables) {
      const rows = await arden.sql<{ text: string }[]>`SELECT t::text FROM ${arden.sql(name)} t`
      const text = rows.map(row => row.text).join('\n')
      expect([name, found(text, [...secrets, ...inHex])]).toEqual([name, []])
      // URLs and responses are where the owner reads them, and nowhere else.
      if (!['webhooks', 'deliveries', 'attempts'].includes(name))
        expect([name, found(text, [...Object.values(TOKENS), BODY])]).toEqual([name, []])
    }
  })
})

/** A history as text, with every payload decoded, which Temporal's JSON has in base64. */
const decoded = (value: unknown): string =>
  JSON.stringify(value, (member, inner) => {
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString()
    if (typeof inner === 'bigint') return String(inner)
    return member === 'data' && typeof inner === 'string'
      ? Buffer.from(inner, 'base64').toString()
      : inner
  })
