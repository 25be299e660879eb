import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from '../src/db/connect'
import { migrate } from '../src/db/migrate'
import { type Arden, startArden } from './support/arden'

let arden: Arden
beforeAll(async () => {
  arden = await startArden({ serve: true })
})
afterAll(() => arden.stop())

/** Longer than anything waits for a lock, in ms. */
const HELD_MS = 10_500

test('a change of what another transaction holds for too long is a 503, and a migration waits', async () => {
  const live = await arden.client()
  const { id } = (await live.post('/projects', { name: 'Blog' })).body.data
  const other = connect(arden.env.DATABASE_URL ?? '', { name: 'test', max: 1 })
  const held = Promise.withResolvers<void>()
  const holding = arden.sql.begin(async tx => {
    await tx`SELECT FROM projects WHERE id = ${id} FOR UPDATE`
    await tx`SELECT pg_advisory_xact_lock(4170511)` // As a process that migrates.
    held.resolve()
    await Bun.sleep(HELD_MS)
  })
  await held.promise
  const [changed, applied] = await Promise.all([
    live.patch(`/projects/${id}`, { name: 'Other' }),
    migrate(other),
    holding,
  ])
  expect([changed.status, changed.body.error]).toEqual([503, 'UNAVAILABLE'])
  expect(changed.body.message).toContain('Nothing was changed. Try again in 2 seconds.')
  expect(changed.headers.get('retry-after')).toBe('2')
  expect(applied).toEqual([])
  expect((await live.patch(`/projects/${id}`, { name: 'Other' })).status).toBe(200)
  await other.end()
})

test('a process that hangs within a transaction holds it for 30 s at most', async () => {
  const [row] = await arden.sql`SHOW idle_in_transaction_session_timeout`
  expect(row).toEqual({ idle_in_transaction_session_timeout: '30s' })
})
