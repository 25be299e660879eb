import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ROOT } from '../../build/root'
import pkg from '../../package.json'
import { findTemporal } from '../../src/local/temporal/find'
import { client, send } from '../support/client'
import { createDatabase } from '../support/database'
import { testEnvironment } from '../support/environment'
import { createExpensiveChain } from '../support/network/certificates'
import { quietPort } from '../support/network/quiet-ports'
import { builtArden } from '../support/operations/binary'
import { startCollector } from '../support/operations/collector'
import { scrape } from '../support/operations/metrics'
import { spawnArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

/**
 * The binary as an operator gets it: one file, in a folder with nothing in it, on a machine that has
 * neither Bun nor Node, with no variable set but those that a test names.
 */
let arden: string
let folder: string
let database: Awaited<ReturnType<typeof createDatabase>>
let settings: Record<string, string>

const BUILD_MS = 60_000
/** Measured: 1.8. */
const START_RATIO = 3

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arden-empty-'))
  // PostgreSQL does not run as root, and its own user must reach the folder.
  await chmod(folder, 0o755)
  database = await createDatabase({ unmigrated: true })
  settings = {
    PATH: '',
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    ARDEN_TASK_QUEUE: `binary-${randomBytes(6).toString('hex')}`,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
  }
  arden = await builtArden()
}, BUILD_MS)
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const spawn = (args: string[], env: Record<string, string>) => {
  const child = Bun.spawn([arden, ...args], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  const output = { text: '' }
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) output.text += chunk
  }
  return { child, output, closed: Promise.all([collect(child.stdout), collect(child.stderr)]) }
}

/** A command to its end: its exit code, and all it wrote. */
const run = async (args: string[], env: Record<string, string> = {}) => {
  const { child, output, closed } = spawn(args, env)
  await closed
  return { code: await child.exited, text: output.text }
}

const role = (name: 'serve' | 'worker', more: Record<string, string>) =>
  spawnArden(name, { ...settings, ...more }, { program: [arden], cwd: folder })

describe('with an empty environment', () => {
  test('it says its version and its commit', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, text: `${pkg.version}\n` })
    const { code, text } = await run(['version', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(text)).toMatchObject({
      version: pkg.version,
      commit: expect.stringMatching(/^[0-9a-f]{7,40}(-dirty)?$/),
      platform: `${process.platform}-${process.arch}`,
    })
  })

  test.each(['serve', 'worker', 'migrate', 'keys list', 'accounts list', 'doctor'])(
    '%s reports that DATABASE_URL is not set',
    async command => {
      const { code, text } = await run(command.split(' '))
      expect([code, text]).toEqual([1, expect.stringContaining('DATABASE_URL is not set')])
    },
  )

  test('every command explains itself', async () => {
    const help = (await run(['--help'])).text
    const names = [...help.matchAll(/^ {2}([a-z]+)[ \n]/gm)].map(found => found[1] ?? '')
    expect(names).toContain('version')
    // Neither the examples nor `help` itself are commands that explain themselves.
    for (const name of names.filter(name => name !== 'help' && name !== 'arden'))
      expect(await run([name, '--help']), name).toEqual({
        code: 0,
        text: expect.stringContaining(`Usage: arden ${name}`),
      })
  })
})

test('it migrates, makes an account and a key, serves, and sends a webhook; and writes into its folder nothing', async () => {
  const migrated = await run(['migrate'], settings)
  expect(migrated).toEqual({ code: 0, text: expect.stringContaining('001_baseline') })
  const account = await run(['accounts', 'create', '--name', 'Acme', '--json'], settings)
  const create = ['keys', 'create', '--account', JSON.parse(account.text).id, '--name', 'first']
  const { key } = JSON.parse((await run([...create, '--json'], settings)).text)

  const collector = startCollector()
  const telemetry = {
    ARDEN_METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  const [serve, worker] = await Promise.all([role('serve', telemetry), role('worker', telemetry)])
  const receiver = startReceiver()
  const api = client(serve.url, key)
  await api.post('/webhooks', { url: `${receiver.url}/hook`, events: ['article.created'] })
  const project = await api.post('/projects', { name: 'Blog' })
  await api.post('/articles', { project_id: project.body.data.id, title: 'From one file' })
  await until('the webhook arrives', () => receiver.received.length > 0)
  expect(receiver.received[0]?.body).toContain('From one file')

  for (const [path, text] of [
    ['/docs', 'swagger-ui.js'],
    ['/docs/swagger-ui.js', 'SwaggerUIBundle'],
    ['/docs/swagger-ui.css', '.swagger-ui'],
    ['/docs/reference.css', '.swagger-ui'],
    ['/docs/docs.css', '.guide'],
    ['/docs/guides/webhooks', 'X-Webhook-Signature'],
  ] as const) {
    const { status, body } = await send(serve.url + path)
    expect([status, body.includes(text)], path).toEqual([200, true])
  }

  const mcp = new Client({ name: 'tests', version: '1.0.0' })
  const inAgent = { ARDEN_API_KEY: key, ARDEN_URL: serve.url }
  await mcp.connect(
    new StdioClientTransport({ command: arden, args: ['mcp'], cwd: folder, env: inAgent }),
  )
  const { content } = await mcp.callTool({ name: 'list_projects' })
  expect(JSON.stringify(content)).toContain('Blog')
  await mcp.close()

  const page = await send(`${serve.url}/dashboard`)
  const assets = page.body.match(/\/dashboard\/assets\/[\w.-]+/g) ?? []
  expect(assets.map((path: string) => path.split('.').at(-1)).sort()).toEqual([
    ...['css', 'js', 'js', 'svg', 'woff2'],
  ])
  for (const path of assets) {
    const { status, body } = await send(serve.url + path)
    expect([status, body.length > 0], path).toEqual([200, true])
  }

  expect((await scrape(serve.metricsUrl)).value('arden_http_requests_total')).toBeGreaterThan(3)
  await until('the worker exports its metrics and those of Temporal', async () => {
    const { value } = await scrape(worker.metricsUrl)
    return value('arden_attempts_total') === 1 && value('temporal_request_total')
  })
  await until('spans of both come', () => {
    const names = collector.spans.map(({ name }) => name)
    return names.includes('transaction') && names.includes('attempt')
  })
  collector.stop()

  // The worker verifies such certificates in a thread of its own.
  const hostile = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: await createExpensiveChain('localhost', 90),
    fetch: () => new Response('ok'),
  })
  const webhook = await api.post('/webhooks', {
    url: `https://localhost:${hostile.port}/hook`,
    events: ['article.created'],
  })
  await api.post('/articles', { project_id: project.body.data.id, title: 'Once more' })
  await until('the attempt fails because of its certificates', async () => {
    const { body } = await api.get(`/webhooks/${webhook.body.data.id}/deliveries`)
    return body.data[0]?.error === 'TLS: self signed certificate in certificate chain'
  })
  await hostile.stop(true)

  expect(await Promise.all([serve.kill('SIGTERM'), worker.kill('SIGTERM')])).toEqual([0, 0])
  receiver.stop()
  // Each line is one of the log: nothing else writes there, Temporal's library included.
  for (const line of [...serve.lines, ...worker.lines])
    expect(JSON.parse(line)).toHaveProperty('msg')
  expect(await readdir(folder)).toEqual([])
})

