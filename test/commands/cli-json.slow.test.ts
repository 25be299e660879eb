import { expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { createProgram } from '../../src/commands/program'
import { Article } from '../../src/content/articles/schema'
import { ArticleVersion, ArticleVersionDetail } from '../../src/content/articles/version-schema'
import { ArticleChecks } from '../../src/content/checks/routes'
import { Generation, GenerationDetail } from '../../src/content/generations/schema'
import { KeywordImportResult } from '../../src/content/keywords/batch-schema'
import { Keyword } from '../../src/content/keywords/schema'
import { Project } from '../../src/content/projects/schema'
import { RankRun } from '../../src/content/rankings/run-schema'
import { Ranking } from '../../src/content/rankings/schema'
import { ApiKey, ApiKeyWithValue } from '../../src/keys/schema'
import { FailedRequest } from '../../src/requests/schema'
import { Delivery, DeliveryDetail } from '../../src/webhooks/deliveries/schema'
import { Webhook, WebhookWithSecret } from '../../src/webhooks/endpoints/schema'
import { Event, EventDetail } from '../../src/webhooks/event-log/schema'
import { createCipher } from '../../src/webhooks/signing/encryption'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { sessionToken } from '../support/http/person'
import { runArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Every command has `--json`, and prints what docs/cli.md says; both lists are walked, none is kept here. */

/** Commands without a result to print. */
const WITHOUT = new Map([
  ['dev', 'runs until it is stopped'],
  ['serve', 'runs until it is stopped'],
  ['worker', 'runs until it is stopped'],
  ['mcp', 'speaks its own protocol'],
  ['help', 'prints help'],
  ['completion', 'prints a script'],
  ['complete', 'is called by that script'],
  ['download-temporal', 'is run by dev'],
])
/**
 * Commands that run until they are stopped, or until a user approves. test/commands/listen.slow.test.ts and
 * test/commands/login.slow.test.ts read their lines.
 */
const ELSEWHERE = ['listen', 'events tail', 'login']

const RECORDS = {
  ApiKey,
  ApiKeyWithValue,
  Article,
  ArticleChecks,
  ArticleVersion,
  ArticleVersionDetail,
  Delivery,
  DeliveryDetail,
  Event,
  EventDetail,
  Generation,
  GenerationDetail,
  FailedRequest,
  Keyword,
  KeywordImport: KeywordImportResult,
  Project,
  RankRun,
  Ranking,
  Webhook,
  WebhookWithSecret,
}

const leaves = (
  command: CommandUnknownOpts,
  path: string[] = [],
): [string, CommandUnknownOpts][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands
        .filter(one => one.name() !== 'help')
        .flatMap(one => leaves(one, [...path, one.name()]))

const commands = leaves(createProgram()).filter(([name]) => !WITHOUT.has(name))

type Shape = { isArray: boolean; members: string[] }

const documented = async (): Promise<Map<string, Shape>> => {
  const text = await Bun.file(join(import.meta.dir, '../../docs/cli.md')).text()
  const [, table = ''] = text.split('`--json` prints |\n|---|---|\n')
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n')
  return new Map(
    rows.map(row => {
      const [, name = '', cell = ''] = /^\| `([^`]+)` \| (.+) \|$/.exec(row) ?? []
      const names = [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)
      const members = names.flatMap(word =>
        word in RECORDS ? Object.keys(RECORDS[word as keyof typeof RECORDS].properties) : word,
      )
      return [name, { isArray: cell.includes('an array'), members }]
    }),
  )
}

const receiver = useReceiver()

const arden = await useArden({ serve: true, worker: true })
const idle = await useArden({ serve: true })
const { key } = await arden.key({ mode: 'test' })
const port = new URL(arden.url).port
const XDG_CONFIG_HOME = await mkdtemp(join(tmpdir(), 'arden-profiles-'))
const env = { ...arden.env, PORT: port, ARDEN_API_KEY: key, ARDEN_URL: arden.url, XDG_CONFIG_HOME }
await client(arden.url, key).post('/webhooks', { url: receiver.url, events: ['article.created'] })
await client(arden.url, key).get('/nothing')

/** The id of a generation that no worker completes, and the options of its server. */
const queuedGeneration = async () => {
  const { key } = await idle.key({ mode: 'test' })
  const api = client(idle.url, key)
  const create = async (path: string, body: object) => (await api.post(path, body)).body.data.id
  const project = await create('/projects', { name: 'Blog' })
  const keyword_id = await create(`/projects/${project}/keywords`, { keyword: 'cold brew' })
  return [await create('/generations', { keyword_id }), '--url', idle.url, '--key', key]
}

/** A live project whose rankings can be tracked, of a server without a worker that lacks a provider. */
const trackedProject = async () => {
  const { key } = await idle.key({ mode: 'live' })
  const api = client(idle.url, key)
  const create = async (path: string, body: object) => (await api.post(path, body)).body.data.id
  const project = await create('/projects', { name: 'Blog', domain: 'acme.com' })
  await create(`/projects/${project}/keywords`, { keyword: 'cold brew' })
  await api.post(`/projects/${project}/rank-runs`)
  return [project, '--url', idle.url, '--key', key]
}

test('every command that has a result has --json, and docs/cli.md documents what it prints', async () => {
  const names = commands.map(([name]) => name)
  expect(names.length).toBeGreaterThan(20)
  expect([...(await documented()).keys()].sort()).toEqual(names.sort())
  for (const [name, command] of commands)
    expect([name, command.options.some(({ long }) => long === '--json')]).toEqual([name, true])
})

test('every such command prints exactly the documented members, on one line', async () => {
  const shapes = await documented()
  const printed = new Map<string, object>()
  const json = async (name: string, ...args: string[]) => {
    // They warn of a key in the environment, which comes before a profile, and of a link that leads to this machine.
    const own = {
      ...env,
      ARDEN_PUBLIC_URL: 'https://arden.example.com',
      ...(name === 'profiles use' && { ARDEN_API_KEY: '' }),
    }
    const { stdout, stderr } = await runArden([...name.split(' '), ...args, '--json'], own)
    expect([name, stdout.trim().split('\n').length]).toEqual([name, 1])
    // The id, before the wait.
    expect(stderr).toMatch(name === 'generate' ? /^gen_\w+ is queued\. .*\n$/ : /^$/)
    const value = JSON.parse(stdout)
    printed.set(name, value)
    return value
  }
  const event = await json('trigger', 'article.created')
  await until('it is delivered', () => receiver.received.length === 1)
  await until('that is recorded', async () => {
    const [delivery] = await json('deliveries list', '--status', 'DELIVERED')
    return delivery !== undefined
  })
  const [{ id: delivered }] = await json('deliveries list', '--status', 'delivered')
  await json('deliveries show', delivered)
  await json('deliveries redeliver', delivered)
  await until('it is delivered again', async () => {
    const [{ status }] = await json('deliveries list')
    return status === 'DELIVERED'
  })
  await json('events show', event.id)
  await json('events redeliver', event.id)
  const [failed] = await until('it is in the request log', async () => {
    const listed = await json('requests list')
    return listed.length > 0 && listed
  })
  await json('requests show', failed.id)
  const { id: project } = await json('projects create', '--name', 'Blog')
  await json('projects list')
  await json('projects show', project)
  await json('projects update', project, '--domain', 'example.com')
  const inProject = ['--project', project]
  const { id: keyword } = await json('keywords create', ...inProject, '--text', 'cold brew')
  await json('keywords list', ...inProject)
  await json('keywords show', keyword)
  await json('keywords update', keyword, '--no-tracked')
  await json('keywords rank', keyword, '--position', '7')
  await json('keywords rankings', keyword)
  const { id: article } = await json('articles create', ...inProject, '--title', 'Cold brew')
  await json('articles list')
  for (const name of ['show', 'publish', 'unpublish']) await json(`articles ${name}`, article)
  await json('articles update', article, '--slug', 'cold')
  await json('articles update', article, '--title', 'Iced coffee')
  await json('articles schedule', article, '2999-01-31T09:00:00Z')
  await json('articles check', article)
  await json('articles versions', article)
  await json('articles version', article, '1')
  await json('articles restore', article, '1')
  await json('export', '--article', article, '--out', join(XDG_CONFIG_HOME, 'articles.zip'))
  await json('articles delete', article)
  const { id: generation } = await json('generations create', '--keyword', keyword)
  await json('generations create-many', ...inProject, '--keyword', keyword)
  await json('generate', '--keyword', keyword, '--audience', 'beginners')
  const held = await json('generate', '--keyword', keyword, '--heading', 'One', '--review-outline')
  expect(held.status).toBe('AWAITING_APPROVAL')
  await json('generations approve', held.id, '--heading', 'Two', '--heading', 'Three')
  await json('generations list')
  await json('generations show', generation)
  const refused = ['--keyword', keyword, '--instructions', 'fail: provider_refused']
  const { id: failing } = await json('generations create', ...refused)
  await until(
    'it failed',
    async () => (await json('generations show', failing)).status === 'FAILED',
  )
  await json('generations retry', failing)
  await json('generations cancel', ...(await queuedGeneration()))
  const file = join(env.XDG_CONFIG_HOME, 'keywords.csv')
  await Bun.write(file, 'keyword\niced coffee\n')
  await json('keywords import', file, ...inProject)
  await json('keywords export', ...inProject)
  await json('projects rank', ...(await trackedProject()))
  await json('projects rank-runs', ...(await trackedProject()))
  await json('keywords delete', keyword)
  await json('projects delete', project, '--yes')
  const { id: webhook } = await json(
    'webhooks create',
    ...['--endpoint', receiver.url, '--events', 'article.deleted'],
  )
  await json('webhooks list')
  for (const name of ['show', 'pause', 'resume', 'disable', 'enable', 'rotate-secret'])
    await json(`webhooks ${name}`, webhook)
  await json('webhooks update', webhook, '--ordered')
  await json('webhooks test', webhook)
  await json('webhooks redeliver', webhook)
  await json('webhooks delete', webhook)
  const profile = { url: arden.url, key: (await arden.key({ mode: 'test' })).key }
  await Bun.write(
    join(env.XDG_CONFIG_HOME, 'arden/profiles.json'),
    JSON.stringify({ current: null, profiles: { default: profile } }),
  )
  await json('profiles list')
  await json('profiles use', 'default')
  await json('logout')
  const { id: key } = await json('keys create', '--name', 'x')
  await json('keys list')
  await json('keys revoke', key)
  await json('users invite', '--email', 'ada@example.com')
  const [{ id: link }] = await json('users links')
  await json('users revoke-link', link)
  await sessionToken(arden, 'viewer')
  await json('users list')
  await json('users disable', 'viewer@example.com')
  await json('users enable', 'viewer@example.com')
  expect((await json('users set-role', 'viewer@example.com', 'owner')).role).toBe('owner')
  await json('users reset-sign-in', 'viewer@example.com')
  const { id: account } = await json('accounts create', '--name', 'Acme')
  await json('accounts list')
  await json('accounts set-plan', account, '--monthly-generations', '5')
  await json('accounts require-sign-in', account, 'passkey')
  for (const name of ['migrate', 'doctor', 'health serve', 'health worker']) await json(name)
  await json('capacity', '--rate', '10')
  for (const name of ['pause', 'resume', 'secrets reencrypt', 'version']) await json(name)
  const lost = createCipher(Buffer.from(arden.env.ARDEN_ENCRYPTION_KEY ?? '', 'hex'))
  Object.assign(env, { ARDEN_ENCRYPTION_KEY: '0'.repeat(64) })
  await json('secrets forget-key', lost.keyId)

  const left = commands.map(([name]) => name).filter(name => !printed.has(name))
  expect(left.sort()).toEqual(ELSEWHERE.toSorted())
  for (const [name, value] of printed) {
    const { isArray, members } = shapes.get(name) ?? { isArray: false, members: [] }
    expect([name, Array.isArray(value)]).toEqual([name, isArray])
    const rows = [value].flat()
    expect([name, rows.length > 0]).toEqual([name, true])
    const found = new Set(rows.flatMap(row => Object.keys(row)))
    expect([name, ...[...found].sort()]).toEqual([name, ...members.toSorted()])
  }
  // Some sixty processes, one after the other.
}, 300_000)
