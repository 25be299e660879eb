import { describe, expect, test } from 'bun:test'
import { toPending } from '../../src/content/articles/insert'
import { createBlockedInserts } from '../../src/content/articles/insert-batcher'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { limitTransactions } from '../../src/http/change'
import { useArden } from '../support/arden'
import { lockUntilReleased, lockWebhooks } from '../support/db/locks'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

const SYSTEM = { type: 'system', id: 'arden', name: 'Arden' } as const

/** An account with an ordered webhook and a project, and a client that writes articles in there. */
const writer = async () => {
  const accountId = await arden.newAccount()
  const api = await arden.client({ accountId })
  const webhook = {
    url: 'http://127.0.0.1:9/',
    events: ['article.created', 'article.updated'],
    ordered: true,
  }
  const { id: webhookId } = (await api.post('/webhooks', webhook)).body.data
  const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
  // Every second one as the SDK sends it.
  const write = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      api.post(
        '/articles',
        { project_id, title: 'New' },
        n % 2 === 0 ? { 'idempotency-key': crypto.randomUUID() } : {},
      ),
    )
  return { accountId, api, project_id, webhookId, write }
}

const statuses = async (responses: Promise<{ status: number }>[]) =>
  new Set((await Promise.all(responses)).map(({ status }) => status))

