import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createAccount } from '../src/accounts/accounts'
import { connect, type Tx } from '../src/db/connect'
import { migrate } from '../src/db/migrate'
import { type Arden, startArden } from './support/arden'
import { until } from './support/until'

let arden: Arden
beforeAll(async () => {
  arden = await startArden({ serve: true })
})
afterAll(() => arden.stop())

const ACTOR = { type: 'cli', id: 'tests', name: 'tests' } as const

/** An ordered webhook of an account, a project of it, and a client that writes articles in there. */
const writer = async (accountId: string) => {
  const api = await arden.client({ accountId })
  const webhook = { url: 'http://127.0.0.1:9/', events: ['article.created'], ordered: true }
  const { id: webhookId } = (await api.post('/webhooks', webhook)).body.data
  const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
  const write = (count: number) =>
    Array.from({ length: count }, () => api.post('/articles', { project_id, title: 'New' }))
  return { api, project_id, webhookId, write }
}

/** Holds what `lock` locks until it is let go. */
const hold = async (lock: (tx: Tx) => Promise<unknown>) => {
  const held = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = arden.sql.begin(async tx => {
    await lock(tx as Tx)
    held.resolve()
    await free.promise
  })
  await held.promise
  return () => {
    free.resolve()
    return holding
  }
}

const waiting = () => arden.sql`
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

test('what another transaction holds for too long is a 503, once for all who wait, and a migration waits', async () => {
  const { api, project_id, webhookId, write } = await writer(arden.accountId)
  const { id } = (await api.post('/projects', { name: 'Other' })).body.data
  const other = connect(arden.env.DATABASE_URL ?? '', { name: 'test', max: 1 })
  const letGo = await hold(async tx => {
    await tx`SELECT FROM projects WHERE id = ${id} FOR UPDATE`
    await tx`SELECT FROM webhooks WHERE id = ${webhookId} FOR UPDATE`
    await tx`SELECT pg_advisory_xact_lock(4170511)` // As a process that migrates.
  })
  const applied = migrate(other)
  const refused = await Promise.all([api.patch(`/projects/${id}`, { name: 'x' }), ...write(20)])
  await letGo()
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

test('a webhook that is held holds up the articles of its account, by one connection, and of no other', async () => {
  const { id } = await arden.sql.begin(tx => createAccount(tx as Tx, ACTOR, 'Other'))
  const [held, free] = [await writer(arden.accountId), await writer(id)]
  const letGo = await hold(tx => tx`SELECT FROM webhooks WHERE id = ${held.webhookId} FOR UPDATE`)
  const late = held.write(20)
  const soon = await Promise.all(free.write(20))
  expect(soon.map(({ status }) => status)).toEqual(soon.map(() => 201))
  late.push(...held.write(20))
  const again = await Promise.all(free.write(20))
  expect(again.map(({ status }) => status)).toEqual(again.map(() => 201))
  await until('one waits for all', async () => (await waiting()).length === 1)
  await letGo()
  for (const { status } of await Promise.all(late)) expect(status).toBe(201)
})

test('a process that hangs within a transaction holds it for 30 s at most', async () => {
  const [row] = await arden.sql`SHOW idle_in_transaction_session_timeout`
  expect(row).toEqual({ idle_in_transaction_session_timeout: '30s' })
})
