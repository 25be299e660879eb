import { expect, test } from 'bun:test'
import { useArden } from '../../../test/support/arden'
import { connect } from '../../db/connect'
import { limitTransactions } from '../../http/change'
import { createInsertBatcher } from './insert-batcher'
import type { Writer } from './versions'

/** As many as 20 statements insert when no other account has an article. */
const BURST = 1_000

const arden = await useArden({ serve: true })

const writer = async () => {
  const accountId = await arden.newAccount()
  const api = await arden.client({ accountId })
  const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
  const { id: keyId, key } = await arden.key({ accountId })
  return {
    keyId,
    by: { key, claim: undefined },
    tenant: {
      accountId,
      mode: 'live',
      actor: { type: 'key', id: keyId, name: 'tests' },
    } satisfies Writer,
    input: { project_id, title: 'New', slug: 'new' },
  }
}

test('an article is in one of the next statements, not behind all articles of another account', async () => {
  const [busy, quiet] = [await writer(), await writer()]
  const sql = connect(arden.env.DATABASE_URL ?? '', { name: 'test' })
  // A statement does not wait for a connection to open.
  await Promise.all(Array.from({ length: 20 }, () => sql`SELECT 1`))
  const create = createInsertBatcher(sql, limitTransactions())
  const burst = Array.from({ length: BURST }, () => create(busy.tenant, busy.input, busy.by))
  const article = await create(quiet.tenant, quiet.input, quiet.by)
  await Promise.all(burst)
  // A statement gets its transaction id when it inserts its first row.
  const [row] = await sql<[{ before: number; all: number }]>`
    SELECT count(DISTINCT xmin::text) FILTER (WHERE age(xmin) > (
        SELECT age(xmin) FROM articles WHERE id = ${article?.id ?? ''}
      ))::int AS before,
      count(DISTINCT xmin::text)::int AS all
    FROM articles WHERE account_id = ${busy.tenant.accountId}`
  expect(row.all).toBeGreaterThanOrEqual(20)
  expect(row.before).toBeLessThan(10)
  await sql.end()
})

test('an article is created only while the API key of its request is active', async () => {
  const { tenant, input, by, keyId } = await writer()
  const create = createInsertBatcher(arden.sql, limitTransactions())
  expect(await create(tenant, input, by)).toMatchObject({ title: 'New' })
  await arden.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${keyId}`
  expect(await create(tenant, input, by)).toBeUndefined()
  expect(await arden.sql`SELECT FROM articles WHERE account_id = ${tenant.accountId}`).toHaveLength(
    1,
  )
})