test(`from start to first response serve takes at most ${START_RATIO} times as long as a command that prints its version`, async () => {
  await run(['migrate'], settings)
  const ratios: number[] = []
  // A round that other load disturbs shows nothing, so the best of them counts.
  while (ratios.length < 10 && !ratios.some(ratio => ratio < START_RATIO)) {
    const floorBegan = performance.now()
    await run(['version'], settings)
    const floor = performance.now() - floorBegan
    const url = `http://127.0.0.1:${await quietPort()}`
    const began = performance.now()
    const { child } = spawn(['serve'], { ...settings, PORT: new URL(url).port })
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await isReady())) await Bun.sleep(2)
    ratios.push((performance.now() - began) / floor)
    child.kill()
    await child.exited
  }
  process.stderr.write(`serve takes ${ratios.map(ratio => ratio.toFixed(1)).join(', ')} times\n`)
  expect(Math.min(...ratios)).toBeLessThan(START_RATIO)
})

test('it says what to do where the native library cannot be unpacked, and doctor checks the rest', async () => {
  const env = { ...settings, TMPDIR: '/nowhere' }
  await run(['migrate'], settings)
  const [doctor, worker] = await Promise.all([run(['doctor', '--json'], env), run(['worker'], env)])
  const checks: { name: string; status: string; found: string }[] = JSON.parse(doctor.text)
  expect(checks.map(({ name }) => name)).toContain('encryption key')
  expect(checks.find(({ name }) => name === 'temporal')).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('Set TMPDIR to a writable folder'),
  })
  expect([worker.code, worker.text]).toEqual([
    1,
    expect.stringMatching(/arden: Temporal's native library .* Set TMPDIR to .*\n$/),
  ])
})

test('it contains no path of the machine it was built on, where a package would look for its files', async () => {
  const binary = Buffer.from(await Bun.file(arden).arrayBuffer())
  const found: string[] = []
  for (let at = binary.indexOf(ROOT); at >= 0; at = binary.indexOf(ROOT, at + 1))
    found.push(binary.subarray(at, at + 150).toString('latin1'))
  // The SDK's debugger of workflows is part of the program, and never started.
  expect(found.filter(path => !path.includes('/debug-replayer/'))).toEqual([])
})

describe('dev', () => {
  test('brings its own PostgreSQL, and finds Temporal in the cache', async () => {
    const cache = join(folder, 'cache')
    await mkdir(join(cache, 'arden', 'bin'), { recursive: true })
    await symlink(await findTemporal(() => {}), join(cache, 'arden', 'bin', 'temporal'))
    const env = {
      // Where the system's own programs are: run by root, PostgreSQL needs one to be run as another user.
      PATH: '/usr/bin:/bin',
      XDG_CACHE_HOME: cache,
      PORT: String(await quietPort()),
      ARDEN_DATA_DIR: join(folder, 'data'),
    }
    const { child, output, closed } = spawn(['dev'], env)
    const isReady = () => {
      if (child.exitCode !== null) throw new Error(`dev ended:\n${output.text}`)
      return output.text.includes('stops everything')
    }
    await until('dev is ready', isReady)
    const [key = ''] = /ar_live_\w{38}/.exec(output.text) ?? []
    const { status } = await client(`http://127.0.0.1:${env.PORT}`, key).get('/projects')
    expect(status).toBe(200)
    expect(output.text).toContain('others: arden keys create')
    child.kill('SIGINT')
    await closed
    expect(await child.exited).toBe(0)
  })

  test('says what to set where it can neither find nor fetch Temporal', async () => {
    const empty = await createDatabase({ unmigrated: true })
    const { code, text } = await run(['dev'], {
      DATABASE_URL: empty.url,
      PORT: String(await quietPort()),
      ARDEN_DATA_DIR: join(folder, 'data'),
      XDG_CACHE_HOME: join(folder, 'no-cache'),
      // The network is closed.
      HTTPS_PROXY: 'http://127.0.0.1:1',
    })
    await empty.drop()
    expect(code).toBe(1)
    expect(text).toMatch(
      /^arden: Temporal is missing: .*the download failed.*set TEMPORAL_ADDRESS/m,
    )
  })
})
