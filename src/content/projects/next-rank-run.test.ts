import { expect, test } from 'bun:test'
import { nextRankRunAt } from './next-rank-run'

const next = (rank_schedule: 'daily' | 'weekly' | 'off', time_zone: string, after: string) =>
  nextRankRunAt({ rank_schedule, time_zone }, new Date(after))?.toISOString()

test.each([
  ['daily', 'UTC', '2026-01-31T03:59:59.999Z', '2026-01-31T04:00:00.000Z'],
  ['daily', 'UTC', '2026-01-31T04:00:00.000Z', '2026-02-01T04:00:00.000Z'],
  ['daily', 'Asia/Kolkata', '2026-01-31T00:00:00.000Z', '2026-01-31T22:30:00.000Z'],
  ['daily', 'America/Los_Angeles', '2026-01-31T00:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  // Across the changes to and from summer time.
  ['daily', 'Europe/Berlin', '2026-03-28T12:00:00.000Z', '2026-03-29T02:00:00.000Z'],
  ['daily', 'Europe/Berlin', '2026-10-24T12:00:00.000Z', '2026-10-25T03:00:00.000Z'],
  // 2026-02-02 is a Monday.
  ['weekly', 'UTC', '2026-01-31T12:00:00.000Z', '2026-02-02T04:00:00.000Z'],
  ['weekly', 'UTC', '2026-02-02T03:00:00.000Z', '2026-02-02T04:00:00.000Z'],
  ['weekly', 'UTC', '2026-02-02T04:00:00.000Z', '2026-02-09T04:00:00.000Z'],
  ['weekly', 'Pacific/Auckland', '2026-01-31T12:00:00.000Z', '2026-02-01T15:00:00.000Z'],
] as const)('%s in %s after %s is at %s', (schedule, zone, after, at) => {
  expect(next(schedule, zone, after)).toBe(at)
})

test('off is never', () => {
  expect(next('off', 'UTC', '2026-01-31T00:00:00.000Z')).toBeUndefined()
})
