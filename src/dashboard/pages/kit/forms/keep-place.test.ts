import { expect, test } from 'bun:test'
import { fc } from '../../../../../test/support/property'
import { moved } from './keep-place'

test.each([
  ['before the change', 'one| two', 'one 2', 'one| 2'],
  ['behind the change', 'one two| three', '1 two three', '1 two| three'],
  ['in what was replaced', 'one tw|o three', 'one 2 three', 'one 2| three'],
  ['at the end', 'one|', 'one two', 'one| two'],
  ['where nothing is left', 'one|', '', '|'],
])('the cursor stays where it is %s', (_, before, after, expected) => {
  const place = moved(before.indexOf('|'), before.replace('|', ''), after)
  expect(`${after.slice(0, place)}|${after.slice(place)}`).toBe(expected)
})

test('the cursor is always in the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), (before, after, any) => {
      const place = moved(any % (before.length + 1), before, after)
      expect(place).toBeGreaterThanOrEqual(0)
      expect(place).toBeLessThanOrEqual(after.length)
    }),
  )
})
