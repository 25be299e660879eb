import { expect, test } from 'bun:test'
import { createAvailability } from './availability'
import { createLog } from './log'

test('what waits for the end of an outage is tried again within a second of it, however long it lasted', () => {
  const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
  const availability = createAvailability(log, 'Temporal', 'Due deliveries wait.')
  const pauses = Array.from({ length: 10 }, () => {
    availability.reportFailure(new Error('away'))
    return availability.pauseMs()
  })
  expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 1_000])
  expect(Math.max(...pauses)).toBe(1_000)
  availability.reportSuccess()
  expect(availability.pauseMs()).toBe(0)
})
