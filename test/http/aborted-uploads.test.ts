import { afterAll, expect, test } from 'bun:test'
import net from 'node:net'
import { useArden } from '../support/arden'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

const arden = await useArden({})
const serve = await spawnArden(
  'serve',
  { ...arden.env, ARDEN_METRICS_PORT: '0' },
  { logLevel: 'trace' },
)
const { key } = await arden.key()
afterAll(() => serve.kill('SIGTERM'))

/** Sends the head and a part of the body, and closes the connection when the body is being read. */
const abortUpload = async (headers: string, part: string) => {
  const before = await accepted()
  const { hostname, port } = new URL(serve.url)
  const socket = net.connect(Number(port), hostname)
  socket.write(
    `POST /api/public/v1/projects HTTP/1.1\r\nHost: arden\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${part}`,
  )
  await until('the request is admitted', async () => (await accepted()) > before)
  socket.destroy()
}

const metrics = async () => (await fetch(serve.metricsUrl ?? '')).text()
const accepted = async () =>
  Number(
    /^arden_limit_decisions_total\{[^}]*accepted[^}]*\} (\d+)/m.exec(await metrics())?.[1] ?? 0,
  )
const statuses = async () =>
  [...(await metrics()).matchAll(/^arden_http_requests_total\{(.*)\} (\d+)/gm)]
    .filter(([, labels]) => labels?.includes('route="/api/public/v1/projects"'))
    .map(([, labels, count]) => [/status="(\d+)"/.exec(labels ?? '')?.[1], Number(count)])

test('an upload that the client cuts off is a client abort, not a failure', async () => {
  let uploads = 0
  for (const [headers, part] of [
    ['Content-Length: 100', '{"name":'],
    ['Transfer-Encoding: chunked', '8\r\n{"name":\r\n'],
  ] as const) {
    await abortUpload(headers, part)
    uploads++
    await until('the request is counted', async () =>
      (await statuses()).some(([, count]) => count === uploads),
    )
    expect(await statuses()).toEqual([['499', uploads]])
  }
  const lines = () => serve.lines.map(line => JSON.parse(line))
  const aborts = () =>
    lines().filter(({ msg }) => msg === 'the client closed the connection during the upload')
  await until('both are logged', async () => aborts().length >= uploads)
  expect(aborts().map(({ request_id }) => typeof request_id)).toEqual(['string', 'string'])
  expect(lines().filter(({ level }) => level >= 50 || level === 'error')).toEqual([])
})
