import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { ARDEN, goArden, runArden, spawnArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

const arden = await useArden({ serve: true, worker: true })
const key = (await arden.key({ mode: 'test' })).key

/** Longest wait for a process that needs milliseconds on a quiet machine, in seconds. */
const SOON_S = 20

const go = (args: string[], env: Record<string, string> = {}) =>
  goArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url, ...env })

const command = (args: string[], env: Record<string, string> = {}) =>
  runArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url, ...env })

test('a triggered event is shown, forwarded, and signed as a delivery; Ctrl-C ends with exit code 0', async () => {
  const receiver = startReceiver(() => new Response('no', { status: 418 }))
  const target = `${receiver.url}/hook`.replace('http://', '')
  const listen = go(['listen', '--forward-to', target])
  await listen.shows('err', `Waiting for events of ${arden.url} in test mode.`)
  const triggered = await command(['trigger', 'article.published', '--json'])
  expect(triggered).toMatchObject({ code: 0, stderr: '' })
  const event = JSON.parse(triggered.stdout)
  expect(event.event).toBe('article.published')
  const sent = await until(
    'it is forwarded',
    () => receiver.received.find(one => one.body.includes(event.id)),
    SOON_S,
  )
  const secret = /secret ([0-9a-f]{64})/.exec(listen.printed.out)?.[1] ?? ''
  // The form that libraries of Standard Webhooks take, beside it.
  const [, key = ''] = /whsec_(\S+)/.exec(listen.printed.out) ?? []
  expect(Buffer.from(key, 'base64').toString()).toBe(secret)
  const hmac = createHmac('sha256', secret).update(sent.body).digest('hex')
  expect(sent.headers).toMatchObject({
    'x-webhook-event': 'article.published',
    'x-webhook-signature': `sha256=${hmac}`,
    'user-agent': 'Arden-Webhook/1.0',
    'content-type': 'application/json',
  })
  const [stored] = await arden.sql`SELECT body FROM events WHERE id = ${event.id}`
  expect(sent.body).toBe(stored?.body)
  await listen.shows('out', event.id)
  await listen.shows('out', 'responded with 418 in ')
  expect(listen.printed.out).not.toContain('\u001b')
  listen.child.kill('SIGINT')
  expect(await listen.child.exited).toBe(0)

  // The secret stays the same for the key, and for it alone.
  const again = go(['listen', '--forward-to', target])
  await again.shows('out', secret)
  again.child.kill('SIGINT')
  const other = (await arden.key()).key
  const others = go(['listen', '--forward-to', target, '--key', other])
  await others.shows('err', 'in live mode.')
  expect(others.printed.out).not.toContain(secret)
  others.child.kill('SIGINT')
  await Promise.all([again.child.exited, others.child.exited])
  receiver.stop()
})

