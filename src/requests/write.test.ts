import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { newId } from '../ids'
import { LOGGED_PER_HOUR } from './limits'
import type { PendingHour } from './pending'
import { writeHours } from './write'

/** Contract 2.6. */

const { sql } = await useDatabase({ connections: 4 })

const AT = Date.parse('2026-01-31T12:34:56Z')

const hourWith = (accountId: string, count: number): PendingHour => ({
  accountId,
  mode: 'live',
  hour: AT - (AT % 3_600_000),
  accepted: 10,
  refused: 1,
  failed: count,
  entries: Array.from({ length: count }, () => ({
    id: newId('req'),
    accountId,
    mode: 'live',
    requestId: crypto.randomUUID(),
    method: 'GET',
    route: null,
    path: '/',
    status: 404,
    error: 'NOT_FOUND',
    message: 'm',
    actor: { type: 'key', id: 'key_1', name: 'k' },
    address: '127.0.0.1',
    durationMs: 1,
    at: AT,
  })),
})

const idsOf = async (accountId: string) =>
  (
    await sql<{ id: string }[]>`
      SELECT id FROM failed_requests WHERE account_id = ${accountId} ORDER BY id`
  ).map(({ id }) => id)

test('keeps the first of an hour, also of processes that write at the same time', async () => {
  const hours = Array.from({ length: 8 }, () => hourWith('acc_flood', 100))
  const other = hourWith('acc_other', 3)
  const logged = await Promise.all(hours.map(hour => writeHours(sql, [hour, other])))
  expect(logged.reduce((sum, count) => sum + count, 0)).toBe(LOGGED_PER_HOUR + 3)
  expect(await idsOf('acc_flood')).toHaveLength(LOGGED_PER_HOUR)
  expect(await idsOf('acc_other')).toEqual(other.entries.map(({ id }) => id))
  expect(
    await sql`SELECT accepted, refused, failed FROM request_hours WHERE account_id = 'acc_flood'`,
  ).toMatchObject([{ accepted: 80, refused: 8, failed: 800 }])
})

test('of a batch beyond the limit, the first are kept', async () => {
  await writeHours(sql, [hourWith('acc_order', LOGGED_PER_HOUR - 2)])
  const last = hourWith('acc_order', 5)
  expect(await writeHours(sql, [last])).toBe(2)
  const ids = await idsOf('acc_order')
  expect(last.entries.map(({ id }) => ids.includes(id))).toEqual([true, true, false, false, false])
})
