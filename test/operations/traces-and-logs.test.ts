import { afterAll, describe, expect, test } from 'bun:test'
import { enqueue } from '../../src/webhooks/queue/changes'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { type CollectedSpan, useCollector } from '../support/operations/collector'
import { runArden, spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { LATE_MS, until } from '../support/until'

/** The spans and log lines of a `serve` and a `worker` for one request and its events. */

afterAll(() => Promise.all(processes.map(process => process.kill('SIGTERM'))))
const collector = useCollector()
const PARENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
const ids: Record<'article' | 'event' | 'delivery' | 'webhook' | 'key', string> = {
  article: '',
  event: '',
  delivery: '',
  webhook: '',
  key: '',
}
const processes: Awaited<ReturnType<typeof spawnArden>>[] = []

const receiver = useReceiver((_, count) => new Response('x', { status: count === 1 ? 503 : 200 }))
const arden = await useArden({})
const env = {
  ...arden.env,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  OTEL_BSP_SCHEDULE_DELAY: '100',
}
for (const role of ['serve', 'worker'] as const)
  processes.push(await spawnArden(role, env, { logLevel: 'trace' }))
const key = await arden.key()
ids.key = key.id
const live = client(processes[0]?.url ?? '', key.key)
const url = `${receiver.url}/in?token=in-the-url`
ids.webhook = (await live.post('/webhooks', { url, events: ['article.created'] })).body.data.id
const project_id = (await live.post('/projects', { name: 'p' })).body.data.id
const made = await live.post(
  '/articles',
  { project_id, title: 't' },
  {
    'x-request-id': 'mine',
    traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01`,
  },
)
ids.article = made.body.data.id
const [delivery] = await until('it was delivered', async () => {
  const rows = await arden.sql`SELECT * FROM deliveries WHERE status = 'DELIVERED'`
  return rows.length === 1 && rows
})
ids.delivery = delivery?.id
ids.event = delivery?.event_id
await live.get('/articles/art_nobody')

const span = (what: string, find: (span: CollectedSpan) => boolean) =>
  until(what, () => collector.spans.find(find))

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  test("a request is a span by its route, part of the caller's own trace", async () => {
    const found = await span('the request', ({ attributes }) => attributes.request_id === 'mine')
    expect(found).toMatchObject({
      ...{ traceId: PARENT.traceId, parentSpanId: PARENT.spanId },
      name: 'POST /api/public/v1/articles',
      isError: false,
      attributes: { 'http.response.status_code': '201', key_id: ids.key },
      resource: { 'service.name': 'arden', 'deployment.environment.name': 'tests' },
    })
    const missing = await span('the 404', ({ name }) => name.startsWith('GET /api'))
    expect(missing.name).toBe('GET /api/public/v1/articles/:id')
    expect(missing.parentSpanId).toBe('')
  })

  test('its transaction is a span within, which names the events it fired', async () => {
    const request = await span('the request', it => it.attributes.request_id === 'mine')
    const transaction = await span('the transaction', it => it.parentSpanId === request.spanId)
    expect(transaction).toMatchObject({
      name: 'transaction',
      traceId: PARENT.traceId,
      events: [
        { name: 'event', attributes: { event_id: ids.event, event_type: 'article.created' } },
      ],
    })
  })

  test('each attempt is a span of the worker, found by the event', async () => {
    const attempt = (number: string) =>
      span(`attempt ${number}`, ({ name, attributes }) =>
        Boolean(name === 'attempt' && attributes.attempt === number),
      )
    const of = { delivery_id: ids.delivery, event_id: ids.event, webhook_id: ids.webhook }
    expect(await attempt('1')).toMatchObject({
      isError: true,
      attributes: { ...of, 'http.response.status_code': '503', 'error.type': '503' },
    })
    expect(await attempt('2')).toMatchObject({
      isError: false,
      attributes: { ...of, 'http.response.status_code': '200' },
    })
  })

  test('no span has a URL, a key value or a secret', () => {
    expect(collector.texts.length).toBeGreaterThan(1)
    const all = collector.texts.join('\n')
    for (const secret of ['in-the-url', 'ar_live_']) expect(all).not.toContain(secret)
  })

  test('a collector that is unavailable is logged in one line, and delays nothing', async () => {
    const env = {
      ...arden.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    }
    const serve = await spawnArden('serve', env)
    const lines = () => serve.lines.filter(line => line.includes('The OpenTelemetry collector'))
    await until('it is logged', async () => {
      expect((await fetch(`${serve.url}/healthz`)).status).toBe(200)
      return lines().length > 0
    })
    await fetch(`${serve.url}/healthz`)
    const began = performance.now()
    expect(await serve.kill('SIGTERM')).toBe(0)
    expect(performance.now() - began).toBeLessThan(6_000 + LATE_MS)
    expect(lines()).toHaveLength(1)
  })

  test('a value that Arden does not support stops the start with one line', async () => {
    const serve = (env: Record<string, string>) =>
      runArden(['serve'], { ...arden.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env })
    const [grpc, noUrl] = await Promise.all([
      serve({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
      serve({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }),
    ])
    expect(grpc.stderr).toBe(
      'arden: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", which is none of http/protobuf. Expected: http/protobuf.\n',
    )
    expect(noUrl.stderr).toMatch(
      /^arden: OTEL_EXPORTER_OTLP_ENDPOINT is not a http:\/\/ or https:\/\/ URL\. Expected: .*\n$/,
    )
    expect([grpc.code, noUrl.code]).toEqual([1, 1])
  })
})

describe('log lines', () => {
  const lines = (which: number, message: string) =>
    (processes[which]?.lines ?? [])
      // The SDK prints one of its own.
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Record<string, unknown>)
      .filter(line => line.msg === message)

  test('there is one for each request, with its id, route, status, time and key', () => {
    const requests = lines(0, 'request')
    expect(requests.filter(line => line.request_id === 'mine')).toEqual([
      expect.objectContaining({
        method: 'POST',
        route: '/api/public/v1/articles',
        status: 201,
        ms: expect.any(Number),
        key_id: ids.key,
      }),
    ])
    expect(requests.every(line => typeof line.request_id === 'string')).toBe(true)
  })

  test('a line about an attempt names the delivery, its event, its webhook and the attempt', () => {
    const of = { delivery_id: ids.delivery, event_id: ids.event, webhook_id: ids.webhook }
    expect(lines(1, 'attempt recorded')).toEqual([
      expect.objectContaining({ ...of, attempt: 1, http_status: 503, status: 'RETRYING' }),
      expect.objectContaining({ ...of, attempt: 2, http_status: 200, status: 'DELIVERED' }),
    ])
  })

  test('what could not be attempted names them too', async () => {
    await arden.sql`UPDATE webhooks SET secret = 'no ciphertext'`
    await arden.sql`
      UPDATE deliveries
      SET status = 'RETRYING', run = run + 1, next_attempt_at = clock_timestamp()`
    await enqueue(arden.sql, arden.sql`deliveries`)
    const [line] = await until('it is logged', () => {
      const found = lines(1, 'an attempt could not be made or recorded')
      return found.length > 0 && found
    })
    const of = { delivery_id: ids.delivery, event_id: ids.event, webhook_id: ids.webhook }
    expect(line).toMatchObject({ ...of, attempt: 3, level: 50 })
  })
})