test.each([
  ['64 characters', (secret: string) => secret],
  ['whsec_', (secret: string) => `whsec_${Buffer.from(secret).toString('base64')}`],
])(
  'Ctrl-C during a request, signed with a secret as %s, ends at once, and shows no response',
  async (_, form) => {
    const secret = '0123456789abcdef'.repeat(4)
    const receiver = startReceiver(() => new Promise(() => {}))
    const listen = go(['listen', '--forward-to', receiver.url, '--secret', form(secret)])
    await listen.shows('err', 'Waiting for events')
    const triggered = await command(['trigger', 'article.updated', '--json'])
    expect(triggered).toMatchObject({ code: 0, stderr: '' })
    await until('both events are forwarded', () => receiver.received.length === 2, SOON_S)
    for (const { body, headers } of receiver.received)
      expect(headers['x-webhook-signature']).toBe(
        `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      )
    listen.child.kill('SIGINT')
    expect(await listen.child.exited).toBe(0)
    expect(listen.printed.out.split('\n').filter(Boolean)).toHaveLength(2)
    // One that was given may be that of a webhook.
    expect(listen.printed.out).not.toContain(secret)
    receiver.stop()
  },
)

test('a receiver that does not respond delays no other event, and its late response names the event', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const receiver = startReceiver(({ body }) =>
    body.includes('article.created') ? promise : new Response('ok'),
  )
  const listen = go(['listen', '--forward-to', receiver.url])
  await listen.shows('err', 'Waiting for events')
  await command(['trigger', 'article.updated'])
  await listen.shows('out', 'responded with 200 in ')
  expect(listen.printed.out).toMatch(/article\.created .*\n.*article\.updated .*\n +responded/)
  resolve(new Response('late', { status: 201 }))
  const created = /article\.created +(evt_\w+)/.exec(listen.printed.out)?.[1] ?? ''
  await until(
    'the late response is shown',
    () => /responded with 201 in .*/.exec(listen.printed.out)?.[0].includes(created),
    SOON_S,
  )
  listen.child.kill('SIGINT')
  expect(await listen.child.exited).toBe(0)
  receiver.stop()
})

test('when its reader closes the pipe, it ends silently', async () => {
  const tail = go(['events', 'tail', '--json'])
  await tail.shows('err', 'Waiting for events')
  tail.stopReading()
  await command(['trigger', 'article.updated'])
  expect(await tail.child.exited).toBe(0)
  expect(tail.printed.err.trim().split('\n')).toHaveLength(1)
})

test('events have colour where stdout is a terminal, and notes where stderr is one', async () => {
  const said: string[] = []
  const terminal = { data: (_: unknown, bytes: Uint8Array) => said.push(`${Buffer.from(bytes)}`) }
  const file = join(tmpdir(), `arden-${crypto.randomUUID()}.log`)
  await Bun.write(file, '')
  const child = Bun.spawn(['sh', '-c', `exec "$0" "$@" 2>${file}`, ...ARDEN, 'events', 'tail'], {
    env: {
      PATH: process.env.PATH ?? '',
      TERM: 'xterm-256color',
      ARDEN_API_KEY: key,
      ARDEN_URL: arden.url,
    },
    terminal,
  })
  await until('it waits', async () => (await Bun.file(file).text()).includes('Waiting'), SOON_S)
  expect(await Bun.file(file).text()).not.toContain('\u001b')
  await command(['trigger', 'article.created'])
  await until('the event is shown', () => said.join('').includes('article.created'), SOON_S)
  expect(said.join('')).toContain('\u001b[')
  child.kill('SIGINT')
  await child.exited
  await rm(file)
})

test('it continues after the last event when the server was down', async () => {
  const served = await spawnArden('serve', arden.env)
  const port = new URL(served.url).port
  const tail = go(
    [
      ...['events', 'tail', '--json'],
      ...['--events', 'article.created', '--events', 'keyword.ranked'],
    ],
    { ARDEN_URL: served.url },
  )
  await tail.shows('err', 'Waiting for events')
  const api = client(arden.url, key)
  const { id: project_id } = (await api.post('/projects', { name: 'p' })).body.data
  const write = async (title: string) => {
    const response = await api.post('/articles', { project_id, title })
    return response.body.data.id as string
  }
  await tail.shows('out', await write('before'))
  await served.kill('SIGKILL')
  await tail.shows('err', 'The connection was lost: ')
  await tail.shows('err', `The API at ${served.url} cannot be reached: connection refused.`)
  const missed = [await write('missed 1'), await write('missed 2')]
  const again = await spawnArden('serve', { ...arden.env, PORT: port })
  for (const id of missed) await tail.shows('out', id)
  const titles = tail.printed.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).data.title)
  expect(titles).toEqual(['before', 'missed 1', 'missed 2'])
  tail.child.kill('SIGINT')
  expect(await tail.child.exited).toBe(0)
  await again.kill('SIGTERM')
})

test('a gap is a warning on stderr, and with --json a line as well', async () => {
  const gap = { before: '2026-01-01T00:00:00.000Z', message: 'Some may be missing.' }
  const body = `event: gap\ndata: ${JSON.stringify(gap)}\n\n`
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const tail = (...args: string[]) =>
    go(['events', 'tail', ...args], { ARDEN_URL: `http://127.0.0.1:${server.port}` })
  const [plain, json] = [tail(), tail('--json')]
  for (const one of [plain, json]) await one.shows('err', gap.message)
  await json.shows('out', '\n')
  for (const one of [plain, json]) {
    one.child.kill('SIGINT')
    expect(await one.child.exited).toBe(0)
  }
  expect(plain.printed.out).toBe('')
  expect(JSON.parse(json.printed.out.split('\n')[0] ?? '')).toEqual({ event: 'gap', ...gap })
  await server.stop(true)
})

const EVENT = 'evt_01kafz3v5tf4qrm8z3x9d2c7ne'
const FORWARD = ['listen', '--forward-to', 'http://127.0.0.1:9/']

test.each([
  [2, 'no key', ['events', 'tail'], { ARDEN_API_KEY: '' }, 'ARDEN_API_KEY'],
  [2, 'a live key', ['trigger', 'article.created'], { ARDEN_API_KEY: 'ar_live_1' }, 'test key'],
  [2, 'an unknown type', ['listen', '--events', 'article.burnt'], {}, 'article.burnt'],
  [3, 'no server', ['events', 'tail'], { ARDEN_URL: 'http://127.0.0.1:9' }, 'cannot be reached'],
  [
    2,
    'a value that is no key',
    ['events', 'tail'],
    { ARDEN_API_KEY: 'ar_test_a\nb' },
    'is not an API key',
  ],
  [2, 'a value that is no secret', [...FORWARD, '--secret', 'ar_test_1'], {}, '64 hexadecimal'],
  [2, 'a secret that would sign nothing', ['listen', '--secret', 'a'], {}, 'Add --forward-to'],
  [2, 'a cut secret', [...FORWARD, '--secret', 'whsec_MDEy'], {}, 'copied completely'],
  [4, 'an unknown key', ['events', 'tail'], { ARDEN_API_KEY: 'ar_test_1' }, 'key of ARDEN_API_KEY'],
  [4, 'an unknown event', ['events', 'show', EVENT], {}, `No event with the id ${EVENT}`],
] as const)('it ends with exit code %i and one line for %s', async (code, _, args, env, says) => {
  const ended = await command([...args], env)
  expect(ended.stderr).toContain(says)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  expect([ended.code, ended.stdout]).toEqual([code, ''])
})

test('no password of a URL is shown, also for an invalid URL', async () => {
  const events = ['events', 'show', EVENT, '--url']
  const ended = await Promise.all([
    command([...events, 'http://ada:hu/sh@127.0.0.1:9']),
    command([...events, 'ada:hush@127.0.0.1:9']),
    command([...events, 'http://ada:hush@127.0.0.1:9/']),
    command(['listen', '--forward-to', 'ada:hush@127.0.0.1:9']),
  ])
  for (const { code, stdout, stderr } of ended) {
    expect([stdout, code]).toEqual(['', expect.any(Number)])
    expect(stderr).toContain('***@127.0.0.1:9')
    expect(stderr).not.toMatch(/ada|sh@/)
  }
  const url = arden.url.replace('//', '//ada:hush@')
  const tail = go(['events', 'tail', '--url', url])
  await tail.shows('err', 'Waiting for events')
  expect(tail.printed.err).toContain('//***@')
  expect(tail.printed.err).not.toMatch(/ada|hush/)
  tail.child.kill('SIGINT')
  await tail.child.exited
})

test('a proxy without an Arden behind it is no wrong URL', async () => {
  const busy = () => new Response('<p>Service unavailable</p>', { status: 503 })
  const server = Bun.serve({ port: 0, fetch: busy })
  const { code, stderr } = await command(['deliveries', 'list', '--url', server.url.origin])
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(
      /^arden: The API at .* is not available: a proxy responded with 503\. Try again; /,
    ),
  ])
  await server.stop(true)
})

test.each([
  ['deliveries', 'list'],
  ['events', 'tail'],
])('%s %s reports that the server at the URL is not Arden', async (group, name) => {
  const server = Bun.serve({ port: 0, fetch: () => new Response('<p>Welcome</p>') })
  const url = `http://127.0.0.1:${server.port}`
  const { code, stdout, stderr } = await command([group, name, '--url', url])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe(
    `arden: The server at ${url} is not Arden (status 200), but a proxy or another server. Check --url or ARDEN_URL.\n`,
  )
  await server.stop(true)
})
