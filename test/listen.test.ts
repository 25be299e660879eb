import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { type Arden, startArden } from './support/arden'
import { client } from './support/client'
import { runArden, spawnArden } from './support/process'
import { startReceiver } from './support/receiver'
import { until } from './support/until'

let arden: Arden
let key: string

beforeAll(async () => {
  arden = await startArden({ serve: true, worker: true })
  key = (await arden.key({ mode: 'test' })).key
})
afterAll(() => arden.stop())

const MAIN = join(import.meta.dir, '../src/main.ts')
/** How long a process may take for what is milliseconds, in seconds. */
const SOON_S = 20

/** `arden` with `args` in a process that goes on, and what it has printed. */
const go = (args: string[], env: Record<string, string> = {}) => {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', ARDEN_API_KEY: key, ARDEN_URL: arden.url, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = { out: '', err: '' }
  const read = async (from: ReadableStream<Uint8Array<ArrayBuffer>>, to: 'out' | 'err') => {
    for await (const text of from.pipeThrough(new TextDecoderStream())) printed[to] += text
  }
  read(child.stdout, 'out')
  read(child.stderr, 'err')
  const shows = (stream: 'out' | 'err', text: string) =>
    until(`it shows ${text}`, () => printed[stream].includes(text), SOON_S)
  return { child, printed, shows }
}

const command = (args: string[], env: Record<string, string> = {}) =>
  runArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url, ...env })

test('what is triggered is shown, forwarded, and signed as a delivery; Ctrl-C ends it well', async () => {
  const receiver = startReceiver(() => new Response('no', { status: 418 }))
  const listen = go(['listen', '--forward-to', `${receiver.url}/hook`])
  await listen.shows('err', 'Waiting for events')
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
  await listen.shows('out', 'answered 418 in ')
  expect(listen.printed.out).not.toContain('\u001b')
  listen.child.kill('SIGINT')
  expect(await listen.child.exited).toBe(0)
  receiver.stop()
})

test('it goes on at the event after the last one when the server was away', async () => {
  const served = await spawnArden('serve', arden.env)
  const port = new URL(served.url).port
  const tail = go(['events', 'tail', '--json', '--events', 'article.created'], {
    ARDEN_URL: served.url,
  })
  await tail.shows('err', 'Waiting for events')
  const api = client(arden.url, key)
  const { id: project_id } = (await api.post('/projects', { name: 'p' })).body.data
  const write = async (title: string) => {
    const answer = await api.post('/articles', { project_id, title })
    return answer.body.data.id as string
  }
  await tail.shows('out', await write('before'))
  await served.kill('SIGKILL')
  await tail.shows('err', 'The connection was lost')
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

test.each([
  'article.created',
  'article.updated',
  'article.deleted',
  'keyword.created',
  'keyword.ranked',
  'generation.started',
  'generation.completed',
  'generation.failed',
])('%s can be triggered', async type => {
  const { code, stdout, stderr } = await command(['trigger', type])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(type)
})

test('an event is shown with its deliveries, those that failed are listed, and it is sent again', async () => {
  const receiver = startReceiver()
  const api = client(arden.url, key)
  const webhook = (
    await api.post('/webhooks', { url: `${receiver.url}/hook`, events: ['article.created'] })
  ).body.data
  const event = JSON.parse((await command(['trigger', 'article.created', '--json'])).stdout)
  await until('it is delivered', async () => {
    const { stdout } = await command(['deliveries', 'list', '--status', 'DELIVERED'])
    return stdout.includes(webhook.id)
  })
  const shown = await command(['events', 'show', event.id])
  expect(shown.stdout).toContain('DELIVERED')
  const again = await command(['events', 'redeliver', event.id, '--json'])
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect(JSON.parse(again.stdout)[0].webhook_id).toBe(webhook.id)
  await until('it comes again', () => receiver.received.length === 2)
  const failed = await command(['deliveries', 'list', '--status', 'FAILED', '--json'])
  expect(JSON.parse(failed.stdout)).toEqual([])
  receiver.stop()
})

test.each([
  [2, 'no key', ['events', 'tail'], { ARDEN_API_KEY: '' }, 'ARDEN_API_KEY'],
  [2, 'a live key', ['trigger', 'article.created'], { ARDEN_API_KEY: 'ar_live_1' }, 'test key'],
  [2, 'no such type', ['listen', '--events', 'article.burnt'], {}, 'article.burnt'],
  [3, 'nobody there', ['events', 'tail'], { ARDEN_URL: 'http://127.0.0.1:9' }, 'cannot be reached'],
  [4, 'a key it does not know', ['events', 'tail'], { ARDEN_API_KEY: 'ar_test_1' }, 'API key'],
  [4, 'no such event', ['events', 'show', 'evt_1'], {}, 'No event with the id evt_1'],
] as const)('it ends with code %i and one line for %s', async (code, _, args, env, says) => {
  const ended = await command([...args], env)
  expect(ended.stderr).toContain(says)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  expect([ended.code, ended.stdout]).toEqual([code, ''])
})