const waiting = () => arden.sql`
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

test('a lock that another transaction keeps too long is a 503, once for all requests that wait, and a migration waits', async () => {
  const { api, project_id, webhookId, write } = await writer()
  const { id } = (await api.post('/projects', { name: 'Other' })).body.data
  const other = connect(arden.env.DATABASE_URL ?? '', { name: 'test', max: 1 })
  const release = await lockUntilReleased(arden.sql, async tx => {
    await tx`SELECT FROM projects WHERE id = ${id} FOR UPDATE`
    await tx`SELECT FROM webhooks WHERE id = ${webhookId} FOR UPDATE`
    await tx`SELECT pg_advisory_xact_lock(4170511)` // As a process that migrates.
  })
  const applied = migrate(other)
  const refused = await Promise.all([api.patch(`/projects/${id}`, { name: 'x' }), ...write(120)])
  await release()
  for (const { status, body, headers } of refused) {
    expect([status, body.error]).toEqual([503, 'UNAVAILABLE'])
    expect(body.message).toContain('Nothing was changed. Try again in 2 seconds.')
    expect(headers.get('retry-after')).toBe('2')
  }
  expect(await applied).toEqual([])
  expect((await api.patch(`/projects/${id}`, { name: 'Other' })).status).toBe(200)
  expect((await api.get(`/articles?project_id=${project_id}`)).body.data).toEqual([])
  await other.end()
})

test('while the writes of four accounts wait for locks, a request is authenticated and reads, and an article is created', async () => {
  const writers = await Promise.all([1, 2, 3, 4].map(writer))
  const idle = await writer()
  const release = await lockWebhooks(arden.sql, ...writers.map(({ webhookId }) => webhookId))
  let responses = 0
  const blocked = writers.flatMap(({ api, webhookId }) =>
    [1, 2, 3].map(async () => {
      await api.patch(`/webhooks/${webhookId}`, { description: 'x' })
      responses++
    }),
  )
  await until('eight transactions wait', async () => (await waiting()).length === 8)
  expect((await idle.api.get('/projects')).status).toBe(200)
  expect(await statuses(idle.write(3))).toEqual(new Set([201]))
  expect((await waiting()).length).toBe(8)
  expect(responses).toBe(0)
  await release()
  await Promise.all(blocked)
})

test('the password changes of one user wait for a lock on one connection', async () => {
  const user = person(arden.url, await sessionToken(arden, 'member'))
  const change = (current: string, password: string) =>
    user('POST', '/me/password', { current, password })
  expect((await change('', 'correct horse battery')).status).toBe(200)
  const release = await lockUntilReleased(
    arden.sql,
    tx => tx`SELECT FROM people WHERE email = 'member@example.com' FOR NO KEY UPDATE`,
  )
  let responses = 0
  const changes = Array.from({ length: 10 }, () =>
    change('correct horse battery', 'correct horse staple').finally(() => responses++),
  )
  await until('one waits', async () => (await waiting()).length > 0)
  // Passwords are verified in the order of the requests: after these, all others are.
  for (let n = 0; n < 4; n++)
    await person(arden.url)('POST', '/open/sign-in', { email: `${n}@example.com`, password: 'x' })
  expect([(await waiting()).length, responses]).toEqual([1, 0])
  await release()
  expect((await Promise.all(changes)).map(({ status }) => status).sort()).toEqual([
    200,
    ...Array(9).fill(422),
  ])
})

test('an article whose caller has waited for too long is not created later', async () => {
  const { accountId, api, project_id, webhookId } = await writer()
  const release = await lockWebhooks(arden.sql, webhookId)
  const held = createBlockedInserts(arden.sql, limitTransactions())
  const article = toPending(
    { accountId, mode: 'live', actor: SYSTEM },
    { project_id, title: 'New', slug: 'new' },
  )
  // Less than a lock is waited for.
  const created = await held.insert(article, 3_000)
  expect(created).toMatchObject({ code: '57014' })
  expect(held.has(accountId)).toBe(false)
  await release()
  expect((await api.get(`/articles?project_id=${project_id}`)).body.data).toEqual([])
})

describe('a locked webhook delays no other account', () => {
  test('and the articles of its own on one connection, for which no other request waits', async () => {
    const [held, free] = [await writer(), await writer()]
    // Connections that have been used for all of it before.
    for (let n = 0; n < 10; n++) {
      const release = await lockWebhooks(arden.sql, held.webhookId)
      const late = held.write(1)
      await until('one waits', async () => (await waiting()).length > 0)
      await release()
      expect(await statuses(late)).toEqual(new Set([201]))
    }
    const release = await lockWebhooks(arden.sql, held.webhookId)
    const late = held.write(20)
    expect(await statuses(free.write(20))).toEqual(new Set([201]))
    late.push(...held.write(20))
    expect(await statuses(free.write(20))).toEqual(new Set([201]))
    const reads = Array.from({ length: 50 }, () => free.api.get('/projects'))
    expect(await statuses(reads)).toEqual(new Set([200]))
    await until('one waits for all', async () => (await waiting()).length === 1)
    await release()
    expect(await statuses(late)).toEqual(new Set([201]))
  })

  test('whose articles were in the same batch, though others are locked as well', async () => {
    const [one, two, three, free] = [await writer(), await writer(), await writer(), await writer()]
    const held = [one, two, three]
    const release = await lockWebhooks(arden.sql, ...held.map(({ webhookId }) => webhookId))
    const late = held.flatMap(({ write }) => write(2))
    expect(await statuses(free.write(3))).toEqual(new Set([201]))
    await until('each waits', async () => (await waiting()).length === 3)
    expect(await statuses(free.write(3))).toEqual(new Set([201]))
    await release()
    expect(await statuses(late)).toEqual(new Set([201]))
  })

  test('by changes of articles, each of which has a transaction of its own', async () => {
    const [held, free] = [await writer(), await writer()]
    const written = await Promise.all(held.write(12))
    const release = await lockWebhooks(arden.sql, held.webhookId)
    const late = written.map(({ body }) =>
      held.api.patch(`/articles/${body.data.id}`, { title: 'Changed' }),
    )
    await until('some wait', async () => (await waiting()).length > 2)
    expect(await statuses([free.api.get('/projects'), ...free.write(3)])).toEqual(
      new Set([200, 201]),
    )
    await release()
    expect(await statuses(late)).toEqual(new Set([200]))
  })
})

test('a process that hangs within a transaction keeps it open for 30 s at most', async () => {
  const [row] = await arden.sql`SHOW idle_in_transaction_session_timeout`
  expect(row).toEqual({ idle_in_transaction_session_timeout: '30s' })
})
