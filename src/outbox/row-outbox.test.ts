import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { until } from '../../test/support/until'
import { createAccount } from '../accounts/store'
import { generationOutbox } from '../content/generations/outbox'

const jobs = ['gen_2', 'gen_1'].map(id => ({ id, run: 1 }))

const { sql } = await useDatabase()
const account = await sql.begin(tx =>
  createAccount(tx, { type: 'cli', id: 'tests', name: 'tests' }, 'Test'),
)
const of = { account_id: account.id, mode: 'live' }
await sql`INSERT INTO projects ${sql({ id: 'prj_1', ...of, name: 'Blog', language: 'en' })}`
for (const { id } of jobs)
  await sql`INSERT INTO generations ${sql({ id, ...of, project_id: 'prj_1', keyword: 'k' })}`

test.each([
  ['handed over', generationOutbox.markHandedOver],
  ['released', generationOutbox.release],
] as const)(
  'records are %s in the order of their ids, without deadlocks with a cancellation',
  async (_, act) => {
    await sql`UPDATE generations SET due_at = clock_timestamp() + interval '1 minute'`
    let acting: Promise<void> | undefined
    await sql.begin(async tx => {
      await tx`SELECT FROM generations WHERE id = 'gen_1' FOR UPDATE`
      acting = act(sql, jobs as never)
      await until('it waits', async () => {
        const waiting = await sql`SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return waiting.length === 1
      })
      await tx`SELECT FROM generations WHERE id = 'gen_2' FOR UPDATE NOWAIT`
    })
    await acting
    const later = await sql`SELECT FROM generations WHERE due_at > clock_timestamp()`
    expect(later).toHaveLength(0)
  },
)
