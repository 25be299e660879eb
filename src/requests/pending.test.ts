import { expect, test } from 'bun:test'
import type { FailedRequestEntry } from './entry'
import { LOGGED_PER_HOUR, PENDING_MAX } from './limits'
import { createPendingHours } from './pending'

/** Contract 2.6: the failed requests of a process that are not written yet. */

const AT = Date.parse('2026-01-31T12:34:56Z')

const entry = (accountId: string, path: string, at = AT): FailedRequestEntry => ({
  id: '',
  accountId,
  mode: 'live',
  requestId: '',
  method: 'GET',
  route: null,
  path,
  status: 404,
  error: 'NOT_FOUND',
  message: '',
  actor: { type: 'key', id: 'key_1', name: 'k' },
  address: '',
  durationMs: 1,
  at,
})

const create = () => {
  const dropped: string[] = []
  return { pending: createPendingHours(reason => dropped.push(reason)), dropped }
}

test('keeps the first of an hour, and counts those beyond the limit', () => {
  const { pending, dropped } = create()
  for (let n = 0; n < LOGGED_PER_HOUR + 3; n++) pending.addFailed(entry('a', `${n}`))
  pending.addFailed(entry('a', 'next hour', AT + 3_600_000))
  const [first, second] = pending.take()
  expect(first).toMatchObject({ failed: LOGGED_PER_HOUR + 3 })
  expect(first?.entries.map(({ path }) => path)).toEqual(
    Array.from({ length: LOGGED_PER_HOUR }, (_, n) => `${n}`),
  )
  expect(second?.entries.map(({ path }) => path)).toEqual(['next hour'])
  expect(dropped).toEqual(['limit', 'limit', 'limit'])
  expect(pending.size()).toBe(0)
})

test('when the memory is full, the oldest of the account with the most is dropped', () => {
  const { pending, dropped } = create()
  pending.addFailed(entry('quiet', 'kept'))
  const accounts = PENDING_MAX / LOGGED_PER_HOUR + 1
  for (let account = 0; account < accounts; account++)
    for (let n = 0; n < LOGGED_PER_HOUR; n++) pending.addFailed(entry(`${account}`, `${n}`))
  const hours = pending.take()
  expect(hours.reduce((sum, { entries }) => sum + entries.length, 0)).toBe(PENDING_MAX)
  expect(hours.find(({ accountId }) => accountId === 'quiet')?.entries).toHaveLength(1)
  expect(hours.find(({ accountId }) => accountId === '0')?.entries.at(-1)?.path).toBe(
    `${LOGGED_PER_HOUR - 1}`,
  )
  expect(dropped.filter(reason => reason === 'memory').length).toBe(LOGGED_PER_HOUR + 1)
})

test('what could not be written comes before what came meanwhile', () => {
  const { pending, dropped } = create()
  pending.addFailed(entry('a', 'first'))
  const taken = pending.take()
  pending.addFailed(entry('a', 'second'))
  pending.putBack(taken)
  const [hour] = pending.take()
  expect(hour).toMatchObject({ failed: 2 })
  expect(hour?.entries.map(({ path }) => path)).toEqual(['first', 'second'])
  expect(dropped).toEqual([])
})
